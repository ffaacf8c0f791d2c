import type { Answer } from "../api/client";
import { told } from "../text";
import { counted, nameOfSweep } from "./names";
import { When } from "./pieces";

type Run = Answer<"GET /api/upkeep/history">["items"][number];
const STATE = { done: "good", failed: "bad", skipped_locked: "warn", cancelled: "warn" } as const;

/** One run of a sweep: what it did, how it ended. */
export function RunLine({ run }: { run: Run }) {
  const more = run.error ?? counted(run.counts);
  return (
    <li>
      <div className="spread">
        <span className="row"><span className={`dot ${STATE[run.status]}`} /> <b>{nameOfSweep(run.sweep)}</b> {told(`run.${run.status}`, run.status)}{run.dryRun && ` · ${told("run.dry", "dry run")}`}</span>
        <span className="soft small"><When at={run.finishedAt} /></span>
      </div>
      {more && <div className="soft small cut">{more}</div>}
    </li>
  );
}

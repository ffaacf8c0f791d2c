import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client";
import { Changed } from "../parts/Changed";
import { OPENS } from "../parts/opens";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client } from "../parts/queries";
import { say } from "../parts/state";
import { useMayWrite, useSession } from "../shell/session";
import { t, told } from "../text";

const NOUNS = ["memory", "fact", "insight", "message", "session", "summary", "document", "person", "device", "context", "soul", "narrative", "options", "key", "space", "archive", "erasure"];

export default function Journal() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const [noun, setNoun] = useState<string | null>(null);
  const [by, setBy] = useState("");
  const [actor] = useDebouncedValue(by.trim(), 250);
  const lines = useInfiniteQuery({
    queryKey: ["journal", space, noun, actor],
    queryFn: ({ pageParam }) => call("GET /api/journal", { query: { noun, actor: actor || undefined, cursor: pageParam, limit: 50 } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const undo = useMutation({
    mutationFn: (id: string) => call("POST /api/journal/{id}/undo", { path: { id } }),
    onSuccess: () => { say(t("do.undone")); return client.invalidateQueries(); },
  });
  return (
    <Page title="journal.title" lead="journal.lead">
      <div className="stack">
        <div className="row">
          <Select aria-label={t("journal.noun")} placeholder={t("journal.noun")} clearable data={NOUNS.map((one) => ({ value: one, label: told(`noun.${one}`, one) }))} value={noun} onChange={setNoun} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <TextInput aria-label={t("journal.actor")} placeholder={t("journal.actor")} value={by} onChange={(event) => setBy(event.currentTarget.value)} />
        </div>
        <Loaded query={lines}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            if (items.length === 0) return <Sheet><Empty icon="journal" title={t("journal.none")} hint={t("journal.noneHint")} /></Sheet>;
            return (
              <Sheet>
                <ul className="lines">
                  {items.map((line) => (
                    <li key={line.id} className="spread" style={{ alignItems: "flex-start" }}>
                      <div style={{ minWidth: 0 }}>
                        <b>{told(`action.${line.action}`, line.action)}</b> · {line.noun !== "fact" && OPENS[line.noun] ? <Link to={OPENS[line.noun]!(line.recordId, "")}>{told(`noun.${line.noun}`, line.noun)}</Link> : told(`noun.${line.noun}`, line.noun)}
                        <div className="soft small cut"><When at={line.at} /> · {line.actor}{line.reason && ` · ${line.reason}`}</div>
                        <Changed before={line.before} after={line.after} />
                      </div>
                      {mayWrite && line.noun !== "erasure" && <Button variant="default" onClick={() => undo.mutate(line.id)} loading={undo.isPending && undo.variables === line.id} aria-label={`${t("do.undo")}: ${told(`action.${line.action}`, line.action)}`}>{t("do.undo")}</Button>}
                    </li>
                  ))}
                </ul>
                {lines.hasNextPage && <Button variant="default" onClick={() => void lines.fetchNextPage()} loading={lines.isFetchingNextPage}>{t("do.more")}</Button>}
              </Sheet>
            );
          }}
        </Loaded>
      </div>
    </Page>
  );
}

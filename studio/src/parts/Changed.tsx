import { told } from "../text";
import { differences } from "./differences";

type Record_ = { [name: string]: unknown } | null;

/** What a change did to a record, field by field. */
export function Changed({ before, after }: { before: Record_; after: Record_ }) {
  const lines = differences(before, after);
  if (lines.length === 0) return null;
  return (
    <dl className="pairs small" style={{ marginTop: "0.35rem" }}>
      {lines.map(({ name, was, is }) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{told(`field.${name}`, name)}</dt>
          <dd>{was !== null && <s className="soft">{was}</s>} {is}</dd>
        </div>
      ))}
    </dl>
  );
}

/** "Remembered because of this message": the words that a memory was made from. */
import type { Memory } from "../api/shapes";
import { t } from "../text";
import { Said } from "./Said";

export function Sources({ one }: { one: Pick<Memory, "sourceRef"> }) {
  const named = one.sourceRef["messages"];
  const ids = Array.isArray(named) ? named.map(String) : [];
  if (ids.length === 0) return <p className="soft small" style={{ margin: 0 }}>{t("memories.noWhy")}</p>;
  return <Said ids={ids} />;
}

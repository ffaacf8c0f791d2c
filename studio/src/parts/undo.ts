/** Takes back what was just done, by the journal. */
import { call } from "../api/client";
import { t } from "../text";
import { client, explain } from "./queries";
import { say } from "./state";

export async function undoLast(recordIds: string[], action: string): Promise<void> {
  try {
    for (const recordId of recordIds) {
      const { items } = await call("GET /api/journal", { query: { recordId, action, limit: 1 } });
      if (items[0]) await call("POST /api/journal/{id}/undo", { path: { id: items[0].id } });
    }
    say(t("do.undone"));
  } catch (error) {
    say(explain(error), { bad: true });
  }
  await client.invalidateQueries();
}

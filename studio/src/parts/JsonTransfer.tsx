/** Memories as a JSON file: those that are listed go out, those of a file come in. */
import { Button, FileButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Memory, MemoryDraft } from "../api/shapes";
import type { Filters } from "../pages/Memories";
import { t } from "../text";
import { draftsIn } from "./drafts";
import { saveAs } from "./saveAs";
import { client } from "./queries";
import { say } from "./state";

const PIECE = 200;

export function JsonTransfer({ filters, mayWrite }: { filters: Filters; mayWrite: boolean }) {
  const out = useMutation({
    mutationFn: async () => {
      const items = await everyOne(filters);
      saveAs("memories.json", JSON.stringify(items, null, 2), "application/json");
      say(t("memories.exported", { count: items.length }));
    },
  });
  const bring = useMutation({
    mutationFn: async (file: File) => {
      const drafts = draftsIn(await file.text());
      if (drafts === null) return say(t("memories.noList", { name: file.name }), { bad: true });
      const counts = { stored: 0, known: 0 };
      for (const draft of drafts) {
        const { status } = await call("POST /api/memory", { body: draft });
        counts[status === "stored" ? "stored" : "known"] += 1;
      }
      say(t("memories.imported", counts));
    },
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <>
      {mayWrite && <FileButton accept="application/json,.json" onChange={(file) => { if (file) bring.mutate(file); }}>{(props) => <Button variant="default" loading={bring.isPending} {...props}>{t("memories.import")}</Button>}</FileButton>}
      <Button variant="default" loading={out.isPending} onClick={() => out.mutate()}>{t("memories.export")}</Button>
    </>
  );
}

/** All that match, or for a search the best of it. */
async function everyOne(filters: Filters): Promise<MemoryDraft[]> {
  const items: Memory[] = [];
  for (let offset = 0; ; offset += PIECE) {
    const page = await call("GET /api/memory", { query: { ...filters, limit: PIECE, offset } });
    items.push(...page.items);
    if (page.items.length < PIECE || page.total === null) break;
  }
  return items.map(({ content, title, type, tags, category, personId, pinned, observedAt, source, confidence }) => ({ content, title, type, tags, category, personId, pinned, observedAt, source, confidence }));
}

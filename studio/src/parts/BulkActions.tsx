/** What can be done with the memories that are ticked. */
import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import type { Memory } from "../api/shapes";
import { t } from "../text";
import { client } from "./queries";
import { say } from "./state";
import { undoLast } from "./undo";

export function BulkActions({ selected, onDone }: { selected: Memory[]; onDone: () => void }) {
  const [tag, setTag] = useState("");
  const work = useMutation({
    mutationFn: async (act: (one: Memory) => Promise<unknown>) => {
      for (const one of selected) await act(one);
    },
    onSettled: () => client.invalidateQueries(),
  });
  const pin = (on: boolean) =>
    work.mutate((one) => call(on ? "POST /api/memory/{id}/pin" : "DELETE /api/memory/{id}/pin", { path: { id: one.id } }), { onSuccess: () => { say(t("memories.saved")); onDone(); } });
  const addTag = () =>
    work.mutate((one) => call("PATCH /api/memory/{id}", { path: { id: one.id }, body: { tags: [...new Set([...one.tags, tag.trim()])] } }), { onSuccess: () => { say(t("memories.saved")); onDone(); } });
  const remove = () => {
    const ids = selected.map((one) => one.id);
    work.mutate((one) => call("DELETE /api/memory/{id}", { path: { id: one.id } }), {
      onSuccess: () => { say(t("memories.deleted", { count: ids.length }), { undo: () => void undoLast(ids, "forgotten") }); onDone(); },
    });
  };
  return (
    <div className="selection spread" role="region" aria-label={t("memories.selected", { count: selected.length })} style={{ flexWrap: "wrap" }}>
      <b>{t("memories.selected", { count: selected.length })}</b>
      <div className="row">
        <Button variant="default" onClick={() => pin(true)} disabled={work.isPending}>{t("memories.pin")}</Button>
        <Button variant="default" onClick={() => pin(false)} disabled={work.isPending}>{t("memories.unpin")}</Button>
        <TextInput w={140} aria-label={t("memories.addTag")} placeholder={t("memories.addTag")} value={tag} onChange={(event) => setTag(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Enter" && tag.trim()) addTag(); }} />
        <Button color="red" onClick={remove} loading={work.isPending}>{t("do.delete")}</Button>
        <Button variant="subtle" onClick={onDone}>{t("do.cancel")}</Button>
      </div>
    </div>
  );
}

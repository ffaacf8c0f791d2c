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
    mutationFn: async ({ these, act }: { these: Memory[]; act: (one: Memory) => Promise<unknown> }) => {
      for (const one of these) await act(one);
    },
    onSettled: () => client.invalidateQueries(),
  });
  /** Do the same with each of these; what was said to be done can be undone. */
  const each = (these: Memory[], act: (one: Memory) => Promise<unknown>, done: string, action: string) => {
    const ids = these.map((one) => one.id);
    work.mutate({ these, act }, { onSuccess: () => { say(done, { undo: () => void undoLast(ids, action) }); onDone(); } });
  };
  const pin = (on: boolean) =>
    each(selected.filter((one) => one.pinned !== on), (one) => call(on ? "POST /api/memory/{id}/pin" : "DELETE /api/memory/{id}/pin", { path: { id: one.id } }), t("memories.saved"), "updated");
  const addTag = () =>
    each(selected.filter((one) => !one.tags.includes(tag.trim())), (one) => call("PATCH /api/memory/{id}", { path: { id: one.id }, body: { tags: [...one.tags, tag.trim()] } }), t("memories.saved"), "updated");
  const remove = () =>
    each(selected, (one) => call("DELETE /api/memory/{id}", { path: { id: one.id } }), t("memories.deleted", { count: selected.length }), "forgotten");
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

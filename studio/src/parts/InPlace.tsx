/** The text of a memory, corrected where it stands in the list: Enter keeps it, Escape leaves it as it was. */
import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import type { Memory } from "../api/shapes";
import { t } from "../text";
import { client } from "./queries";
import { say } from "./state";
import { undoLast } from "./undo";

export function InPlace({ one, onDone }: { one: Memory; onDone: () => void }) {
  const [content, setContent] = useState(one.content);
  const save = useMutation({
    mutationFn: () => call("PATCH /api/memory/{id}", { path: { id: one.id }, body: { content } }),
    onSuccess: async () => {
      await client.invalidateQueries();
      say(t("memories.saved"), { undo: () => void undoLast([one.id], "updated") });
      onDone();
    },
  });
  return (
    <form className="inplace" onSubmit={(event) => { event.preventDefault(); if (content === one.content) onDone(); else save.mutate(); }}>
      <TextInput autoFocus aria-label={t("memories.content")} value={content} onChange={(event) => setContent(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Escape") onDone(); }} />
      <Button size="compact-md" type="submit" loading={save.isPending}>{t("do.save")}</Button>
      <Button size="compact-md" variant="subtle" onClick={onDone}>{t("do.cancel")}</Button>
    </form>
  );
}

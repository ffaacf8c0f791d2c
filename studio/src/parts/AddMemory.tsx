import { Button, Modal, Select, Switch, TagsInput, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/client";
import type { MemoryType } from "../api/shapes";
import { t } from "../text";
import { client, explain } from "./queries";
import { say } from "./state";
import { usePeople } from "./usePeople";

const EMPTY = { content: "", type: "semantic" as MemoryType, tags: [] as string[], personId: null as string | null, pinned: false };

export function AddMemory({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const { choices } = usePeople();
  const add = useMutation({
    mutationFn: () => call("POST /api/memory", { body: { ...draft, source: "studio" } }),
    onSuccess: ({ status, reason }) => {
      say(status === "stored" ? t("memories.stored") : t(status === "merged" ? "memories.merged" : "memories.duplicate", { reason: reason ?? "" }));
      setDraft(EMPTY);
      onClose();
      return client.invalidateQueries();
    },
    onError: () => {},
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate();
  }

  return (
    <Modal opened={opened} onClose={onClose} title={t("memories.add")} size="lg" closeButtonProps={{ "aria-label": t("do.close") }}>
      <form onSubmit={submit} className="stack">
        <Textarea label={t("memories.content")} data-autofocus autosize minRows={3} maxRows={12} value={draft.content} onChange={(event) => setDraft({ ...draft, content: event.currentTarget.value })} error={add.error ? explain(add.error) : undefined} />
        <div className="row">
          <Select label={t("memories.type")} allowDeselect={false} value={draft.type} onChange={(value) => setDraft({ ...draft, type: (value ?? "semantic") as MemoryType })} data={(["factual", "episodic", "procedural", "semantic"] as const).map((one) => ({ value: one, label: t(`type.${one}`) }))} />
          {choices.length > 0 && <Select label={t("memories.person")} clearable data={choices} value={draft.personId} onChange={(personId) => setDraft({ ...draft, personId })} />}
        </div>
        <TagsInput label={t("memories.tags")} description={t("memories.tagsHint")} value={draft.tags} onChange={(tags) => setDraft({ ...draft, tags })} />
        <Switch label={t("memories.pin")} checked={draft.pinned} onChange={(event) => setDraft({ ...draft, pinned: event.currentTarget.checked })} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>{t("do.cancel")}</Button>
          <Button type="submit" loading={add.isPending}>{t("do.save")}</Button>
        </div>
      </form>
    </Modal>
  );
}

import { Button, Select, Switch, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Query } from "../api/client";
import { MemoryDetail } from "../parts/MemoryDetail";
import { AddMemory } from "../parts/AddMemory";
import { Compact } from "../parts/Compact";
import { JsonTransfer } from "../parts/JsonTransfer";
import { MemoryList } from "../parts/MemoryList";
import { Page } from "../parts/pieces";
import { usePeople } from "../parts/usePeople";
import { Icon } from "../shell/icons";
import { useMayWrite } from "../shell/session";
import { t } from "../text";

export type Filters = Pick<Query<"GET /api/memory">, "q" | "type" | "personId" | "tag" | "source" | "pinned">;
const TYPES = ["factual", "episodic", "procedural", "semantic"] as const;

export default function Memories() {
  const { id, add } = useSearch({ strict: false }) as { id?: string; add?: string };
  const navigate = useNavigate();
  const mayWrite = useMayWrite();
  const { choices } = usePeople();
  const [compacting, setCompacting] = useState(false);
  const [words, setWords] = useState("");
  const [q] = useDebouncedValue(words.trim(), 250);
  const [type, setType] = useState<(typeof TYPES)[number] | null>(null);
  const [personId, setPerson] = useState<string | null>(null);
  const [tag, setTag] = useState("");
  const [tagged] = useDebouncedValue(tag.trim(), 250);
  const [source, setSource] = useState("");
  const [from] = useDebouncedValue(source.trim(), 250);
  const [pinned, setPinned] = useState(false);
  const filters: Filters = {
    q: q || undefined,
    type: type ? [type] : undefined,
    personId: personId ? [personId] : undefined,
    tag: tagged ? [tagged] : undefined,
    source: from ? [from] : undefined,
    pinned: pinned || undefined,
  };

  const go = (search: Record<string, string>) => void navigate({ to: "/studio/memories", search });
  const clear = () => { setWords(""); setType(null); setPerson(null); setTag(""); setSource(""); setPinned(false); };

  return (
    <Page
      title="memories.title"
      lead="memories.lead"
      actions={
        <>
          {mayWrite && <Button variant="default" onClick={() => setCompacting(true)}>{t("compact.open")}</Button>}
          <JsonTransfer filters={filters} mayWrite={mayWrite} />
          {mayWrite && <Button leftSection={<Icon name="plus" size={18} />} onClick={() => go({ add: "1" })}>{t("memories.add")}</Button>}
        </>
      }
    >
      <div className="stack">
        <search className="row">
          <TextInput type="search" style={{ flex: "1 1 13rem" }} aria-label={t("memories.search")} placeholder={t("memories.search")} leftSection={<Icon name="search" size={18} />} value={words} onChange={(event) => setWords(event.currentTarget.value)} />
          <Select w={130} aria-label={t("memories.type")} placeholder={t("memories.type")} clearable data={TYPES.map((one) => ({ value: one, label: t(`type.${one}`) }))} value={type} onChange={(value) => setType(value as typeof type)} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <Select w={130} aria-label={t("memories.person")} placeholder={t("memories.person")} clearable searchable data={choices} value={personId} onChange={setPerson} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <TextInput w={105} aria-label={t("memories.tag")} placeholder={t("memories.tag")} value={tag} onChange={(event) => setTag(event.currentTarget.value)} />
          <TextInput w={105} aria-label={t("memories.source")} placeholder={t("memories.source")} value={source} onChange={(event) => setSource(event.currentTarget.value)} />
          <Switch label={t("memories.pinnedOnly")} checked={pinned} onChange={(event) => setPinned(event.currentTarget.checked)} />
        </search>
        <MemoryList filters={filters} open={id} onOpen={(one) => go({ id: one })} onClear={clear} onAdd={mayWrite ? () => go({ add: "1" }) : undefined} />
      </div>
      <MemoryDetail id={id} onClose={() => go({})} />
      <Compact opened={compacting} onClose={() => setCompacting(false)} />
      {mayWrite && <AddMemory opened={add !== undefined} onClose={() => go({})} />}
    </Page>
  );
}

/** One memory, whole: its text to correct, what it comes from, and what happened to it. */
import { Button, Drawer, Select, TagsInput, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import type { Memory, MemoryType } from "../api/shapes";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { moment } from "../text/dates";
import { Loaded, When } from "./pieces";
import { Said } from "./Said";
import { client, explain } from "./queries";
import { Sources } from "./Sources";
import { say } from "./state";
import { undoLast } from "./undo";
import { usePeople } from "./usePeople";

export function MemoryDetail({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const { space } = useSession();
  const memory = useQuery({ queryKey: ["memory", space, id], queryFn: () => call("GET /api/memory/{id}", { path: { id: id! } }), enabled: id !== undefined });
  return (
    <Drawer opened={id !== undefined} onClose={onClose} position="right" size="lg" title={t("memories.detail")} closeButtonProps={{ "aria-label": t("do.close") }}>
      {id !== undefined && <Loaded query={memory}>{(one) => <Detail key={one.id + one.updatedAt} one={one} onClose={onClose} />}</Loaded>}
    </Drawer>
  );
}

function Detail({ one, onClose }: { one: Memory; onClose: () => void }) {
  const mayWrite = useMayWrite();
  const [editing, setEditing] = useState(false);
  const refresh = () => client.invalidateQueries();
  const pin = useMutation({
    mutationFn: () => call(one.pinned ? "DELETE /api/memory/{id}/pin" : "POST /api/memory/{id}/pin", { path: { id: one.id } }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/memory/{id}", { path: { id: one.id } }),
    onSuccess: () => {
      onClose();
      say(t("memories.deleted", { count: 1 }), { undo: () => void undoLast([one.id], "forgotten") });
      return refresh();
    },
  });
  return (
    <div className="stack">
      {editing ? (
        <Edit one={one} onDone={() => setEditing(false)} />
      ) : (
        <>
          {one.title && <h2 style={{ margin: 0 }}>{one.title}</h2>}
          <p className="pre">{one.content}</p>
          <Successor id={one.id} />
          {mayWrite && (
            <div className="row">
              <Button onClick={() => setEditing(true)}>{t("memories.edit")}</Button>
              <Button variant="default" onClick={() => pin.mutate()} loading={pin.isPending}>{one.pinned ? t("memories.unpin") : t("memories.pin")}</Button>
              <Button variant="default" color="red" onClick={() => remove.mutate()} loading={remove.isPending}>{t("do.delete")}</Button>
            </div>
          )}
        </>
      )}
      <Facets one={one} />
      <section className="stack"><h3 style={{ margin: 0 }}>{t("memories.why")}</h3><Sources one={one} /></section>
      <section><h3 style={{ margin: 0 }}>{t("memories.history")}</h3><History id={one.id} /></section>
    </div>
  );
}

/** What took the place of the memory, where the list it was opened from tells. */
function Successor({ id }: { id: string }) {
  const { space } = useSession();
  const lists = client.getQueriesData<{ supersededBy?: Record<string, string> }>({ queryKey: ["memories", space] });
  const successor = lists.map(([, data]) => data?.supersededBy?.[id]).find(Boolean);
  if (!successor) return null;
  return <section className="stack"><h3 style={{ margin: 0 }}>{t("memories.supersededBy")}</h3><Said ids={[successor]} /></section>;
}

function Edit({ one, onDone }: { one: Memory; onDone: () => void }) {
  const [content, setContent] = useState(one.content);
  const [tags, setTags] = useState(one.tags);
  const [type, setType] = useState<MemoryType>(one.type);
  const save = useMutation({
    mutationFn: () => call("PATCH /api/memory/{id}", { path: { id: one.id }, body: { content, tags, type } }),
    onSuccess: () => {
      say(t("memories.saved"), { undo: () => void undoLast([one.id], "updated") });
      onDone();
      return client.invalidateQueries();
    },
    onError: () => {},
  });
  return (
    <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
      <Textarea label={t("memories.content")} autosize minRows={3} maxRows={16} data-autofocus value={content} onChange={(event) => setContent(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
      <Select label={t("memories.type")} allowDeselect={false} value={type} onChange={(value) => setType((value ?? type) as MemoryType)} data={(["factual", "episodic", "procedural", "semantic"] as const).map((name) => ({ value: name, label: t(`type.${name}`) }))} />
      <TagsInput label={t("memories.tags")} description={t("memories.tagsHint")} value={tags} onChange={setTags} />
      <div className="row end">
        <Button variant="default" onClick={onDone}>{t("do.cancel")}</Button>
        <Button type="submit" loading={save.isPending}>{t("do.save")}</Button>
      </div>
    </form>
  );
}

function Facets({ one }: { one: Memory }) {
  const language = useLanguage();
  const { nameOf } = usePeople();
  const facets: [string, string | null][] = [
    [t("memories.type"), told(`type.${one.type}`, one.type)],
    [t("memories.person"), nameOf(one.personId)],
    [t("memories.tags"), one.tags.join(", ") || null],
    [t("memories.source"), told(`source.${one.source}`, one.source)],
    [t("memories.confidence"), one.confidence.toLocaleString(language)],
    [t("memories.observed"), moment(one.observedAt, language)],
    [t("memories.created"), moment(one.createdAt, language)],
    [t("memories.expires"), one.expiresAt && moment(one.expiresAt, language)],
    [t("memories.used"), t("memories.times", { count: one.accessCount })],
  ];
  return (
    <dl className="pairs">
      {facets.filter(([, value]) => value !== null).map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

function History({ id }: { id: string }) {
  const { space } = useSession();
  const lines = useQuery({ queryKey: ["journal", space, id], queryFn: () => call("GET /api/journal", { query: { recordId: id, limit: 20 } }) });
  return (
    <Loaded query={lines}>
      {({ items }) => (
        <ul className="lines small">
          {items.map((line) => (
            <li key={line.id} className="spread"><span className="cut"><b>{told(`action.${line.action}`, line.action)}</b> · {line.actor}{line.reason && ` · ${line.reason}`}</span><span className="soft"><When at={line.at} /></span></li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

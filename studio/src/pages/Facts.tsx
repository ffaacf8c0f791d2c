import { Button, Drawer, Modal, Select, TextInput, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { call } from "../api/client";
import type { Fact } from "../api/shapes";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client, explain } from "../parts/queries";
import { Said } from "../parts/Said";
import { say } from "../parts/state";
import { useMost } from "../parts/useMost";
import { usePeople } from "../parts/usePeople";
import { Icon } from "../shell/icons";
import { useMayWrite, useSession } from "../shell/session";
import { t, told } from "../text";

type Draft = { category: string; key: string; value: string; personId: string | null };
const FIRST = 200;
const EMPTY: Draft = { category: "", key: "", value: "", personId: null };

export default function Facts() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const { nameOf } = usePeople();
  const [words, setWords] = useState("");
  const [q] = useDebouncedValue(words.trim(), 250);
  const [draft, setDraft] = useState<Draft | null>(null);
  const { id } = useSearch({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const go = (search: Record<string, string>) => void navigate({ to: "/studio/facts", search });
  const { most, more } = useMost(FIRST);
  const facts = useQuery({ queryKey: ["facts", space, q, most], queryFn: () => call("GET /api/facts", { query: { q: q || undefined, limit: most } }), placeholderData: keepPreviousData });
  const last = useRef<Fact>(undefined);
  const listed = facts.data?.items.find((one) => one.id === id);
  useEffect(() => { last.current = listed ?? last.current; }, [listed]);
  const open = listed ?? (id !== undefined && last.current?.id === id ? last.current : null); // a version that was restored has another id
  return (
    <Page title="facts.title" lead="facts.lead" actions={mayWrite && <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDraft(EMPTY)}>{t("facts.add")}</Button>}>
      <div className="stack">
        <TextInput type="search" aria-label={t("facts.search")} placeholder={t("facts.search")} leftSection={<Icon name="search" size={18} />} value={words} onChange={(event) => setWords(event.currentTarget.value)} />
        <Loaded query={facts}>
          {({ items }) => items.length === 0 ? (
            <Sheet><Empty icon="facts" title={t("facts.none")} hint={t("facts.noneHint")} /></Sheet>
          ) : (
            [...Map.groupBy(items, (one) => one.category)].map(([category, group]) => (
              <Sheet key={category} title={category}>
                <ul className="lines">
                  {group.map((one) => (
                    <li key={one.id} className="spread">
                      <span className="cut"><span className="soft">{one.key}{one.personId && ` · ${nameOf(one.personId) ?? ""}`}</span><br />{one.value} {one.promoted && <span className="tag">{t("facts.promoted")}</span>}</span>
                      <Button variant="default" onClick={() => go({ id: one.id })} aria-label={`${t("facts.history")}: ${one.category} / ${one.key}`}>{t("facts.history")}</Button>
                    </li>
                  ))}
                </ul>
              </Sheet>
            ))
          )}
        </Loaded>
        {facts.data && more(facts.data.items.length, facts.isPlaceholderData && most > FIRST)}
      </div>
      {draft && <SetFact draft={draft} onClose={() => setDraft(null)} />}
      <Drawer opened={open !== null} onClose={() => go({})} position="right" size="lg" title={open ? `${open.category} / ${open.key}` : ""} closeButtonProps={{ "aria-label": t("do.close") }}>
        {open && <History fact={open} onClose={() => go({})} onChange={() => { setDraft({ category: open.category, key: open.key, value: open.value, personId: open.personId }); go({}); }} />}
      </Drawer>
    </Page>
  );
}

function History({ fact, onClose, onChange }: { fact: Fact; onClose: () => void; onChange: () => void }) {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const named = { category: fact.category, key: fact.key, personId: fact.personId };
  const versions = useQuery({ queryKey: ["versions", space, named], queryFn: () => call("GET /api/facts/history", { query: named }) });
  const current = versions.data?.items.find((one) => !one.validTo) ?? fact;
  const done = (text: string) => () => { say(text); return client.invalidateQueries(); };
  const restore = useMutation({ mutationFn: (id: string) => call("POST /api/facts/{id}/restore", { path: { id } }), onSuccess: done(t("facts.restored")) });
  const end = useMutation({ mutationFn: () => call("DELETE /api/facts", { query: named }), onSuccess: () => { onClose(); return done(t("facts.ended"))(); } });
  return (
    <div className="stack">
      {mayWrite && (
        <div className="row">
          <Button onClick={onChange}>{t("facts.change")}</Button>
          <Button variant="default" onClick={() => end.mutate()} loading={end.isPending}>{t("facts.end")}</Button>
        </div>
      )}
      <Loaded query={versions}>
        {({ items }) => (
          <ol className="lines">
            {items.map((one) => (
              <li key={one.id} className="spread" style={{ color: one.validTo ? "var(--soft)" : undefined }}>
                <span className="cut">
                  {one.validTo ? <s>{one.value}</s> : <b>{one.value}</b>}
                  <span className="small soft" style={{ display: "block" }}>
                    <When at={one.validFrom} /> · {told(`source.${one.source}`, one.source)}
                    {one.supersededBy && <> · {t("facts.superseded", { value: items.find((other) => other.id === one.supersededBy)?.value ?? "" })}</>}
                  </span>
                </span>
                {one.validTo && mayWrite && <Button variant="default" onClick={() => restore.mutate(one.id)} loading={restore.isPending}>{t("facts.restore")}</Button>}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <section className="stack">
        <h3 style={{ margin: 0 }}>{t("facts.why")}</h3>
        {current.provenance.length > 0 ? <Said ids={current.provenance} /> : <p className="soft small" style={{ margin: 0 }}>{current.sourceContext || t("facts.noWhy")}</p>}
      </section>
    </div>
  );
}

function SetFact({ draft: first, onClose }: { draft: Draft; onClose: () => void }) {
  const [draft, setDraft] = useState(first);
  const { choices } = usePeople();
  const save = useMutation({
    mutationFn: () => call("PUT /api/facts", { body: draft }),
    onSuccess: () => { say(t("memories.saved")); onClose(); return client.invalidateQueries(); },
    onError: () => {},
  });
  return (
    <Modal opened onClose={onClose} title={t("facts.add")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <TextInput label={t("facts.category")} data-autofocus required placeholder="preferences" value={draft.category} onChange={(event) => setDraft({ ...draft, category: event.currentTarget.value })} />
        <TextInput label={t("facts.key")} required placeholder="coffee_order" value={draft.key} onChange={(event) => setDraft({ ...draft, key: event.currentTarget.value })} />
        <Textarea label={t("facts.value")} required autosize value={draft.value} onChange={(event) => setDraft({ ...draft, value: event.currentTarget.value })} error={save.error ? explain(save.error) : undefined} />
        {choices.length > 0 && <Select label={t("memories.person")} clearable data={choices} value={draft.personId} onChange={(personId) => setDraft({ ...draft, personId })} />}
        <div className="row end"><Button variant="default" onClick={onClose}>{t("do.cancel")}</Button><Button type="submit" loading={save.isPending}>{t("do.save")}</Button></div>
      </form>
    </Modal>
  );
}

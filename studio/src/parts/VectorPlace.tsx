/** A vector store beside the database, such as Qdrant: switch it on, try it, clean it up. */
import { Button, NumberInput, PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Answer, call } from "../api/client";
import type { VectorPlaceChange } from "../api/types.gen";
import { useMayWrite, useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { LayerTag, Loaded, Sheet } from "./pieces";
import { client, explain } from "./queries";
import { say } from "./state";

type Place = Answer<"GET /api/settings/vectors">;
const STORES = ["qdrant", "chroma", "sqlite-vec"];

export function VectorPlace() {
  const { space, role } = useSession();
  const mayWrite = useMayWrite();
  const place = useQuery({ queryKey: ["vectors", space], queryFn: () => call("GET /api/settings/vectors") });
  return (
    <Sheet title={t("store.title")}>
      <Loaded query={place}>
        {(now) => (
          <div className="stack">
            <p className="soft small" style={{ margin: 0 }}>{now.enabled ? t("store.on", { store: now.store }) : t("store.off", { store: now.store })}</p>
            {role === "admin" && <Form key={JSON.stringify(now)} now={now} />}
            <Trial />
            {mayWrite && <Cleanup />}
          </div>
        )}
      </Loaded>
    </Sheet>
  );
}

function Form({ now }: { now: Place }) {
  const [draft, setDraft] = useState<VectorPlaceChange>({ enabled: now.enabled, host: now.host, port: now.port, grpcPort: now.grpcPort, tls: now.tls, collection: now.collection, quantisation: now.quantisation, ...(now.enabled && STORES.includes(now.store) && { store: now.store }) });
  const set = (part: VectorPlaceChange) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => call("PUT /api/settings/vectors", { body: sent(draft) }),
    onSuccess: () => { say(t("memories.saved")); return client.invalidateQueries(); },
    onError: () => {},
  });
  const forget = useMutation({
    mutationFn: () => call("PUT /api/settings/vectors", { body: { apiKey: "" } }),
    onSuccess: () => { say(t("store.noKey")); return client.invalidateQueries(); },
  });
  const number = (value: number | string) => (value === "" ? null : Number(value));
  return (
    <form className="stack" onSubmit={(event: FormEvent) => { event.preventDefault(); save.mutate(); }}>
      <Switch label={t("store.enable")} checked={draft.enabled === true} onChange={(event) => set({ enabled: event.currentTarget.checked })} />
      {draft.enabled && (
        <div className="grid" style={{ gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 10rem), 1fr))" }}>
          <Select label={t("store.kind")} allowDeselect={false} data={STORES} value={draft.store ?? "qdrant"} onChange={(store) => set({ store: store ?? "qdrant" })} />
          <TextInput label={t("store.host")} value={draft.host ?? ""} onChange={(event) => set({ host: event.currentTarget.value })} />
          <NumberInput label={t("store.port")} placeholder="6333" min={1} max={65535} value={draft.port ?? ""} onChange={(port) => set({ port: number(port) })} />
          <NumberInput label={t("store.grpc")} min={1} max={65535} value={draft.grpcPort ?? ""} onChange={(grpcPort) => set({ grpcPort: number(grpcPort) })} />
          <TextInput label={t("store.collection")} value={draft.collection ?? ""} onChange={(event) => set({ collection: event.currentTarget.value })} />
          <Select label={t("store.quantisation")} allowDeselect={false} data={["none", "int8", "binary"]} value={draft.quantisation ?? "none"} onChange={(one) => set({ quantisation: one as VectorPlaceChange["quantisation"] })} />
          <PasswordInput label={t("store.key")} placeholder={now.hasApiKey ? t("store.kept") : ""} autoComplete="off" value={draft.apiKey ?? ""} onChange={(event) => set({ apiKey: event.currentTarget.value })} visibilityToggleButtonProps={{ "aria-hidden": true }} />
          <Switch label={t("store.tls")} checked={draft.tls === true} onChange={(event) => set({ tls: event.currentTarget.checked })} style={{ alignSelf: "end", paddingBottom: "0.5rem" }} />
        </div>
      )}
      {save.error && <p role="alert" className="small" style={{ color: "var(--bad)", margin: 0 }}>{explain(save.error)}</p>}
      <div className="row end">
        {now.hasApiKey && <Button variant="default" onClick={() => forget.mutate()} loading={forget.isPending}>{t("store.forgetKey")}</Button>}
        <Button type="submit" loading={save.isPending}>{t("do.save")}</Button>
      </div>
    </form>
  );
}

/** An empty key leaves the one that is kept. */
function sent(draft: VectorPlaceChange): VectorPlaceChange {
  if (!draft.enabled) return { enabled: false };
  const { apiKey, ...rest } = draft;
  return { ...rest, store: draft.store ?? "qdrant", ...(apiKey && { apiKey }) };
}

function Trial() {
  const language = useLanguage();
  const [query, setQuery] = useState("");
  const health = useMutation({ mutationFn: () => call("GET /api/settings/vectors/health") });
  const search = useMutation({ mutationFn: () => call("POST /api/settings/vectors/search", { body: { query: query.trim(), topK: 5 } }), onError: () => {} });
  return (
    <section className="stack" style={{ gap: "0.6rem" }}>
      <div className="row">
        <Button variant="default" onClick={() => health.mutate()} loading={health.isPending}>{t("store.ask")}</Button>
        {health.data && <span className="row small" role="status"><span className={`dot ${health.data.ok ? "good" : "bad"}`} /> <span className="cut">{health.data.ok ? t("setup.answers", { ms: Math.round(health.data.latencyMs) }) : health.data.error}</span></span>}
      </div>
      <form className="row" onSubmit={(event: FormEvent) => { event.preventDefault(); if (query.trim()) search.mutate(); }}>
        <TextInput style={{ flex: "1 1 14rem" }} aria-label={t("store.search")} placeholder={t("store.search")} value={query} onChange={(event) => setQuery(event.currentTarget.value)} error={search.error ? explain(search.error) : undefined} />
        <Button type="submit" variant="default" disabled={!query.trim()} loading={search.isPending}>{t("store.try")}</Button>
      </form>
      {search.data && (
        <ol className="lines small" aria-label={t("store.search")}>
          {search.data.hits.map((hit) => <li key={hit.id} className="spread"><span className="cut"><LayerTag layer={hit.layer} /> {hit.text.slice(0, 160)}</span><b>{hit.score.toLocaleString(language, { maximumFractionDigits: 3 })}</b></li>)}
          {search.data.hits.length === 0 && <li className="soft">{t("play.nothing")}</li>}
        </ol>
      )}
    </section>
  );
}

function Cleanup() {
  const clean = useMutation({ mutationFn: (dryRun: boolean) => call("POST /api/settings/vectors/cleanup", { body: { dryRun } }), onError: () => {} });
  const done = clean.data;
  return (
    <section>
      <div className="row">
        <Button variant="default" onClick={() => clean.mutate(true)} loading={clean.isPending}>{t("store.count")}</Button>
        {done?.dryRun && <Button onClick={() => clean.mutate(false)} loading={clean.isPending}>{t("store.clean")}</Button>}
      </div>
      <div role="status" className="small" style={{ marginTop: done || clean.error ? "0.5rem" : 0 }}>
        {clean.error && <span style={{ color: "var(--warn)" }}>{explain(clean.error)}</span>}
        {done && (done.dryRun ? t("store.counted", { expired: done.expired, older: done.older, awaiting: done.awaiting }) : t("store.cleaned", { added: done.added, removed: done.removed }))}
      </div>
    </section>
  );
}

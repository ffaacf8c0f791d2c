import { Button, Progress } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type Answer, call } from "../api/client";
import { AtOnce } from "../parts/AtOnce";
import { Connections } from "../parts/Connections";
import { counted, nameOfSweep, schedule } from "../parts/names";
import { Options } from "../parts/Options";
import { Figures, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client } from "../parts/queries";
import { RunLine } from "../parts/runs";
import { VectorPlace } from "../parts/VectorPlace";
import { say } from "../parts/state";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";

type Status = Answer<"GET /api/memory/engine-status">;
const RERANKER = ["rerankEnabled", "rerankProviderModel"];
const DOTS: Record<string, string> = { ready: "good", failing: "bad", missing: "warn" };

export default function Engine() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const status = useQuery({ queryKey: ["engine", space], queryFn: () => call("GET /api/memory/engine-status"), refetchInterval: 5_000 });
  const check = useMutation({ mutationFn: () => call("GET /api/memory/health") });
  return (
    <Page title="engine.title" lead="engine.lead" actions={<Button variant="default" onClick={() => check.mutate()} loading={check.isPending}>{t("engine.test")}</Button>}>
      <AtOnce>
        <div className="stack">
          {check.data && (
            <Sheet title={check.data.working ? t("engine.works") : t("home.less")}>
              <div className="row">{check.data.steps.map((step) => <span key={step.name} className="tag"><span className={`dot ${step.ok ? "good" : "bad"}`} /> {told(`step.${step.name}`, step.name)} {Math.round(step.milliseconds)} ms</span>)}</div>
              {check.data.reasons.map((reason) => <p key={reason} className="small cut">{reason}</p>)}
            </Sheet>
          )}
          <Loaded query={status}>
            {(data) => (
              <>
                <Parts data={data} />
                <div className="columns">
                  <div className="stack"><Sources /><VectorPlace /></div>
                  <div className="stack"><Reindex data={data} mayWrite={mayWrite} /><Sheet title={t("setup.models")}><Connections /></Sheet><Sheet title={t("engine.reranker")}><Options only={RERANKER} /></Sheet></div>
                </div>
              </>
            )}
          </Loaded>
          <Sweeps mayWrite={mayWrite} />
          <Failed mayWrite={mayWrite} />
          <Sheet title={t("engine.options")}><Options /></Sheet>
        </div>
      </AtOnce>
    </Page>
  );
}

function Parts({ data }: { data: Status }) {
  const parts: [string, string, string, string | null][] = [
    [t("engine.terms"), data.terms.state, data.terms.engine, data.terms.problem],
    [t("engine.embedding"), data.embedding.state, [data.embedding.source, data.embedding.model, data.embedding.dimensions].filter(Boolean).join(" · "), data.embedding.problem ?? data.embedding.advice],
    [t("engine.vectors"), data.vectorStore.state, data.vectorStore.name, data.vectorStore.problem],
    [t("engine.late"), data.late.state, data.late.model ?? "", null],
    [t("engine.reranker"), data.reranker.state, data.reranker.model ?? data.reranker.source, data.reranker.problem],
    [t("engine.worth"), data.worth.state, data.worth.model, data.worth.problem],
  ];
  return (
    <>
      <Figures>
        {parts.map(([name, state, detail, problem]) => (
          <div className="figure" key={name}>
            <div className="row" style={{ flexWrap: "nowrap" }}><span className={`dot ${DOTS[state] ?? ""}`} /> <strong>{name}</strong></div>
            <span className="cut" style={{ display: "block" }}>{[told(`state.${state}`, state), detail].filter(Boolean).join(" · ")}</span>
            {problem && <span className="cut" style={{ color: "var(--warn)" }}>{problem}</span>}
          </div>
        ))}
      </Figures>
      {data.lastErrors.length > 0 && (
        <Sheet title={t("engine.errors")}>
          <ul className="lines small">{data.lastErrors.map((one) => <li key={one.part + one.at} className="cut"><b>{one.part}</b> · {one.message} · <When at={one.at} /></li>)}</ul>
        </Sheet>
      )}
    </>
  );
}

function Sources() {
  const { role } = useSession();
  const sources = useQuery({ queryKey: ["sources"], queryFn: () => call("GET /api/memory/embedding-providers") });
  const choose = useMutation({
    mutationFn: (embeddingSource: string) => call("PUT /api/settings/memory", { query: { scope: "server" }, body: { embeddingSource } }),
    onSuccess: () => { say(t("memories.saved")); return client.invalidateQueries(); },
  });
  return (
    <Sheet title={t("engine.sources")}>
      <Loaded query={sources}>
        {({ items }) => (
          <ul className="lines">
            {items.map((one) => (
              <li key={one.source} className="spread">
                <span className="cut"><span className="row"><span className={`dot ${one.inUse ? "good" : ""}`} /> <b>{one.source}</b> {one.model && <span className="soft small">{one.model}{one.dimensions && ` · ${one.dimensions}`}</span>}</span><span className="soft small">{one.reason}</span></span>
                {role === "admin" && one.available && !one.inUse && <Button variant="default" onClick={() => choose.mutate(one.source)} loading={choose.isPending} aria-label={`${t("engine.use")}: ${one.source}`}>{t("engine.use")}</Button>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Sheet>
  );
}

function Reindex({ data, mayWrite }: { data: Status; mayWrite: boolean }) {
  const { space } = useSession();
  const language = useLanguage();
  const progress = useQuery({ queryKey: ["reindex", space], queryFn: () => call("GET /api/memory/reindex"), refetchInterval: (query) => (query.state.data?.running ? 500 : 5_000) });
  const start = useMutation({ mutationFn: (force: boolean) => call("POST /api/memory/reindex", { body: { force } }), onSuccess: () => client.invalidateQueries({ queryKey: ["reindex"] }) });
  const now = progress.data ?? data.reindex;
  const percent = now.total > 0 ? Math.round((100 * now.done) / now.total) : 100;
  return (
    <Sheet title={t("engine.index")}>
      <table className="plain">
        <thead><tr><th scope="col">{t("play.layers")}</th><th scope="col">{t("engine.records")}</th><th scope="col">{t("engine.withVector")}</th></tr></thead>
        <tbody>{Object.entries(data.layers).map(([layer, count]) => <tr key={layer}><td>{told(`layer.${layer}`, layer)}</td><td>{count.total.toLocaleString(language)}</td><td>{count.embedded.toLocaleString(language)}</td></tr>)}</tbody>
      </table>
      <div className="stack" style={{ marginTop: "0.8rem" }}>
        {now.running && <Progress value={percent} aria-label={t("engine.progress")} />}
        <p className="small soft" role="status" style={{ margin: 0 }}>{now.running ? t("engine.running", { done: now.done, total: now.total }) : now.error ?? t("engine.pending", { count: now.pending })}</p>
        {mayWrite && <div className="row"><Button variant="default" onClick={() => start.mutate(false)} disabled={now.running}>{t("engine.missing")}</Button><Button variant="default" onClick={() => start.mutate(true)} disabled={now.running}>{t("engine.anew")}</Button></div>}
      </div>
    </Sheet>
  );
}

function Sweeps({ mayWrite }: { mayWrite: boolean }) {
  const { space } = useSession();
  const sweeps = useQuery({ queryKey: ["sweeps", space], queryFn: () => call("GET /api/upkeep"), refetchInterval: 5_000 });
  const history = useQuery({ queryKey: ["runs", space, "all"], queryFn: () => call("GET /api/upkeep/history", { query: { limit: 12 } }), refetchInterval: 5_000 });
  const run = useMutation({
    mutationFn: ({ name, dryRun }: { name: string; dryRun: boolean }) => call("POST /api/upkeep/{name}/run", { path: { name }, body: { dryRun } }),
    onSuccess: (done) => {
      const counts = counted(done.counts);
      say(`${nameOfSweep(done.sweep)}: ${told(`run.${done.status}`, done.status)}${counts && ` (${counts})`}${done.dryRun ? ` · ${t("run.dry")}` : ""}`);
      return client.invalidateQueries();
    },
  });
  return (
    <div className="grid wide">
      <Sheet title={t("engine.sweeps")}>
        <Loaded query={sweeps}>
          {({ items }) => (
            <ul className="lines">
              {items.map((one) => (
                <li key={one.name} className="spread">
                  <span className="cut"><span className="row"><span className={`dot ${one.problem || one.lastFailure ? "bad" : one.running ? "warn" : one.enabled ? "good" : ""}`} /> <b>{nameOfSweep(one.name)}</b></span><span className="soft small">{one.running ? t("engine.isRunning") : one.enabled ? t("engine.due", { count: one.due ?? 0 }) : t("state.off")}{one.schedule && ` · ${schedule(one.schedule)}`}</span>{(one.problem ?? one.lastFailure?.message) && <span className="small" style={{ color: "var(--warn)", display: "block" }}>{one.problem ?? one.lastFailure?.message}</span>}</span>
                  {mayWrite && <span className="row" style={{ flexWrap: "nowrap" }}><Button variant="default" size="xs" onClick={() => run.mutate({ name: one.name, dryRun: true })} aria-label={`${t("engine.dry")}: ${nameOfSweep(one.name)}`}>{t("engine.dry")}</Button><Button variant="default" size="xs" onClick={() => run.mutate({ name: one.name, dryRun: false })} loading={run.isPending && run.variables.name === one.name && !run.variables.dryRun} aria-label={`${t("engine.run")}: ${nameOfSweep(one.name)}`}>{t("engine.run")}</Button></span>}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Sheet>
      <Sheet title={t("engine.history")}>
        <Loaded query={history}>{({ items }) => items.length === 0 ? <p className="soft">{t("home.noRuns")}</p> : <ul className="lines">{items.map((one) => <RunLine key={one.id} run={one} />)}</ul>}</Loaded>
      </Sheet>
    </div>
  );
}

function Failed({ mayWrite }: { mayWrite: boolean }) {
  const { space } = useSession();
  const failed = useQuery({ queryKey: ["failed", space], queryFn: () => call("GET /api/extractions", { query: { status: "failed", limit: 50 } }) });
  const retry = useMutation({
    mutationFn: () => call("POST /api/upkeep/extract", { query: { retry: true } }),
    onSuccess: (run) => { say(t("engine.retried", { count: run.retried })); return client.invalidateQueries(); },
  });
  if (!failed.data || failed.data.items.length === 0) return null;
  return (
    <Sheet title={t("engine.failed")} actions={mayWrite && <Button onClick={() => retry.mutate()} loading={retry.isPending}>{t("do.retry")}</Button>}>
      <ul className="lines small">{failed.data.items.map((one) => <li key={one.id} className="cut"><b>{one.extractor}</b> · {one.sessionId} {one.firstPosition}–{one.lastPosition} · {one.reason} · <When at={one.at} /></li>)}</ul>
    </Sheet>
  );
}

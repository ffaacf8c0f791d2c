import { Button, Switch, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../api/client";
import type { Preview } from "../api/shapes";
import { Hits } from "../parts/Hits";
import { Empty, Page, Sheet, Trouble, Waiting } from "../parts/pieces";
import { PromptHalves } from "../parts/PromptHalves";
import { RecallSettings } from "../parts/RecallSettings";
import { type Chosen, requestOf, USUAL } from "../parts/request";
import { t } from "../text";

export default function Playground() {
  const [query, setQuery] = useState("");
  const [compare, setCompare] = useState(false);
  const [sides, setSides] = useState<[Chosen, Chosen]>([USUAL, { ...USUAL, strategy: "recent" }]);
  const [asked, setAsked] = useState<string | null>(null);
  const [ran, setRan] = useState<Chosen[]>([]);
  const shown = compare ? sides : [sides[0]];
  const run = useMutation({
    mutationFn: () => Promise.all(shown.map((side) => call("POST /api/memory/retrieve-preview", { body: requestOf(query.trim(), side) }))),
    onError: () => {},
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!query.trim()) return;
    setAsked(query.trim());
    setRan(shown);
    run.mutate();
  }

  const change = (at: number, side: Chosen) => setSides(at === 0 ? [side, sides[1]] : [sides[0], side]);
  return (
    <Page title="play.title" lead="play.lead">
      <form onSubmit={submit} className="stack">
        <div className="sheet stack">
          <Textarea label={t("play.query")} placeholder={t("play.queryHint")} autosize minRows={1} maxRows={6} value={query} onChange={(event) => setQuery(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Enter" && !event.shiftKey) submit(event); }} />
          <div className={compare ? "grid wide" : "stack"}>
            {shown.map((side, at) => (
              <RecallSettings key={at} legend={compare ? t("play.settings", { name: "AB"[at] ?? "" }) : undefined} value={side} onChange={(next) => change(at, next)} />
            ))}
          </div>
          <div className="spread">
            <Switch label={t("play.compare")} checked={compare} onChange={(event) => { setCompare(event.currentTarget.checked); run.reset(); }} />
            <Button type="submit" loading={run.isPending} disabled={!query.trim()}>{t("play.run")}</Button>
          </div>
        </div>
      </form>
      <div className="stack" style={{ marginTop: "1rem" }} aria-live="polite">
        {run.isPending && <Waiting />}
        {run.error && <Trouble error={run.error} retry={() => run.mutate()} />}
        {!run.data && !run.isPending && !run.error && <Sheet><Empty icon="playground" title={t("play.start")} hint={t("play.startHint")} /></Sheet>}
        {run.data && (
          <div className={run.data.length > 1 ? "grid wide" : "stack"}>
            {run.data.map((preview, at) => <Result key={at} preview={preview} name={run.data.length > 1 ? ("AB"[at] ?? "") : null} />)}
          </div>
        )}
        {run.data && asked && (
          <div className={run.data.length > 1 ? "grid wide" : "stack"}>
            {run.data.map((_, at) => <PromptHalves key={at} query={asked} chosen={ran[at] ?? USUAL} name={run.data.length > 1 ? ("AB"[at] ?? "") : null} />)}
          </div>
        )}
      </div>
    </Page>
  );
}

function Result({ preview, name }: { preview: Preview; name: string | null }) {
  const said = t("play.answered", { engine: preview.engine, ms: Math.round(preview.latencyMs), tokens: preview.tokens });
  return (
    <Sheet title={name ? `${t("play.settings", { name })} · ${t("play.results", { count: preview.hits.length })}` : t("play.results", { count: preview.hits.length })}>
      <p className="soft small" style={{ marginTop: 0 }}>{said}</p>
      {preview.degraded.map((reason) => <p key={reason} className="small" style={{ color: "var(--warn)" }}>{t("play.fallback", { reason })}</p>)}
      {preview.hits.length === 0 ? <Empty icon="search" title={t("play.nothing")} hint={t("play.nothingHint")} /> : <Hits hits={preview.hits} />}
    </Sheet>
  );
}

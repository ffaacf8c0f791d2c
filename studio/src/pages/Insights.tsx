import { Button, Drawer, Select, Slider, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, call } from "../api/client";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client } from "../parts/queries";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { day } from "../text/dates";

type Ranked = Answer<"GET /api/insights">["items"][number];
type Kind = Ranked["insight"]["kind"];
const KINDS: Kind[] = ["decision", "task", "question", "meeting", "incident", "bug_report", "feature_request", "relationship", "preference", "event"];
const ARROWS = { rising: "↗", stable: "→", falling: "↘" };

export default function Insights() {
  const { space } = useSession();
  const [kind, setKind] = useState<Kind | null>(null);
  const [favourite, setFavourite] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const insights = useQuery({
    queryKey: ["insights", space, kind, favourite],
    queryFn: () => call("GET /api/insights", { query: { limit: 100, kind: kind ? [kind] : undefined, favourite: favourite || undefined } }),
  });
  const shown = insights.data?.items.find((one) => one.insight.id === open);
  return (
    <Page title="insights.title" lead="insights.lead">
      <div className="stack">
        <div className="row">
          <Select aria-label={t("insights.kind")} placeholder={t("insights.kind")} clearable data={KINDS.map((one) => ({ value: one, label: told(`kind.${one}`, one) }))} value={kind} onChange={(one) => setKind(one as Kind | null)} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <Switch label={t("insights.favourites")} checked={favourite} onChange={(event) => setFavourite(event.currentTarget.checked)} />
        </div>
        <Loaded query={insights}>
          {({ items }) => items.length === 0 ? <Sheet><Empty icon="insights" title={t("insights.none")} hint={t("insights.noneHint")} /></Sheet> : (
            <Sheet><ol className="lines">{items.map((one) => <Line key={one.insight.id} one={one} onOpen={() => setOpen(one.insight.id)} />)}</ol></Sheet>
          )}
        </Loaded>
      </div>
      <Drawer opened={shown !== undefined} onClose={() => setOpen(null)} position="right" size="lg" title={shown && told(`kind.${shown.insight.kind}`, shown.insight.kind)} closeButtonProps={{ "aria-label": t("do.close") }}>
        {shown && <Detail key={shown.insight.id} one={shown} />}
      </Drawer>
    </Page>
  );
}

function Line({ one, onOpen }: { one: Ranked; onOpen: () => void }) {
  const language = useLanguage();
  const { insight, weights } = one;
  const view = useMutation({ mutationFn: () => call("POST /api/insights/{id}/view", { path: { id: insight.id } }) });
  return (
    <li className="spread">
      <div>
        <button type="button" className="plainbutton" onClick={() => { view.mutate(); onOpen(); }}>{weights.favourite && "★ "}{insight.title}</button>
        <div className="row soft small">
          <span className="tag layer" style={{ color: "var(--layer-insight)" }}>{told(`kind.${insight.kind}`, insight.kind)}</span>
          <span>{ARROWS[weights.trend]} {told(`trend.${weights.trend}`, weights.trend)}</span>
          <span>{told(`insights.${weights.activity}`, weights.activity)}</span>
          {insight.dueAt && <span>{t("insights.due", { date: day(insight.dueAt, language) })}</span>}
          <When at={insight.observedAt} />
        </div>
      </div>
      <b>{weights.rankScore.toLocaleString(language, { maximumFractionDigits: 2 })}</b>
    </li>
  );
}

function Detail({ one: { insight, weights } }: { one: Ranked }) {
  const mayWrite = useMayWrite();
  const [weight, setWeight] = useState(weights.customWeightMultiplier);
  const refresh = { onSuccess: () => client.invalidateQueries({ queryKey: ["insights"] }) };
  const path = { id: insight.id };
  const favour = useMutation({ mutationFn: () => call(weights.favourite ? "DELETE /api/insights/{id}/favourite" : "POST /api/insights/{id}/favourite", { path }), ...refresh });
  const close = useMutation({ mutationFn: () => call(insight.status === "open" ? "POST /api/insights/{id}/resolve" : "POST /api/insights/{id}/reopen", { path }), ...refresh });
  const weigh = useMutation({ mutationFn: (multiplier: number) => call("PUT /api/insights/{id}/weight", { path, body: { multiplier } }), ...refresh });
  return (
    <div className="stack">
      <h2 style={{ margin: 0 }}>{insight.title}</h2>
      {insight.description && <p className="pre">{insight.description}</p>}
      {mayWrite && (
        <>
          <div className="row">
            <Button onClick={() => favour.mutate()} loading={favour.isPending}>{t(weights.favourite ? "insights.unfavourite" : "insights.favourite")}</Button>
            <Button variant="default" onClick={() => close.mutate()} loading={close.isPending}>{t(insight.status === "open" ? "insights.close" : "insights.reopen")}</Button>
          </div>
          <div><h3>{t("insights.weight")}</h3><Slider min={0.1} max={3} step={0.1} value={weight} onChange={setWeight} onChangeEnd={(value) => weigh.mutate(value)} thumbLabel={t("insights.weight")} /></div>
        </>
      )}
      {insight.timeline.length > 0 && (
        <section><h3>{t("insights.timeline")}</h3><ol className="lines small">{insight.timeline.map((event, at) => <li key={at} className="cut">{Object.values(event).filter((value) => typeof value === "string").join(" · ")}</li>)}</ol></section>
      )}
    </div>
  );
}

/** One insight, whole: what was said of it, what became of it, and how much it counts. */
import { Button, Drawer, Slider } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, call } from "../api/client";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { day } from "../text/dates";
import { Loaded, When } from "./pieces";
import { client } from "./queries";
import { Quote, Said } from "./Said";
import { say } from "./state";
import { undoLast } from "./undo";

type Ranked = Answer<"GET /api/insights/{id}">;
type Insight = Ranked["insight"];
export const ARROWS = { rising: "↗", stable: "→", falling: "↘" };

export function InsightDetail({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const { space } = useSession();
  const insight = useQuery({ queryKey: ["insights", space, "one", id], queryFn: () => call("GET /api/insights/{id}", { path: { id: id! } }), enabled: id !== undefined });
  return (
    <Drawer opened={id !== undefined} onClose={onClose} position="right" size="lg" title={t("insights.detail")} closeButtonProps={{ "aria-label": t("do.close") }}>
      {id !== undefined && <Loaded query={insight}>{(one) => <Detail key={one.insight.id} one={one} onClose={onClose} />}</Loaded>}
    </Drawer>
  );
}

function Detail({ one, onClose }: { one: Ranked; onClose: () => void }) {
  const { insight, weights } = one;
  const mayWrite = useMayWrite();
  const quoted = insight.details.filter((line) => !line["messageId"]);
  const sources = [...new Set([...insight.provenance, ...insight.details.flatMap((line) => (line["messageId"] ? String(line["messageId"]) : []))])];
  return (
    <div className="stack">
      <div>
        <h2 style={{ margin: "0 0 0.4rem" }}>{insight.title}</h2>
        <div className="row soft small">
          <span className="tag layer" style={{ color: "var(--layer-insight)" }}>{told(`kind.${insight.kind}`, insight.kind)}</span>
          <span className="tag">{t(`insights.is.${insight.status}`)}</span>
          <span>{ARROWS[weights.trend]} {told(`trend.${weights.trend}`, weights.trend)}</span>
          <span>{told(`insights.${weights.activity}`, weights.activity)}</span>
        </div>
      </div>
      {insight.description && insight.description !== insight.title && <p className="pre">{insight.description}</p>}
      {mayWrite && <Acts one={one} onClose={onClose} />}
      <Facets one={one} />
      {(sources.length > 0 || quoted.length > 0) && (
        <section className="stack">
          <h3 style={{ margin: 0 }}>{t("insights.said")}</h3>
          {quoted.map((line, at) => <Quote key={at} who={String(line["name"] ?? "")} at={String(line["at"])} text={String(line["text"] ?? "")} />)}
          <Said ids={sources} />
        </section>
      )}
      {insight.timeline.length > 0 && <section><h3 style={{ margin: 0 }}>{t("insights.timeline")}</h3><Timeline insight={insight} /></section>}
    </div>
  );
}

function Acts({ one: { insight, weights }, onClose }: { one: Ranked; onClose: () => void }) {
  const [weight, setWeight] = useState(weights.customWeightMultiplier);
  const refresh = { onSuccess: () => client.invalidateQueries({ queryKey: ["insights"] }) };
  const path = { id: insight.id };
  const isOpen = insight.status === "open";
  const favour = useMutation({ mutationFn: () => call(weights.favourite ? "DELETE /api/insights/{id}/favourite" : "POST /api/insights/{id}/favourite", { path }), ...refresh });
  const close = useMutation({
    mutationFn: () => (isOpen ? call("POST /api/insights/{id}/resolve", { path, body: {} }) : call("POST /api/insights/{id}/reopen", { path })),
    ...refresh,
  });
  const weigh = useMutation({ mutationFn: (multiplier: number) => call("PUT /api/insights/{id}/weight", { path, body: { multiplier } }), ...refresh });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/insights/{id}", { path }),
    onSuccess: () => {
      onClose();
      say(t("memories.deleted", { count: 1 }), { undo: () => void undoLast([insight.id], "forgotten") });
      return client.invalidateQueries();
    },
  });
  return (
    <>
      <div className="row">
        <Button onClick={() => close.mutate()} loading={close.isPending}>{t(isOpen ? "insights.close" : "insights.reopen")}</Button>
        <Button variant="default" onClick={() => favour.mutate()} loading={favour.isPending}>{t(weights.favourite ? "insights.unfavourite" : "insights.favourite")}</Button>
        <Button variant="default" color="red" onClick={() => remove.mutate()} loading={remove.isPending}>{t("do.delete")}</Button>
      </div>
      <div>
        <h3 style={{ margin: "0 0 0.4rem" }}>{t("insights.weight")}</h3>
        <Slider min={0.1} max={3} step={0.1} value={weight} onChange={setWeight} onChangeEnd={(value) => weigh.mutate(value)} thumbLabel={t("insights.weight")} />
      </div>
    </>
  );
}

function Facets({ one: { insight, weights } }: { one: Ranked }) {
  const language = useLanguage();
  const number = (value: number) => value.toLocaleString(language, { maximumFractionDigits: 2 });
  const facets: [string, string | null][] = [
    [t("insights.people"), insight.people.join(", ") || null],
    [t("insights.where"), [...insight.platforms, ...insight.channels].join(" · ") || null],
    [t("insights.dueAt"), insight.dueAt && day(insight.dueAt, language)],
    [t("insights.importance"), told(`level.${insight.importance}`, insight.importance)],
    [t("insights.urgency"), told(`level.${insight.urgency}`, insight.urgency)],
    [t("insights.because"), insight.closedBecause && told(`because.${insight.closedBecause}`, insight.closedBecause)],
    [t("insights.rank"), t("insights.counts", { rank: number(weights.rankScore), value: number(weights.valueScore), boost: number(weights.boost), decay: number(weights.decay) })],
    [t("insights.views"), t("insights.viewed", { week: weights.accessCount7d, month: weights.accessCount30d })],
  ];
  return (
    <dl className="pairs">
      {facets.filter(([, value]) => value).map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

function Timeline({ insight }: { insight: Insight }) {
  return (
    <ol className="lines small">
      {insight.timeline.map((line, at) => (
        <li key={at} className="spread"><span>{told(`became.${String(line["event"])}`, String(line["event"]))}</span><span className="soft"><When at={String(line["at"])} /></span></li>
      ))}
    </ol>
  );
}

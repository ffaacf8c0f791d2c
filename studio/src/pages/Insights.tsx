import { Button, Drawer, Select, Switch } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Answer, call } from "../api/client";
import { ARROWS, InsightDetail } from "../parts/InsightDetail";
import { Options } from "../parts/Options";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { useMost } from "../parts/useMost";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { day } from "../text/dates";

export type Ranked = Answer<"GET /api/insights">["items"][number];
type Kind = Ranked["insight"]["kind"];
type Status = Ranked["insight"]["status"];
const KINDS: Kind[] = ["decision", "task", "question", "meeting", "incident", "bug_report", "feature_request", "relationship", "preference", "event"];
const OPTIONS = ["insights", "insightPeople", "insightTopics", "mutedChannels", "promptDigestDays"];
const FIRST = 100;

export default function Insights() {
  const { space } = useSession();
  const { id } = useSearch({ strict: false }) as { id?: string };
  const navigate = useNavigate();
  const [kind, setKind] = useState<Kind | null>(null);
  const [status, setStatus] = useState<Status | null>(null);
  const [favourite, setFavourite] = useState(false);
  const { most, more } = useMost(FIRST);
  const [tuning, setTuning] = useState(false);
  const insights = useQuery({
    queryKey: ["insights", space, kind, status, favourite, most],
    placeholderData: keepPreviousData,
    queryFn: () => call("GET /api/insights", { query: { limit: most, kind: kind ? [kind] : undefined, status: status ?? undefined, favourite: favourite || undefined } }),
  });
  const go = (search: Record<string, string>) => void navigate({ to: "/studio/insights", search });
  return (
    <Page title="insights.title" lead="insights.lead" actions={<Button variant="default" onClick={() => setTuning(true)}>{t("insights.settings")}</Button>}>
      <div className="stack">
        <div className="row">
          <Select aria-label={t("insights.kind")} placeholder={t("insights.kind")} clearable data={KINDS.map((one) => ({ value: one, label: told(`kind.${one}`, one) }))} value={kind} onChange={(one) => setKind(one as Kind | null)} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <Select aria-label={t("insights.status")} placeholder={t("insights.status")} clearable data={(["open", "closed"] as const).map((one) => ({ value: one, label: t(`insights.is.${one}`) }))} value={status} onChange={(one) => setStatus(one as Status | null)} clearButtonProps={{ "aria-label": t("memories.clear") }} />
          <Switch label={t("insights.favourites")} checked={favourite} onChange={(event) => setFavourite(event.currentTarget.checked)} />
        </div>
        <Loaded query={insights}>
          {({ items }) => items.length === 0 ? <Sheet><Empty icon="insights" title={t("insights.none")} hint={t("insights.noneHint")} /></Sheet> : (
            <Sheet><ol className="lines">{items.map((one) => <Line key={one.insight.id} one={one} onOpen={() => go({ id: one.insight.id })} />)}</ol>{more(items.length, insights.isPlaceholderData)}</Sheet>
          )}
        </Loaded>
      </div>
      <InsightDetail id={id} onClose={() => go({})} />
      <Drawer opened={tuning} onClose={() => setTuning(false)} position="right" size="lg" title={t("insights.settings")} closeButtonProps={{ "aria-label": t("do.close") }}>
        {tuning && <Options only={OPTIONS} onSaved={() => setTuning(false)} />}
      </Drawer>
    </Page>
  );
}

function Line({ one, onOpen }: { one: Ranked; onOpen: () => void }) {
  const language = useLanguage();
  const { insight, weights } = one;
  const mayWrite = useMayWrite();
  const view = useMutation({ mutationFn: () => call("POST /api/insights/{id}/view", { path: { id: insight.id } }) });
  const isClosed = insight.status === "closed";
  return (
    <li className="spread">
      <div>
        <button type="button" className={isClosed ? "plainbutton soft" : "plainbutton"} onClick={() => { if (mayWrite) view.mutate(); onOpen(); }}>{weights.favourite && "★ "}{insight.title}</button>
        <div className="row soft small">
          <span className="tag layer" style={{ color: "var(--layer-insight)" }}>{told(`kind.${insight.kind}`, insight.kind)}</span>
          {isClosed && <span className="tag">{t("insights.is.closed")}</span>}
          <span>{ARROWS[weights.trend]} {told(`trend.${weights.trend}`, weights.trend)}</span>
          <span>{told(`insights.${weights.activity}`, weights.activity)}</span>
          {insight.dueAt && <span>{t("insights.due", { date: day(insight.dueAt, language) })}</span>}
          <When at={insight.observedAt} />
        </div>
      </div>
      <b title={t("insights.rank")}>{weights.rankScore.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })}</b>
    </li>
  );
}

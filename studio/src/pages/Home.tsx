import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../api/client";
import { Empty, Figures, Loaded, Page, Sheet, When } from "../parts/pieces";
import { Digest } from "../parts/Digest";
import { Growth } from "../parts/Growth";
import { RunLine } from "../parts/runs";
import { useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";

export default function Home() {
  const { space } = useSession();
  const stats = useQuery({ queryKey: ["stats", space], queryFn: () => call("GET /api/stats"), refetchInterval: 10_000 });
  const newest = useQuery({ queryKey: ["memories", space, "newest"], queryFn: () => call("GET /api/memory", { query: { limit: 6 } }) });
  return (
    <Page title="home.title" lead="home.lead">
      <Loaded query={stats}>
        {(data) => {
          const total = Object.values(data.layers).reduce((sum, one) => sum + one.total, 0);
          return (
            <div className="stack">
              {total === 0 && (
                <div className="sheet">
                  <Empty icon="memories" title={t("home.welcome")} hint={t("home.welcomeHint")}>
                    <Button component={Link} to="/studio/setup">{t("home.setUp")}</Button>
                    <Button variant="default" component={Link} to="/studio/memories?add=1">{t("home.addFirst")}</Button>
                  </Empty>
                </div>
              )}
              <Counts layers={data.layers} waiting={data.awaitingVectors} tokens={newest.data?.stats.tokensUsed ?? null} hitRate={newest.data?.stats.hitRate ?? null} />
              <div className="columns">
                <div className="stack">
                  <Sheet title={t("home.growth")}><Growth /></Sheet>
                  <Sheet title={t("home.latest")}>
                    <Loaded query={newest}>
                      {({ items }) =>
                        items.length === 0 ? <p className="soft">{t("memories.none")}</p> : (
                          <ul className="lines">
                            {items.map((one) => (
                              <li key={one.id} className="cut">
                                <Link to="/studio/memories" search={{ id: one.id }} style={{ color: "inherit", textDecoration: "none" }}>{one.content}</Link>
                                <div className="soft small"><When at={one.observedAt} /></div>
                              </li>
                            ))}
                          </ul>
                        )
                      }
                    </Loaded>
                  </Sheet>
                </div>
                <div className="stack">
                  <Sheet title={t("home.health")}><Condition degraded={data.degraded} /></Sheet>
                  <Sheet title={t("home.week")}><Digest /></Sheet>
                  <Sheet title={t("home.sweeps")}><LastRuns /></Sheet>
                </div>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

type Layers = Record<string, { total: number; embedded: number }>;

function Counts({ layers, waiting, tokens, hitRate }: { layers: Layers; waiting: number; tokens: number | null; hitRate: number | null }) {
  const language = useLanguage();
  const figures: [string, string][] = Object.entries(layers).map(([layer, { total }]) => [told(`layer.${layer}`, layer), total.toLocaleString(language)]);
  figures.push([t("home.tokens"), tokens === null ? "–" : tokens.toLocaleString(language)]);
  figures.push([t("home.hitRate"), hitRate === null ? "–" : hitRate.toLocaleString(language, { style: "percent" })]);
  figures.push([t("home.waiting"), waiting.toLocaleString(language)]);
  return (
    <Figures>
      {figures.map(([name, value]) => (
        <div className="figure" key={name}><b>{value}</b><span>{name}</span></div>
      ))}
    </Figures>
  );
}

function Condition({ degraded }: { degraded: string[] }) {
  if (degraded.length === 0) {
    return <p className="row"><span className="dot good" /> {t("home.fine")}</p>;
  }
  return (
    <>
      <p className="row"><span className="dot warn" /> {t("home.less")}</p>
      <ul>{degraded.map((reason) => <li key={reason} className="cut">{reason}</li>)}</ul>
    </>
  );
}

const RUNS = 100; // that are looked through for the last of each sweep
const MOST_RUNS = 6;

/** How each sweep went the last time, the newest first. */
function LastRuns() {
  const { space } = useSession();
  const history = useQuery({ queryKey: ["runs", space, "last"], queryFn: () => call("GET /api/upkeep/history", { query: { limit: RUNS } }) });
  return (
    <Loaded query={history}>
      {({ items }) => {
        const runs = items.filter((run, at) => items.findIndex(({ sweep }) => sweep === run.sweep) === at);
        return runs.length === 0 ? <p className="soft">{t("home.noRuns")}</p> : (
          <ul className="lines">{runs.slice(0, MOST_RUNS).map((run) => <RunLine key={run.id} run={run} />)}</ul>
        );
      }}
    </Loaded>
  );
}

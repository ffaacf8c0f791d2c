/** The memory part of a prompt, exactly as a model gets it, with the line where caches stop, and what is not in it. */
import { useQuery } from "@tanstack/react-query";
import { type Answer, call } from "../api/client";
import { useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { LayerTag, Loaded, Sheet } from "./pieces";
import { requestOf, type Chosen } from "./request";

type Prompt = Answer<"POST /api/prompt">;

export function PromptHalves({ query, chosen, name }: { query: string; chosen: Chosen; name: string | null }) {
  const { space } = useSession();
  const { limit, maxTokens, layers } = requestOf(query, chosen);
  const isApart = chosen.strategy || chosen.tier || chosen.asOf || chosen.rerank !== null || chosen.personHints.length > 0;
  const budget = maxTokens ? Math.max(maxTokens, 100) : undefined;
  const prompt = useQuery({
    queryKey: ["prompt", space, query, limit, budget, layers],
    queryFn: () => call("POST /api/prompt", { body: { query, limit, maxTokens: budget, layers, catchUp: false, explain: true } }),
  });
  return (
    <Sheet title={name ? `${t("play.prompt")} · ${t("play.settings", { name })}` : t("play.prompt")}>
      <Loaded query={prompt}>
        {(data) =>
          !data.enabled ? <p className="soft">{t("play.off")}</p> : (
            <>
              {isApart && <p className="soft small" style={{ marginTop: 0 }}>{t("play.promptSettings")}</p>}
              <h3>{t("play.stable")} <span className="soft small">{t("play.tokens", { count: data.tokens.stable })}</span></h3>
              <pre className="half pre mono" tabIndex={0}>{data.stable || t("play.emptyHalf")}</pre>
              <div className="boundary">{t("play.boundary")}</div>
              <h3>{t("play.volatile")} <span className="soft small">{t("play.tokens", { count: data.tokens.volatile })}</span></h3>
              <pre className="half pre mono" tabIndex={0}>{data.volatile || t("play.emptyHalf")}</pre>
              <LeftOut data={data} />
            </>
          )
        }
      </Loaded>
    </Sheet>
  );
}

const FIRST = 12;

function LeftOut({ data }: { data: Prompt }) {
  const language = useLanguage();
  const lines = data.leftOut.lines;
  const texts = new Map([...data.memories, ...lines].map((one) => [one.id, one.text]));
  if (lines.length === 0) return null;
  return (
    <details style={{ marginTop: "1rem" }} open={lines.length <= FIRST}>
      <summary><h3 style={{ display: "inline" }}>{t("play.leftOut", { count: lines.length })}</h3></summary>
      <ul className="lines small">
        {lines.map((line) => (
          <li key={line.layer + line.id}>
            <p className="pre" style={{ marginBottom: "0.25rem" }}>{line.text}</p>
            <div className="row soft">
              <LayerTag layer={line.layer} />
              <span style={{ color: "var(--warn)" }}>{told(`why.${line.reason}`, line.reason)}</span>
              <span>{t("part.score", { value: line.score.toLocaleString(language, { maximumFractionDigits: 3 }) })}</span>
            </div>
            {line.instead && texts.has(line.instead) && <p className="soft cut" style={{ margin: "0.2rem 0 0" }}>{t("play.instead", { text: texts.get(line.instead)!.slice(0, 160) })}</p>}
          </li>
        ))}
      </ul>
    </details>
  );
}

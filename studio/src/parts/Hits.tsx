/** What was recalled, best first, each with a bar that shows how its score is made. */
import type { Hit } from "../api/shapes";
import { useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { LayerTag, When } from "./pieces";
import { type Part, partColour, shares, widestOf } from "./score";

export function Hits({ hits }: { hits: Hit[] }) {
  const widest = widestOf(hits);
  return (
    <ol className="lines">
      {hits.map((hit) => <li key={hit.layer + hit.id}><One hit={hit} widest={widest} /></li>)}
    </ol>
  );
}

function One({ hit, widest }: { hit: Hit; widest: number }) {
  const language = useLanguage();
  const { space } = useSession();
  const made = shares(hit, widest);
  const number = (value: number) => value.toLocaleString(language, { maximumFractionDigits: 3, signDisplay: "negative" });
  const measured = (part: Part) => {
    if (part !== "terms" && part !== "vector" && part !== "late") return "";
    const value = hit[part];
    return value === null ? "" : ` (${t(`measure.${part}`, { value: number(value) })})`;
  };
  return (
    <>
      <p className={hit.until || hit.supersededBy ? "pre soft" : "pre"} style={{ marginBottom: "0.4rem" }}>{hit.text}</p>
      <div className="bar" role="img" aria-label={made.map(({ part, value }) => `${t(`part.${part}`)} ${number(value)}`).join(", ")}>
        {made.map(({ part, percent }) => <i key={part} style={{ width: `${percent}%`, background: partColour[part] }} />)}
      </div>
      <div className="legend">
        <b style={{ color: "var(--text)" }}>{t("part.score", { value: number(hit.score) })}</b>
        {made.map(({ part, value }) => (
          <span key={part}><i style={{ background: partColour[part] }} />{t(`part.${part}`)} {value > 0 ? "" : "−"}{number(Math.abs(value))}{measured(part)}</span>
        ))}
      </div>
      <div className="row" style={{ marginTop: "0.35rem" }}>
        <LayerTag layer={hit.layer} />
        <span className="soft small"><When at={hit.observedAt} /> · {t("play.tokens", { count: hit.tokens })}</span>
        {(hit.until || hit.supersededBy) && <span className="tag">{t("play.superseded")}</span>}
        {hit.archived && <span className="tag">{t("play.archived")}</span>}
        {hit.space && hit.space !== space && <span className="tag">{hit.space}</span>}
      </div>
    </>
  );
}

/** What happened this week: decided, due, waiting for an answer. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { useSession } from "../shell/session";
import { t, told } from "../text";
import { Loaded } from "./pieces";
import { sectionsOf } from "./sections";

export function Digest() {
  const { space } = useSession();
  const digest = useQuery({ queryKey: ["digest", space], queryFn: () => call("GET /api/digest", { query: { days: 7 } }), staleTime: 60_000 });
  return (
    <Loaded query={digest}>
      {({ markdown }) => {
        const sections = sectionsOf(markdown);
        return sections.length === 0 ? <p className="soft">{t("home.noDigest")}</p> : (
          <div className="stack" style={{ gap: "0.75rem" }}>
            {sections.map(({ title, lines }) => (
              <section key={title}>
                <h3 style={{ margin: "0 0 0.2rem" }}>{told(`digest.${title}`, title)}</h3>
                <ul className="lines small">{lines.map((line) => <li key={line} className="cut">{line}</li>)}</ul>
              </section>
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

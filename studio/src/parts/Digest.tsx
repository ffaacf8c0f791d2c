/** What happened this week: decided, due, waiting for an answer. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { useSession } from "../shell/session";
import { t, told } from "../text";
import { Loaded } from "./pieces";
import { type Section, sectionsOf } from "./sections";

const FIRST = 4;

export function Digest() {
  const { space } = useSession();
  const digest = useQuery({ queryKey: ["digest", space], queryFn: () => call("GET /api/digest", { query: { days: 7 } }), staleTime: 60_000 });
  return (
    <Loaded query={digest}>
      {({ markdown }) => {
        const sections = sectionsOf(markdown);
        return sections.length === 0 ? <p className="soft">{t("home.noDigest")}</p> : (
          <div className="stack" style={{ gap: "0.75rem" }}>
            {sections.map((one) => <Part key={one.title} {...one} />)}
          </div>
        );
      }}
    </Loaded>
  );
}

function Part({ title, lines }: Section) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? lines : lines.slice(0, FIRST);
  return (
    <section>
      <h3 style={{ margin: "0 0 0.2rem" }}>{told(`digest.${title}`, title)}</h3>
      <ul className="lines small">{shown.map((line, at) => <li key={at} className="cut">{line}</li>)}</ul>
      {shown.length < lines.length && <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>{t("said.more", { count: lines.length - shown.length })}</Button>}
    </section>
  );
}

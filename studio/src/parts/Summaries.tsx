/** What old messages come to. Each summary opens to the messages that it was made from. */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client";
import type { Summary } from "../api/shapes";
import { useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { day } from "../text/dates";
import { MessageLine } from "./MessageLine";
import { Empty, Loaded, Sheet } from "./pieces";

export function Summaries() {
  const { space } = useSession();
  const summaries = useInfiniteQuery({
    queryKey: ["summaries", space],
    queryFn: ({ pageParam }) => call("GET /api/summaries", { query: { cursor: pageParam, limit: 30 } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <Loaded query={summaries}>
      {({ pages }) => pages[0]!.items.length === 0 ? <Sheet><Empty icon="messages" title={t("talks.noSummaries")} hint={t("talks.noSummariesHint")} /></Sheet> : (
        <div className="stack">
          {pages.flatMap((page) => page.items).map((one) => <One key={one.id} one={one} />)}
          {summaries.hasNextPage && <div><Button variant="default" onClick={() => void summaries.fetchNextPage()} loading={summaries.isFetchingNextPage}>{t("do.more")}</Button></div>}
        </div>
      )}
    </Loaded>
  );
}

/** The one summary that was looked for, open. */
export function OneSummary({ id }: { id: string }) {
  const { space } = useSession();
  const summary = useQuery({ queryKey: ["summaries", space, "one", id], queryFn: () => call("GET /api/summaries/{id}", { path: { id } }) });
  return (
    <div className="stack">
      <div><Button component={Link} variant="default" size="xs" to="/studio/conversations?show=summaries">{t("talks.allSummaries")}</Button></div>
      <Loaded query={summary}>{(one) => <One one={one} isOpen />}</Loaded>
    </div>
  );
}

function One({ one, isOpen = false }: { one: Summary; isOpen?: boolean }) {
  const language = useLanguage();
  const [open, setOpen] = useState(isOpen);
  const place = Object.values(one.dimensions).filter((value) => typeof value === "string" && value).join(" · ");
  const days = [...new Set([day(one.startAt, language), day(one.endAt, language)])].join(" – ");
  return (
    <section className="sheet" aria-label={`${days} ${place}`}>
      <div className="row soft small">
        <span className="tag layer" style={{ color: "var(--layer-summary)" }}>{one.summaryTier}</span>
        <span>{days}</span>
        {place && <span className="cut">{place}</span>}
        <span>{t("talks.quality", { value: one.qualityScore.toLocaleString(language, { style: "percent" }) })}</span>
        {one.model && <span>{one.model}</span>}
      </div>
      <p className="pre" style={{ margin: "0.5rem 0" }}>{one.summaryText}</p>
      {one.keywords.length > 0 && <div className="row">{one.keywords.slice(0, 8).map((word) => <span className="tag" key={word}>{word}</span>)}</div>}
      <Button variant="default" size="xs" mt="sm" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? t("talks.hide") : t("talks.open", { count: one.messageCount })}</Button>
      {open && <Made id={one.id} />}
    </section>
  );
}

function Made({ id }: { id: string }) {
  const { space } = useSession();
  const messages = useQuery({ queryKey: ["messages", space, "of", id], queryFn: () => call("GET /api/summaries/{id}/messages", { path: { id } }) });
  return (
    <Loaded query={messages}>
      {({ items }) => <ol className="lines" style={{ marginTop: "0.5rem" }}>{items.map((one) => <MessageLine key={one.id} one={one} where />)}</ol>}
    </Loaded>
  );
}

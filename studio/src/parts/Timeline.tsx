/** What was said in all conversations, the newest day first, by tier. */
import { Button, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import type { Message } from "../api/shapes";
import { useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { day } from "../text/dates";
import { MessageLine } from "./MessageLine";
import { Empty, Loaded, Sheet } from "./pieces";

const SHOWN = ["all", "short", "mid", "long", "archived"] as const;
type Shown = (typeof SHOWN)[number];

export function Timeline() {
  const { space } = useSession();
  const language = useLanguage();
  const [shown, setShown] = useState<Shown>("all");
  const messages = useInfiniteQuery({
    queryKey: ["messages", space, "timeline", shown],
    queryFn: ({ pageParam }) => call("GET /api/messages", { query: { ...chosen(shown), cursor: pageParam, limit: 50, original: true } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const labels: Record<Shown, string> = { all: t("talks.every"), short: t("talks.short"), mid: t("talks.mid"), long: t("talks.long"), archived: t("talks.archived") };
  return (
    <div className="stack">
      <div className="scroll"><SegmentedControl aria-label={t("talks.tier")} value={shown} onChange={(value) => setShown(value as Shown)} data={SHOWN.map((one) => ({ value: one, label: labels[one] }))} /></div>
      <p className="soft small" style={{ margin: 0 }}>{t(`talks.hint.${shown}`)}</p>
      <Loaded query={messages}>
        {({ pages }) => {
          const days = byDay(pages.flatMap((page) => page.items), language);
          return days.length === 0 ? <Sheet><Empty icon="messages" title={t("talks.noneHere")} hint={t("talks.noneHereHint")} /></Sheet> : (
            <>
              {days.map(([name, items]) => (
                <Sheet key={name} title={name}><ol className="lines">{items.map((one) => <MessageLine key={one.id} one={one} where />)}</ol></Sheet>
              ))}
              {messages.hasNextPage && <div><Button variant="default" onClick={() => void messages.fetchNextPage()} loading={messages.isFetchingNextPage}>{t("do.more")}</Button></div>}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function chosen(shown: Shown) {
  if (shown === "all") return {};
  return shown === "archived" ? { archived: true } : { tier: [shown], archived: false };
}

function byDay(items: Message[], language: string): [string, Message[]][] {
  const days = new Map<string, Message[]>();
  for (const one of items) {
    const name = day(one.sentAt, language);
    days.set(name, [...(days.get(name) ?? []), one]);
  }
  return [...days];
}

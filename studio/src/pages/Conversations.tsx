import { Button, Tabs } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { call } from "../api/client";
import { MessageLine } from "../parts/MessageLine";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { OneSummary, Summaries } from "../parts/Summaries";
import { Timeline } from "../parts/Timeline";
import { useMost } from "../parts/useMost";
import { useSession } from "../shell/session";
import { t } from "../text";

const FIRST = 100;
const HERE = "/studio/conversations";

export default function Conversations() {
  const { id, message, summary, show = summary ? "summaries" : "talks" } = useSearch({ strict: false }) as { id?: string; message?: string; summary?: string; show?: string };
  const navigate = useNavigate();
  return (
    <Page title="talks.title" lead="talks.lead">
      <Tabs value={show} onChange={(value) => void navigate({ to: HERE, search: value && value !== "talks" ? { show: value } : {} })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="talks">{t("talks.all")}</Tabs.Tab>
          <Tabs.Tab value="timeline">{t("insights.timeline")}</Tabs.Tab>
          <Tabs.Tab value="summaries">{t("layer.summary")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="talks">{message ? <Around id={message} /> : <Talks id={id} />}</Tabs.Panel>
        <Tabs.Panel value="timeline"><Timeline /></Tabs.Panel>
        <Tabs.Panel value="summaries">{summary ? <OneSummary id={summary} /> : <Summaries />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** The conversation in which a message stands, from a little before it on. */
function Around({ id }: { id: string }) {
  const { space } = useSession();
  const message = useQuery({ queryKey: ["messages", space, "one", id], queryFn: () => call("GET /api/messages/{id}", { path: { id } }) });
  return <Loaded query={message}>{(one) => <Talks id={one.sessionId} at={one.position} />}</Loaded>;
}

function Talks({ id, at }: { id: string | undefined; at?: number }) {
  const { space } = useSession();
  const { most, more } = useMost(FIRST);
  const sessions = useQuery({ queryKey: ["sessions", space, most], queryFn: () => call("GET /api/sessions", { query: { limit: most } }), placeholderData: keepPreviousData });
  return (
    <Loaded query={sessions}>
      {({ items }) => items.length === 0 ? (
        <Sheet><Empty icon="messages" title={t("talks.none")} hint={t("talks.noneHint")} /></Sheet>
      ) : (
        <div className="aside" data-open={id !== undefined || undefined}>
          <Sheet title={t("talks.all")}>
            <ul className="lines">
              {items.map((one) => (
                <li key={one.id} className="spread" aria-current={one.id === id || undefined}>
                  <Link to={HERE} search={{ id: one.id }} className="cut">{one.title ?? one.id}</Link>
                  <span className="soft small">{one.platform}{one.lastMessageAt && <> · <When at={one.lastMessageAt} /></>}</span>
                </li>
              ))}
            </ul>
            {more(items.length, sessions.isPlaceholderData)}
          </Sheet>
          {id ? <div><Button className="narrow" component={Link} variant="default" size="xs" mb="sm" to={HERE}>{t("talks.all")}</Button><Talk key={`${id} ${at}`} id={id} at={at} /></div> : <Sheet><Empty icon="messages" title={t("talks.choose")} hint={t("talks.chooseHint")} /></Sheet>}
        </div>
      )}
    </Loaded>
  );
}

const BEFORE = 5; // messages that are shown before the one that was looked for

function Talk({ id, at }: { id: string; at?: number }) {
  const { space } = useSession();
  const messages = useInfiniteQuery({
    queryKey: ["messages", space, id, at],
    queryFn: ({ pageParam }) => call("GET /api/sessions/{id}/messages", { path: { id }, query: { after: pageParam, limit: 100 } }),
    initialPageParam: at !== undefined && at > BEFORE ? at - BEFORE : undefined,
    getNextPageParam: (page) => page.nextAfter ?? undefined,
  });
  return (
    <Sheet title={t("talks.messages")} actions={at !== undefined && <Button component={Link} variant="default" size="xs" to={`${HERE}?id=${encodeURIComponent(id)}`}>{t("talks.fromStart")}</Button>}>
      <Loaded query={messages}>
        {({ pages }) => (
          <>
            <ol className="lines">{pages.flatMap((page) => page.items).map((one) => <MessageLine key={one.id} one={one} sought={one.position === at} />)}</ol>
            {messages.hasNextPage && <Button variant="default" onClick={() => void messages.fetchNextPage()} loading={messages.isFetchingNextPage}>{t("do.more")}</Button>}
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

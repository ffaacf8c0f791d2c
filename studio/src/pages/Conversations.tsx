import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { call } from "../api/client";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { usePeople } from "../parts/usePeople";
import { useSession } from "../shell/session";
import { t, told } from "../text";

export default function Conversations() {
  const { space } = useSession();
  const { id } = useSearch({ strict: false }) as { id?: string };
  const sessions = useQuery({ queryKey: ["sessions", space], queryFn: () => call("GET /api/sessions", { query: { limit: 200 } }) });
  return (
    <Page title="talks.title" lead="talks.lead">
      <Loaded query={sessions}>
        {({ items }) => items.length === 0 ? (
          <Sheet><Empty icon="messages" title={t("talks.none")} hint={t("talks.noneHint")} /></Sheet>
        ) : (
          <div className="grid wide">
            <Sheet title={t("talks.all")}>
              <ul className="lines">
                {items.map((one) => (
                  <li key={one.id} className="spread">
                    <Link to="/studio/conversations" search={{ id: one.id }} className="cut" aria-current={one.id === id || undefined}>{one.title ?? one.id}</Link>
                    <span className="soft small">{one.platform}{one.lastMessageAt && <> · <When at={one.lastMessageAt} /></>}</span>
                  </li>
                ))}
              </ul>
            </Sheet>
            {id ? <Talk key={id} id={id} /> : <Sheet><Empty icon="messages" title={t("talks.choose")} /></Sheet>}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Talk({ id }: { id: string }) {
  const { space } = useSession();
  const { nameOf } = usePeople();
  const messages = useInfiniteQuery({
    queryKey: ["messages", space, id],
    queryFn: ({ pageParam }) => call("GET /api/sessions/{id}/messages", { path: { id }, query: { after: pageParam, limit: 100 } }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.nextAfter ?? undefined,
  });
  return (
    <Sheet title={t("talks.messages")}>
      <Loaded query={messages}>
        {({ pages }) => (
          <>
            <ol className="lines">
              {pages.flatMap((page) => page.items).map((one) => (
                <li key={one.id}>
                  <div className="soft small row"><b>{nameOf(one.personId) ?? one.name ?? one.role}</b> <When at={one.sentAt} /> <span className="tag">{told(`tier.${one.tier}`, one.tier)}</span>{one.archivedAt && <span className="tag">{t("play.archived")}</span>}</div>
                  <p className="pre">{one.content}</p>
                </li>
              ))}
            </ol>
            {messages.hasNextPage && <Button variant="default" onClick={() => void messages.fetchNextPage()} loading={messages.isFetchingNextPage}>{t("do.more")}</Button>}
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

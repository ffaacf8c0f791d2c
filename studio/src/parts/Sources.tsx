/** "Remembered because of this message": the words that a memory was made from. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Memory, Message } from "../api/shapes";
import { useSession } from "../shell/session";
import { t } from "../text";
import { Loaded, When } from "./pieces";

const PIECE = 200;
const MOST_PIECES = 25;

export function Sources({ one }: { one: Pick<Memory, "id" | "sessionId" | "sourceRef"> }) {
  const { space } = useSession();
  const named = one.sourceRef["messages"];
  const ids = Array.isArray(named) ? named.map(String) : [];
  const messages = useQuery({
    queryKey: ["sources", space, one.id, ids],
    queryFn: () => find(one.sessionId!, ids),
    enabled: one.sessionId !== null && ids.length > 0,
  });
  if (one.sessionId === null || ids.length === 0) return <p className="soft small" style={{ margin: 0 }}>{t("memories.noWhy")}</p>;
  return (
    <Loaded query={messages}>
      {(items) => items.map((message) => (
        <blockquote key={message.id} className="half" style={{ margin: 0 }}>
          <div className="soft small">{message.name ?? message.role} · <When at={message.sentAt} /></div>
          <p className="pre">{message.content}</p>
        </blockquote>
      ))}
    </Loaded>
  );
}

async function find(sessionId: string, ids: string[]): Promise<Message[]> {
  const found: Message[] = [];
  let after: number | undefined;
  for (let piece = 0; piece < MOST_PIECES && found.length < ids.length; piece++) {
    const page = await call("GET /api/sessions/{id}/messages", { path: { id: sessionId }, query: { after, limit: PIECE } });
    found.push(...page.items.filter((message) => ids.includes(message.id)));
    if (page.nextAfter === null) break;
    after = page.nextAfter;
  }
  return found;
}

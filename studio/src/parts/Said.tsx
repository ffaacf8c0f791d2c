/** The words that something was made from: messages, each with the way to its conversation, or memories. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call, Problem } from "../api/client";
import type { Memory, Message } from "../api/shapes";
import { useSession } from "../shell/session";
import { t, told } from "../text";
import { Loaded, When } from "./pieces";
import { usePeople } from "./usePeople";

const FIRST = 5;

export function Said({ ids }: { ids: string[] }) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? ids : ids.slice(0, FIRST);
  return (
    <div className="stack" style={{ gap: "0.6rem" }}>
      {shown.map((id) => <One key={id} id={id} />)}
      {shown.length < ids.length && <div><Button variant="default" size="xs" onClick={() => setWhole(true)}>{t("said.more", { count: ids.length - shown.length })}</Button></div>}
    </div>
  );
}

function One({ id }: { id: string }) {
  const { space } = useSession();
  const { nameOf } = usePeople();
  const found = useQuery({ queryKey: ["said", space, id], queryFn: () => find(id) });
  return (
    <Loaded query={found}>
      {({ message, memory }) => {
        if (message) return <Quote who={nameOf(message.personId) ?? message.name ?? told(`role.${message.role}`, message.role)} at={message.sentAt} text={message.content}><Link to="/studio/conversations" search={{ message: message.id }}>{t("said.where")}</Link></Quote>;
        if (memory) return <Quote who={told("noun.memory", "memory")} at={memory.observedAt} text={memory.content}><Link to="/studio/memories" search={{ id: memory.id }}>{t("map.open")}</Link></Quote>;
        return <p className="soft small" style={{ margin: 0 }}>{t("said.gone")}</p>;
      }}
    </Loaded>
  );
}

export function Quote({ who, at, text, children }: { who: string; at: string; text: string; children?: ReactNode }) {
  return (
    <blockquote className="half" style={{ margin: 0 }}>
      <div className="soft small row"><b>{who}</b> <When at={at} /> {children}</div>
      <p className="pre">{text}</p>
    </blockquote>
  );
}

type Found = { message?: Message; memory?: Memory };

/** The message or the memory of this id; neither where it was deleted since. */
async function find(id: string): Promise<Found> {
  const message = await orNothing(call("GET /api/messages/{id}", { path: { id }, query: { original: true } }));
  if (message) return { message };
  return { memory: await orNothing(call("GET /api/memory/{id}", { path: { id } })) };
}

function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  });
}

/** Whether the models answer: the one that makes vectors, and the one that is asked in words. */
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../api/client";
import { useSession } from "../shell/session";
import { t, told } from "../text";

export function Connections() {
  const { space } = useSession();
  const status = useQuery({ queryKey: ["engine", space], queryFn: () => call("GET /api/memory/engine-status") });
  const embedding = useMutation({ mutationFn: () => call("GET /api/memory/health") });
  const chat = useMutation({ mutationFn: () => call("POST /api/memory/chat-check") });
  const known = status.data?.embedding;
  return (
    <ul className="lines">
      <Part title={t("engine.embedding")} hint={t("setup.embeddingHint")} name={known && [known.source, known.model].filter(Boolean).join(" · ")} test={() => embedding.mutate()} busy={embedding.isPending}>
        {embedding.data && (
          <Told good={embedding.data.working} text={embedding.data.working ? t("setup.answers", { ms: Math.round(embedding.data.latencyMs) }) : embedding.data.reasons.join(" ")}>
            {embedding.data.steps.map((step) => <span key={step.name} className="tag"><span className={`dot ${step.ok ? "good" : "bad"}`} /> {told(`step.${step.name}`, step.name)} {Math.round(step.milliseconds)} ms</span>)}
          </Told>
        )}
      </Part>
      <Part title={t("setup.chat")} hint={t("setup.chatHint")} name={chat.data ? [chat.data.source, chat.data.model].filter(Boolean).join(" · ") : undefined} test={() => chat.mutate()} busy={chat.isPending}>
        {chat.data && <Told good={chat.data.working} text={chat.data.working ? t("setup.answers", { ms: Math.round(chat.data.latencyMs) }) : (chat.data.error ?? "")} />}
      </Part>
    </ul>
  );
}

function Part({ title, hint, name, test, busy, children }: { title: string; hint: string; name?: string; test: () => void; busy: boolean; children: ReactNode }) {
  return (
    <li>
      <div className="spread">
        <span><b>{title}</b> {name && <span className="soft small">{name}</span>}<span className="soft small" style={{ display: "block" }}>{hint}</span></span>
        <Button variant="default" onClick={test} loading={busy} aria-label={`${t("setup.test")}: ${title}`}>{t("setup.test")}</Button>
      </div>
      <div role="status">{children}</div>
    </li>
  );
}

function Told({ good, text, children }: { good: boolean; text: string; children?: ReactNode }) {
  return (
    <>
      <p className="row small" style={{ margin: "0.5rem 0 0.3rem", color: good ? "var(--good)" : "var(--warn)" }}><span className={`dot ${good ? "good" : "warn"}`} /> <span className="cut">{text}</span></p>
      {children && <div className="row">{children}</div>}
    </>
  );
}

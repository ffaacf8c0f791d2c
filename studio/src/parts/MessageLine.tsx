/** One message, word for word, and what can be done with it: say who said it, pin, archive, delete. */
import { ActionIcon, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Message } from "../api/shapes";
import { Icon } from "../shell/icons";
import { useMayWrite } from "../shell/session";
import { t, told } from "../text";
import { When } from "./pieces";
import { client } from "./queries";
import { say } from "./state";
import { undoLast } from "./undo";
import { usePeople } from "./usePeople";

export function MessageLine({ one, where, sought }: { one: Message; where?: boolean; sought?: boolean }) {
  const { nameOf } = usePeople();
  const mayWrite = useMayWrite();
  return (
    <li className="message" aria-current={sought || undefined}>
      <div className="soft small row">
        <b style={{ color: "var(--text)" }}>{nameOf(one.personId) ?? one.name ?? told(`role.${one.role}`, one.role)}</b>
        <When at={one.sentAt} />
        {where && <span className="cut">{[one.platform, one.channel ?? one.contact].filter(Boolean).join(" · ")}</span>}
        <span className={`tag tier-${one.tier}`}>{told(`tier.${one.tier}`, one.tier)}</span>
        {one.pinned && <span className="tag">{t("memories.pinned")}</span>}
        {one.archivedAt && <span className="tag">{t("play.archived")}</span>}
      </div>
      {mayWrite && <Acts one={one} />}
      <p className="pre">{one.content}</p>
    </li>
  );
}

function Acts({ one }: { one: Message }) {
  const { choices } = usePeople();
  const path = { id: one.id };
  const done = (text: string, action: string) => {
    say(text, { undo: () => void undoLast([one.id], action) });
    return client.invalidateQueries();
  };
  const change = useMutation({
    mutationFn: (body: { personId?: string; pinned?: boolean; archived?: boolean }) => call("PATCH /api/messages/{id}", { path, body }),
    onSuccess: () => done(t("memories.saved"), "updated"),
  });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/messages/{id}", { path }),
    onSuccess: () => done(t("memories.deleted", { count: 1 }), "forgotten"),
  });
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <ActionIcon className="acts" variant="subtle" color="gray" aria-label={t("talks.acts", { text: one.content.slice(0, 40) })}><Icon name="more" size={18} /></ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
        <Menu.Item onClick={() => change.mutate({ pinned: !one.pinned })}>{t(one.pinned ? "memories.unpin" : "memories.pin")}</Menu.Item>
        <Menu.Item onClick={() => change.mutate({ archived: !one.archivedAt })}>{t(one.archivedAt ? "talks.unarchive" : "talks.archive")}</Menu.Item>
        <Menu.Item onClick={() => remove.mutate()} color="var(--bad)">{t("do.delete")}</Menu.Item>
        {choices.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{t("talks.whoSaid")}</Menu.Label>
            {choices.map((person) => (
              <Menu.Item key={person.value} onClick={() => change.mutate({ personId: person.value })} disabled={person.value === one.personId}>
                {person.label}{person.value === one.personId && " ✓"}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

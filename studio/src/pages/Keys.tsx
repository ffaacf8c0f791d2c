import { Button, Modal, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client, explain } from "../parts/queries";
import { say } from "../parts/state";
import { Icon } from "../shell/icons";
import { useSession } from "../shell/session";
import { t, told } from "../text";

type Role = "admin" | "member" | "reader";
const ROLES: Role[] = ["member", "reader", "admin"];

export default function Keys() {
  const { role, keyId } = useSession();
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const keys = useQuery({ queryKey: ["keys"], queryFn: () => call("GET /api/keys"), enabled: role === "admin" });
  const done = () => client.invalidateQueries({ queryKey: ["keys"] });
  const revoke = useMutation({ mutationFn: (id: string) => call("DELETE /api/keys/{id}", { path: { id } }), onSuccess: () => { say(t("keys.revoked")); return done(); } });
  const rotate = useMutation({ mutationFn: (id: string) => call("POST /api/keys/{id}/rotate", { path: { id } }), onSuccess: (key) => { setSecret(key.secret); return done(); } });
  const change = useMutation({ mutationFn: ({ id, memory }: { id: string; memory: "on" | "off" | null }) => call("PATCH /api/keys/{id}", { path: { id }, body: { memory } }), onSuccess: () => { say(t("memories.saved")); return done(); } });
  if (role !== "admin") return <Page title="keys.title" lead="keys.lead"><Sheet><Empty icon="keys" title={t("keys.adminOnly")} /></Sheet></Page>;
  return (
    <Page title="keys.title" lead="keys.lead" actions={<Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAdding(true)}>{t("keys.add")}</Button>}>
      <Loaded query={keys}>
        {({ items }) => (
          <Sheet>
            <ul className="lines">
              {items.map((one) => (
                <li key={one.id} className="spread" style={{ color: one.revokedAt ? "var(--soft)" : undefined }}>
                  <span className="cut"><b>{one.name}</b> <span className="tag">{told(`role.${one.role}`, one.role)}</span> <span className="soft small">{one.space} · …{one.hint}{one.lastUsedAt && <> · <When at={one.lastUsedAt} /></>}{one.revokedAt && ` · ${t("keys.isRevoked")}`}</span></span>
                  {!one.revokedAt && (
                    <span className="row">
                      <Select w={225} aria-label={`${t("keys.memory")}: ${one.name}`} allowDeselect={false} value={one.memory ?? ""} onChange={(memory) => change.mutate({ id: one.id, memory: (memory || null) as "on" | "off" | null })} data={[{ value: "", label: t("keys.memorySpace") }, { value: "on", label: t("keys.memoryOn") }, { value: "off", label: t("keys.memoryOff") }]} />
                      <Button variant="default" onClick={() => rotate.mutate(one.id)} disabled={one.id === keyId}>{t("keys.rotate")}</Button>
                      <Button variant="default" onClick={() => revoke.mutate(one.id)} disabled={one.id === keyId}>{t("keys.revoke")}</Button>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </Sheet>
        )}
      </Loaded>
      {adding && <AddKey onClose={() => setAdding(false)} onIssued={(text) => { setAdding(false); setSecret(text); void done(); }} />}
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title={t("keys.new")} closeButtonProps={{ "aria-label": t("do.close") }}>
        <div className="stack">
          <p style={{ margin: 0 }}>{t("keys.once")}</p>
          <code className="half mono cut" tabIndex={0}>{secret}</code>
          <Copy text={secret ?? ""} />
          <div className="row end"><Button variant="default" onClick={() => setSecret(null)}>{t("do.close")}</Button></div>
        </div>
      </Modal>
    </Page>
  );
}

/** Over plain HTTP, browsers let no page write to the clipboard; then people do it by hand. */
function Copy({ text }: { text: string }) {
  const copy = useMutation({ mutationFn: () => navigator.clipboard.writeText(text), onError: () => {} });
  return (
    <div role="status" className="row">
      <Button onClick={() => copy.mutate()}>{t(copy.isSuccess ? "keys.copied" : "keys.copy")}</Button>
      {copy.isError && <span className="small" style={{ color: "var(--warn)" }}>{t("keys.cannotCopy")}</span>}
    </div>
  );
}

function AddKey({ onClose, onIssued }: { onClose: () => void; onIssued: (secret: string) => void }) {
  const { space: own } = useSession();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [space, setSpace] = useState(own);
  const add = useMutation({ mutationFn: () => call("POST /api/keys", { body: { name, role, space } }), onSuccess: (key) => onIssued(key.secret), onError: () => {} });
  return (
    <Modal opened onClose={onClose} title={t("keys.add")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); add.mutate(); }}>
        <TextInput label={t("keys.name")} data-autofocus required value={name} onChange={(event) => setName(event.currentTarget.value)} error={add.error ? explain(add.error) : undefined} />
        <Select label={t("keys.role")} allowDeselect={false} value={role} onChange={(one) => setRole(one as Role)} data={ROLES.map((one) => ({ value: one, label: told(`role.${one}`, one) }))} />
        <TextInput label={t("shell.space")} required value={space} onChange={(event) => setSpace(event.currentTarget.value)} />
        <div className="row end"><Button variant="default" onClick={onClose}>{t("do.cancel")}</Button><Button type="submit" loading={add.isPending}>{t("do.save")}</Button></div>
      </form>
    </Modal>
  );
}

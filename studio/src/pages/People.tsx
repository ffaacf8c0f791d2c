import { Button, Modal, Select, TagsInput, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, call } from "../api/client";
import type { Person } from "../api/shapes";
import { Empty, Loaded, Page, Sheet } from "../parts/pieces";
import { client, explain } from "../parts/queries";
import { say } from "../parts/state";
import { Icon } from "../shell/icons";
import { useMayWrite, useSession } from "../shell/session";
import { t } from "../text";

type Household = Answer<"GET /api/household">;
type Device = Answer<"GET /api/devices">["items"][number];
type Draft = { id: string | null; displayName: string; pronouns: string; role: string; aliases: string[]; birthDate: string; notes: string };
const NOBODY: Draft = { id: null, displayName: "", pronouns: "", role: "", aliases: [], birthDate: "", notes: "" };
const draftOf = (one: Person): Draft => ({ id: one.id, displayName: one.displayName, pronouns: one.pronouns ?? "", role: one.role ?? "", aliases: one.aliases, birthDate: one.birthDate ?? "", notes: one.notes ?? "" });

export default function People() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const [person, setPerson] = useState<Draft | null>(null);
  const [device, setDevice] = useState<Partial<Device> | null>(null);
  const household = useQuery({ queryKey: ["household", space], queryFn: () => call("GET /api/household") });
  const devices = useQuery({ queryKey: ["devices", space], queryFn: () => call("GET /api/devices") });
  const persons = household.data?.persons ?? [];
  return (
    <Page title="people.title" lead="people.lead" actions={mayWrite && <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setPerson(NOBODY)}>{t("people.add")}</Button>}>
      <Loaded query={household}>
        {(data) => (
          <div className="stack">
            <Sheet title={t("people.household")}><HouseholdForm key={JSON.stringify(data)} household={data} mayWrite={mayWrite} /></Sheet>
            <div className="grid wide">
              <Sheet title={t("people.persons")}>
                {data.persons.length === 0 ? <Empty icon="people" title={t("people.none")} hint={t("people.noneHint")} /> : (
                  <ul className="lines">
                    {data.persons.map((one) => (
                      <li key={one.id} className="spread">
                        <span className="cut"><b>{one.displayName}</b><span className="soft small" style={{ display: "block" }}>{[one.role, one.pronouns, one.aliases.join(", "), one.birthDate].filter(Boolean).join(" · ")}</span></span>
                        {mayWrite && <Button variant="default" aria-label={`${t("memories.edit")}: ${one.displayName}`} onClick={() => setPerson(draftOf(one))}>{t("memories.edit")}</Button>}
                      </li>
                    ))}
                  </ul>
                )}
              </Sheet>
              <Sheet title={t("people.devices")} actions={mayWrite && <Button variant="default" onClick={() => setDevice({})}>{t("people.addDevice")}</Button>}>
                <Loaded query={devices}>
                  {({ items }) => items.length === 0 ? <p className="soft">{t("people.noDevices")}</p> : (
                    <ul className="lines">
                      {items.map((one) => (
                        <li key={one.id} className="spread">
                          <span className="cut"><b>{one.name}</b> <span className="mono soft">{one.id}</span><span className="soft small" style={{ display: "block" }}>{persons.find((other) => other.id === one.primaryPersonId)?.displayName}</span></span>
                          {mayWrite && <Button variant="default" aria-label={`${t("memories.edit")}: ${one.name}`} onClick={() => setDevice(one)}>{t("memories.edit")}</Button>}
                        </li>
                      ))}
                    </ul>
                  )}
                </Loaded>
              </Sheet>
            </div>
          </div>
        )}
      </Loaded>
      {person && <PersonForm first={person} onClose={() => setPerson(null)} />}
      {device && <DeviceForm first={device} persons={persons} onClose={() => setDevice(null)} />}
    </Page>
  );
}

function saved(onClose?: () => void) {
  return () => { say(t("memories.saved")); onClose?.(); return client.invalidateQueries(); };
}

function HouseholdForm({ household, mayWrite }: { household: Household; mayWrite: boolean }) {
  const [displayName, setName] = useState(household.displayName);
  const [mode, setMode] = useState(household.mode);
  const [timezone, setTimezone] = useState(household.timezone);
  const save = useMutation({ mutationFn: () => call("PUT /api/household", { body: { displayName, mode, timezone } }), onSuccess: saved(), onError: () => {} });
  return (
    <form onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
      <fieldset disabled={!mayWrite} className="row" style={{ border: 0, padding: 0, margin: 0, alignItems: "flex-end" }}>
        <TextInput label={t("people.name")} value={displayName} onChange={(event) => setName(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
        <Select label={t("people.mode")} allowDeselect={false} value={mode} onChange={(one) => setMode(one as typeof mode)} data={[{ value: "single", label: t("people.single") }, { value: "multi", label: t("people.multi") }]} disabled={!mayWrite} />
        <Select label={t("people.timezone")} searchable allowDeselect={false} value={timezone} onChange={(one) => setTimezone(one ?? timezone)} data={[...new Set([timezone, "UTC", ...Intl.supportedValuesOf("timeZone")])]} limit={80} disabled={!mayWrite} />
        {mayWrite && <Button type="submit" loading={save.isPending}>{t("do.save")}</Button>}
      </fieldset>
    </form>
  );
}

function PersonForm({ first, onClose }: { first: Draft; onClose: () => void }) {
  const [draft, setDraft] = useState(first);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: async () => {
      const { id, ...rest } = draft;
      const body = { ...rest, pronouns: rest.pronouns || null, role: rest.role || null, birthDate: rest.birthDate || null, notes: rest.notes || null };
      if (id) await call("PATCH /api/people/{id}", { path: { id }, body });
      else await call("POST /api/people", { body });
    },
    onSuccess: saved(onClose),
    onError: () => {},
  });
  const remove = useMutation({ mutationFn: () => call("DELETE /api/people/{id}", { path: { id: draft.id! } }), onSuccess: saved(onClose) });
  return (
    <Modal opened onClose={onClose} title={first.id ? `${t("memories.edit")}: ${first.displayName}` : t("people.add")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <TextInput label={t("people.displayName")} data-autofocus value={draft.displayName} onChange={(event) => set({ displayName: event.currentTarget.value })} error={save.error ? explain(save.error) : undefined} />
        <div className="grid" style={{ gridTemplateColumns: "1fr 1fr" }}>
          <TextInput label={t("people.pronouns")} value={draft.pronouns} onChange={(event) => set({ pronouns: event.currentTarget.value })} />
          <TextInput label={t("people.role")} value={draft.role} onChange={(event) => set({ role: event.currentTarget.value })} />
        </div>
        <TagsInput label={t("people.aliases")} description={t("memories.tagsHint")} value={draft.aliases} onChange={(aliases) => set({ aliases })} />
        <TextInput label={t("people.birthDate")} type="date" value={draft.birthDate} onChange={(event) => set({ birthDate: event.currentTarget.value })} />
        <Textarea label={t("people.notes")} autosize value={draft.notes} onChange={(event) => set({ notes: event.currentTarget.value })} />
        <div className="spread">
          {draft.id ? <Button variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>{t("people.leaves")}</Button> : <span />}
          <span className="row"><Button variant="default" onClick={onClose}>{t("do.cancel")}</Button><Button type="submit" loading={save.isPending}>{t("do.save")}</Button></span>
        </div>
      </form>
    </Modal>
  );
}

function DeviceForm({ first, persons, onClose }: { first: Partial<Device>; persons: Person[]; onClose: () => void }) {
  const [id, setId] = useState(first.id ?? "");
  const [name, setName] = useState(first.name ?? "");
  const [primaryPersonId, setPerson] = useState(first.primaryPersonId ?? null);
  const save = useMutation({ mutationFn: () => call("PUT /api/devices/{id}", { path: { id }, body: { name, primaryPersonId } }), onSuccess: saved(onClose), onError: () => {} });
  const remove = useMutation({ mutationFn: () => call("DELETE /api/devices/{id}", { path: { id } }), onSuccess: saved(onClose) });
  return (
    <Modal opened onClose={onClose} title={first.id ? `${t("memories.edit")}: ${first.name}` : t("people.addDevice")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <TextInput label={t("people.deviceId")} required readOnly={first.id !== undefined} value={id} onChange={(event) => setId(event.currentTarget.value)} />
        <TextInput label={t("people.displayName")} required value={name} onChange={(event) => setName(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
        <Select label={t("people.usually")} clearable data={persons.map((one) => ({ value: one.id, label: one.displayName }))} value={primaryPersonId} onChange={setPerson} />
        <div className="spread">
          {first.id ? <Button variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>{t("do.delete")}</Button> : <span />}
          <span className="row"><Button variant="default" onClick={onClose}>{t("do.cancel")}</Button><Button type="submit" loading={save.isPending}>{t("do.save")}</Button></span>
        </div>
      </form>
    </Modal>
  );
}

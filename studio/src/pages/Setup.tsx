/** The first steps: who is here, whether models answer, whether memory is woven into requests. */
import { Button, SegmentedControl, Select, Stepper, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Answer, call } from "../api/client";
import { Connections } from "../parts/Connections";
import { MemorySwitch } from "../parts/MemorySwitch";
import { NOBODY, type PersonFields, PersonInputs } from "../parts/PersonFields";
import { Empty, Loaded, Page, Sheet } from "../parts/pieces";
import { client, explain } from "../parts/queries";
import { useMayWrite, useSession } from "../shell/session";
import { t } from "../text";

type Household = Answer<"GET /api/household">;
const UNNAMED = "You"; // who lives in a space until someone says who
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export default function Setup() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const [step, setStep] = useState(0);
  const household = useQuery({ queryKey: ["household", space], queryFn: () => call("GET /api/household") });
  const next = () => setStep(step + 1);
  if (!mayWrite) return <Page title="setup.title" lead="setup.lead"><Sheet><Empty icon="setup" title={t("say.readOnly")} /></Sheet></Page>;
  return (
    <Page title="setup.title" lead="setup.lead">
      <Stepper active={step} onStepClick={setStep} size="sm" mb="lg" wrap={false} classNames={{ stepLabel: "steplabel" }}>
        <Stepper.Step label={t("setup.household")} />
        <Stepper.Step label={t("people.persons")} />
        <Stepper.Step label={t("setup.models")} />
        <Stepper.Step label={t("setup.memory")} />
        <Stepper.Completed>{null}</Stepper.Completed>
      </Stepper>
      <Loaded query={household}>
        {(data) => {
          switch (step) {
            case 0: return <Place household={data} onDone={next} />;
            case 1: return <Members household={data} onDone={next} />;
            case 2: return <Sheet title={t("setup.models")}><Connections /><Further onNext={next} /></Sheet>;
            case 3: return <Sheet title={t("setup.memory")}><MemorySwitch /><Further onNext={next} /></Sheet>;
            default: return <Done />;
          }
        }}
      </Loaded>
    </Page>
  );
}

function Further({ onNext, children }: { onNext?: () => void; children?: ReactNode }) {
  return <div className="row end" style={{ marginTop: "1.25rem" }}>{children}{onNext && <Button onClick={onNext}>{t("setup.next")}</Button>}</div>;
}

function Place({ household, onDone }: { household: Household; onDone: () => void }) {
  const isNew = household.persons.every((one) => one.displayName === UNNAMED);
  const [displayName, setName] = useState(household.displayName);
  const [mode, setMode] = useState(household.mode);
  const [timezone, setTimezone] = useState(isNew && household.timezone === "UTC" ? HERE : household.timezone);
  const save = useMutation({
    mutationFn: () => call("PUT /api/household", { body: { displayName, mode, timezone } }),
    onSuccess: async () => { await client.invalidateQueries({ queryKey: ["household"] }); onDone(); },
    onError: () => {},
  });
  return (
    <Sheet title={t("setup.household")}>
      <form className="stack" onSubmit={(event: FormEvent) => { event.preventDefault(); save.mutate(); }}>
        <div>
          <SegmentedControl aria-label={t("people.mode")} value={mode} onChange={(one) => setMode(one as typeof mode)} data={[{ value: "single", label: t("people.single") }, { value: "multi", label: t("people.multi") }]} />
          <p className="soft small" style={{ margin: "0.5rem 0 0" }}>{t(`setup.hint.${mode}`)}</p>
        </div>
        <div className="grid">
          <TextInput label={t("people.name")} value={displayName} onChange={(event) => setName(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
          <Select label={t("people.timezone")} description={t("setup.timezoneHint")} inputWrapperOrder={["label", "input", "description", "error"]} searchable allowDeselect={false} value={timezone} onChange={(one) => setTimezone(one ?? timezone)} data={[...new Set([timezone, HERE, "UTC", ...Intl.supportedValuesOf("timeZone")])]} limit={80} />
        </div>
        <div className="row end"><Button type="submit" loading={save.isPending}>{t("setup.next")}</Button></div>
      </form>
    </Sheet>
  );
}

function Members({ household, onDone }: { household: Household; onDone: () => void }) {
  const [persons, setPersons] = useState<PersonFields[]>(() => begun(household));
  const several = household.mode === "multi";
  const save = useMutation({
    mutationFn: () => call("PUT /api/household", { body: { persons: persons.filter((one, at) => at === 0 || one.id || one.displayName.trim()).map(draftOf) } }),
    onSuccess: async () => { await client.invalidateQueries(); onDone(); },
    onError: () => {},
  });
  const change = (at: number, value: PersonFields) => setPersons(persons.map((one, place) => (place === at ? value : one)));
  return (
    <Sheet title={t("people.persons")}>
      <form className="stack" onSubmit={(event: FormEvent) => { event.preventDefault(); save.mutate(); }}>
        <p className="soft small" style={{ margin: 0 }}>{t(several ? "setup.hint.members" : "setup.hint.you")}</p>
        {persons.map((one, at) => (
          <fieldset key={at} className="member">
            <legend className="small">{at === 0 ? t("setup.first") : t("setup.another", { number: at + 1 })}</legend>
            <PersonInputs value={one} onChange={(value) => change(at, value)} />
            {at > 0 && <Button variant="subtle" size="xs" onClick={() => setPersons(persons.filter((_, place) => place !== at))}>{t("setup.remove")}</Button>}
          </fieldset>
        ))}
        {save.error && <p role="alert" className="small" style={{ color: "var(--bad)", margin: 0 }}>{explain(save.error)}</p>}
        <div className="spread">
          {several ? <Button variant="default" onClick={() => setPersons([...persons, NOBODY])}>{t("people.add")}</Button> : <span />}
          <Button type="submit" loading={save.isPending}>{t("setup.next")}</Button>
        </div>
      </form>
    </Sheet>
  );
}

function begun(household: Household): PersonFields[] {
  const known = household.persons.map((one) => ({ id: one.id, displayName: one.displayName === UNNAMED ? "" : one.displayName, pronouns: one.pronouns ?? "", role: one.role ?? "", aliases: one.aliases }));
  return known.length ? known : [NOBODY];
}

function draftOf({ id, displayName, pronouns, role, aliases }: PersonFields) {
  return { ...(id && { id }), displayName: displayName.trim() || (id ? UNNAMED : ""), pronouns: pronouns || null, role: role || null, aliases };
}

function Done() {
  return (
    <Sheet>
      <Empty icon="memories" title={t("setup.done")} hint={t("setup.doneHint")}>
        <Button component={Link} to="/studio/memories?add=1">{t("home.addFirst")}</Button>
        <Button variant="default" component={Link} to="/studio/transfer">{t("transfer.import")}</Button>
        <Button variant="default" component={Link} to="/">{t("home.title")}</Button>
      </Empty>
    </Sheet>
  );
}

/** The form of the options, made from the schema that the server gives for it. */
import { Button, MultiSelect, NumberInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, type Body, call } from "../api/client";
import { useMayWrite, useSession } from "../shell/session";
import { t, told } from "../text";
import { type Field, fieldsOf, inGroups } from "./fields";
import { Loaded } from "./pieces";
import { client, explain } from "./queries";
import { say } from "./state";

type Values = { [name: string]: unknown };

/** All of them, or only those that are named. */
export function Options({ only, onSaved }: { only?: string[]; onSaved?: () => void }) {
  const { space } = useSession();
  const schema = useQuery({ queryKey: ["schema"], queryFn: () => call("GET /api/settings/memory/schema"), staleTime: Infinity });
  const options = useQuery({ queryKey: ["options", space], queryFn: () => call("GET /api/settings/memory") });
  return (
    <Loaded query={schema}>
      {(shape) => <Loaded query={options}>{(now) => <Form key={JSON.stringify(now)} fields={fieldsOf(shape).filter(({ name }) => !only || only.includes(name))} now={now} mayReset={!only} onSaved={onSaved} />}</Loaded>}
    </Loaded>
  );
}

function Form({ fields, now, mayReset, onSaved }: { fields: Field[]; now: Answer<"GET /api/settings/memory">; mayReset: boolean; onSaved?: () => void }) {
  const { role } = useSession();
  const mayWrite = useMayWrite();
  const [changed, setChanged] = useState<Values>({});
  const current = { ...(now as Values), ...changed };
  const done = () => { say(t("memories.saved")); onSaved?.(); return client.invalidateQueries(); };
  const save = useMutation({
    mutationFn: () => call("PUT /api/settings/memory", { body: changed as Body<"PUT /api/settings/memory"> }),
    onSuccess: done,
    onError: () => {},
  });
  const reset = useMutation({ mutationFn: () => call("DELETE /api/settings/memory"), onSuccess: done });
  return (
    <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
      {inGroups(fields).map(([group, members]) => (
        <fieldset key={group} disabled={!mayWrite || (group === "models" && role !== "admin")} className="options">
          {mayReset && <legend><h3>{t(`options.${group}`)}</h3></legend>}
          <div className="grid">
            {members.map((field) => <Input key={field.name} field={field} value={current[field.name]} onChange={(value) => setChanged({ ...changed, [field.name]: value })} />)}
          </div>
        </fieldset>
      ))}
      {save.error && <p role="alert" className="small" style={{ color: "var(--bad)", margin: 0 }}>{explain(save.error)}</p>}
      {mayWrite && (
        <div className="row end">
          {mayReset && Object.keys(now.chosen).length > 0 && role === "admin" && <Button variant="default" onClick={() => reset.mutate()} loading={reset.isPending}>{t("engine.reset")}</Button>}
          <Button type="submit" disabled={Object.keys(changed).length === 0} loading={save.isPending}>{t("do.save")}</Button>
        </div>
      )}
    </form>
  );
}

function Input({ field, value, onChange }: { field: Field; value: unknown; onChange: (value: unknown) => void }) {
  const common = { label: told(`option.${field.name}`, field.title), description: told(`option.${field.name}.hint`, field.description) };
  const choices = field.choices.map((one) => ({ value: one, label: told(`choice.${one}`, one) }));
  switch (field.kind) {
    case "boolean":
      return <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
    case "number":
      return <NumberInput {...common} min={field.minimum} max={field.maximum} value={typeof value === "number" ? value : ""} onChange={(next) => onChange(next === "" && field.nullable ? null : next)} />;
    case "choice":
      return <Select {...common} allowDeselect={false} data={choices} value={String(value)} onChange={onChange} />;
    case "choices":
      if (field.choices.length === 0) return <TagsInput {...common} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />;
      return <MultiSelect {...common} data={choices} value={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />;
    case "text":
      return <TextInput {...common} value={typeof value === "string" ? value : ""} onChange={(event) => onChange(event.currentTarget.value || (field.nullable ? null : ""))} />;
  }
}

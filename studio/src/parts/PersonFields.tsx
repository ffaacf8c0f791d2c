/** What can be said of a person in a few fields. */
import { TagsInput, TextInput } from "@mantine/core";
import { t } from "../text";

export type PersonFields = { id: string | null; displayName: string; pronouns: string; role: string; aliases: string[] };
export const NOBODY: PersonFields = { id: null, displayName: "", pronouns: "", role: "", aliases: [] };

export function PersonInputs({ value, onChange, error }: { value: PersonFields; onChange: (value: PersonFields) => void; error?: string }) {
  const set = (part: Partial<PersonFields>) => onChange({ ...value, ...part });
  return (
    <div className="grid" style={{ gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 11rem), 1fr))" }}>
      <TextInput label={t("people.displayName")} required value={value.displayName} onChange={(event) => set({ displayName: event.currentTarget.value })} error={error} />
      <TextInput label={t("people.pronouns")} placeholder={t("setup.pronounsHint")} value={value.pronouns} onChange={(event) => set({ pronouns: event.currentTarget.value })} />
      <TextInput label={t("people.role")} placeholder={t("setup.roleHint")} value={value.role} onChange={(event) => set({ role: event.currentTarget.value })} />
      <TagsInput label={t("people.aliases")} placeholder={value.aliases.length ? undefined : t("memories.tagsHint")} value={value.aliases} onChange={(aliases) => set({ aliases })} />
    </div>
  );
}

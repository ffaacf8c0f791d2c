import { MultiSelect, NumberInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Layer } from "../api/shapes";
import { useSession } from "../shell/session";
import { t, told } from "../text";
import type { Chosen } from "./request";
import { usePeople } from "./usePeople";

export function RecallSettings({ legend, value, onChange }: { legend?: string; value: Chosen; onChange: (value: Chosen) => void }) {
  const { space } = useSession();
  const { choices } = usePeople();
  const stats = useQuery({ queryKey: ["stats", space], queryFn: () => call("GET /api/stats") });
  const layers = Object.keys(stats.data?.layers ?? {});
  const set = (part: Partial<Chosen>) => onChange({ ...value, ...part });
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      {legend && <legend style={{ fontWeight: 650, paddingBottom: "0.5rem" }}>{legend}</legend>}
      <div className="grid" style={{ gridTemplateColumns: "repeat(auto-fill, minmax(9.5rem, 1fr))", gap: "0.75rem" }}>
        <Select label={t("play.strategy")} allowDeselect={false} value={value.strategy} onChange={(one) => set({ strategy: (one ?? "") as Chosen["strategy"] })} data={[{ value: "", label: t("play.usual") }, { value: "hybrid", label: t("play.hybrid") }, { value: "semantic", label: t("play.semantic") }, { value: "recent", label: t("play.recent") }]} />
        <Select label={t("play.tier")} allowDeselect={false} value={value.tier} onChange={(one) => set({ tier: (one ?? "") as Chosen["tier"] })} data={[{ value: "", label: t("play.usual") }, { value: "fast", label: t("play.fast") }, { value: "balanced", label: t("play.balanced") }, { value: "best", label: t("play.best") }]} />
        <NumberInput label={t("play.limit")} min={1} max={100} value={value.limit} onChange={(limit) => set({ limit: Number(limit) || 10 })} />
        <NumberInput label={t("play.budget")} min={1} max={8000} value={value.maxTokens ?? ""} onChange={(tokens) => set({ maxTokens: tokens === "" ? null : Number(tokens) })} />
        <Select label={t("play.rerank")} allowDeselect={false} value={value.rerank === null ? "" : String(value.rerank)} onChange={(one) => set({ rerank: one ? one === "true" : null })} data={[{ value: "", label: t("play.usual") }, { value: "true", label: t("say.yes") }, { value: "false", label: t("say.no") }]} />
        <TextInput label={t("play.asOf")} type="datetime-local" value={value.asOf} onChange={(event) => set({ asOf: event.currentTarget.value })} />
        <MultiSelect label={t("play.layers")} placeholder={value.layers.length ? undefined : t("say.any")} data={layers.map((one) => ({ value: one, label: told(`layer.${one}`, one) }))} value={value.layers} onChange={(chosen) => set({ layers: chosen as Layer[] })} />
        <MultiSelect label={t("play.persons")} placeholder={value.personHints.length ? undefined : t("say.any")} data={choices} value={value.personHints} onChange={(personHints) => set({ personHints })} />
      </div>
    </fieldset>
  );
}

/** Whether the gateway weaves memory into requests, and what that costs in tokens. */
import { NumberInput, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import type { OptionsChange } from "../api/types.gen";
import { useMayWrite, useSession } from "../shell/session";
import { t, useLanguage } from "../text";
import { Loaded } from "./pieces";
import { client, explain } from "./queries";
import { say } from "./state";

export function MemorySwitch() {
  const { space } = useSession();
  const options = useQuery({ queryKey: ["options", space], queryFn: () => call("GET /api/settings/memory") });
  return <Loaded query={options}>{(now) => <Form enabled={now.enabled} most={now.maxTokens} />}</Loaded>;
}

function Form({ enabled, most }: { enabled: boolean; most: number }) {
  const language = useLanguage();
  const mayWrite = useMayWrite();
  const [tokens, setTokens] = useState<number | string>(most);
  const save = useMutation({
    mutationFn: (body: OptionsChange) => call("PUT /api/settings/memory", { body }),
    onSuccess: () => { say(t("memories.saved")); return client.invalidateQueries({ queryKey: ["options"] }); },
    onError: () => {},
  });
  const on = save.isPending ? (save.variables.enabled ?? enabled) : enabled;
  return (
    <div className="stack">
      <Switch size="md" label={t("setup.switch")} description={t("setup.cost", { tokens: Number(tokens) || 0 })} checked={on} disabled={!mayWrite} onChange={(event) => save.mutate({ enabled: event.currentTarget.checked })} />
      <NumberInput maw={260} label={t("setup.most")} min={0} max={16000} step={250} thousandSeparator={(1000).toLocaleString(language).replace(/\d/g, "") || undefined} value={tokens} disabled={!mayWrite || !enabled} onChange={setTokens} onBlur={() => { if (Number(tokens) !== most) save.mutate({ maxTokens: Number(tokens) }); }} />
      {save.error && <p role="alert" className="small" style={{ color: "var(--bad)", margin: 0 }}>{explain(save.error)}</p>}
    </div>
  );
}

/** What whoever is not signed in sees: how to get a link, and a field for a key. */
import { Button, PasswordInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call, Problem } from "../api/client";
import iconUrl from "../icon.svg";
import { explain } from "../parts/queries";
import { setSignedOut } from "../parts/state";
import { t } from "../text";

export function SignIn({ ended }: { ended: boolean }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();

  async function enter(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!key.trim()) return;
    setBusy(true);
    try {
      await call("POST /api/session", { key: key.trim() });
      queries.clear();
      setSignedOut(false);
    } catch (error) {
      setProblem(error instanceof Problem && error.status === 401 ? t("sign.wrong") : explain(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="signin">
      <div className="stack">
        <div className="brand"><img src={iconUrl} alt="" />Bethink</div>
        <div>
          <h1 style={{ margin: 0 }}>{t("sign.title")}</h1>
          <p className="lead">{ended ? t("sign.ended") : t("sign.lead")}</p>
        </div>
        <div className="sheet stack">
          <p style={{ margin: 0 }}>{t("sign.link")}</p>
          <code className="half mono">bethink studio</code>
          <form onSubmit={(event) => void enter(event)} className="stack">
            <PasswordInput label={t("sign.or")} placeholder="bk_…" value={key} onChange={(event) => setKey(event.currentTarget.value)} error={problem} autoComplete="current-password" visibilityToggleButtonProps={{ "aria-hidden": true }} />
            <Button type="submit" loading={busy}>{t("sign.enter")}</Button>
          </form>
        </div>
      </div>
    </main>
  );
}

/** Everything asked of the server goes through here, so that a lost connection or session is noticed once. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Problem } from "../api/client";
import { t } from "../text";
import { say, setLost, setSignedOut } from "./state";

const RETRY_MS = 2000;

function notice(error: unknown): void {
  if (!(error instanceof Problem)) return;
  if (error.status === 401) setSignedOut(true);
  if (error.status === 0) waitForServer();
}

/** What to tell people of an error. */
export function explain(error: unknown): string {
  if (!(error instanceof Problem)) return t("say.error");
  return error.status === 0 ? t("say.lost") : error.detail || t("say.error");
}

export const client = new QueryClient({
  queryCache: new QueryCache({ onError: notice }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      notice(error);
      if (!mutation.options.onError) say(explain(error), { bad: true });
    },
  }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000, networkMode: "always" }, mutations: { networkMode: "always" } },
});

let waiting = false;

function waitForServer(): void {
  if (waiting) return;
  waiting = true;
  setLost(true);
  const look = async () => {
    try {
      await fetch("/healthz");
      waiting = false;
      setLost(false);
      await client.invalidateQueries();
    } catch {
      window.setTimeout(look, RETRY_MS);
    }
  };
  window.setTimeout(look, RETRY_MS);
}

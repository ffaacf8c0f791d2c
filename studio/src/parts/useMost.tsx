/** How much of a list is asked for, and the way to more of it. */
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { t } from "../text";

const LONGEST = 1000; // that the server sends at once

export function useMost(first: number): { most: number; more: (shown: number, busy: boolean) => ReactNode } {
  const [most, setMost] = useState(first);
  function more(shown: number, busy: boolean): ReactNode {
    if (shown >= LONGEST) return <p className="soft small">{t("say.newest", { count: LONGEST })}</p>;
    if (shown < most && !busy) return null;
    return <div style={{ marginTop: "0.75rem" }}><Button variant="default" loading={busy} onClick={() => setMost(Math.min(LONGEST, most + first))}>{t("do.more")}</Button></div>;
  }
  return { most, more };
}

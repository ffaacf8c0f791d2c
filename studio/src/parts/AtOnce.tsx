/** Parts of a page that ask for what they show each by itself, and appear together, so that none pushes another. */
import { useIsFetching } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Waiting } from "./pieces";

const CALM_MS = 50; // with nothing under way, after which no part will ask for more
const LONGEST_MS = 2000; // that what is there waits for what is not

export function AtOnce({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(false);
  const waiting = useIsFetching({ predicate: (query) => query.state.data === undefined });
  useEffect(() => {
    if (waiting > 0) return;
    const calm = window.setTimeout(() => setShown(true), CALM_MS);
    return () => window.clearTimeout(calm);
  }, [waiting]);
  useEffect(() => {
    const enough = window.setTimeout(() => setShown(true), LONGEST_MS);
    return () => window.clearTimeout(enough);
  }, []);
  return (
    <>
      {!shown && <Waiting />}
      <div hidden={!shown}>{children}</div>
    </>
  );
}

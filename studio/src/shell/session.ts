import { createContext, useContext } from "react";
import type { SignedIn } from "../api/shapes";

export const SessionContext = createContext<SignedIn | null>(null);

/** Who is signed in, and the space that is looked at. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session here.");
  return session;
}

export function useMayWrite(): boolean {
  const { role, space } = useSession();
  return role === "admin" || (role === "member" && space !== "global");
}

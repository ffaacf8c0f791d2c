/** What the whole page shares: short messages, whether the server is there, whether somebody is signed in. */
import { useSyncExternalStore } from "react";

export type Toast = { id: number; text: string; bad?: boolean; undo?: () => void };
type State = { toasts: Toast[]; lost: boolean; signedOut: boolean };

const TOAST_MS = 8000;
let state: State = { toasts: [], lost: false, signedOut: false };
let next = 1;
const listeners = new Set<() => void>();

function change(part: Partial<State>): void {
  state = { ...state, ...part };
  for (const listener of listeners) listener();
}

export function say(text: string, more: { bad?: boolean; undo?: () => void } = {}): void {
  const id = next++;
  change({ toasts: [...state.toasts.slice(-3), { id, text, ...more }] });
  window.setTimeout(() => dismiss(id), TOAST_MS);
}

export function dismiss(id: number): void {
  change({ toasts: state.toasts.filter((one) => one.id !== id) });
}

export function setLost(lost: boolean): void {
  if (state.lost !== lost) change({ lost });
}

export function setSignedOut(signedOut: boolean): void {
  if (state.signedOut !== signedOut) change({ signedOut });
}

export function useShared(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

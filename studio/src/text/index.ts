/** The strings in the language that was chosen. English is at hand; the others are fetched when chosen. */
import { useSyncExternalStore } from "react";
import { type Catalogue, en, type Key } from "./en";
import { filled } from "./fill";

export type { Key } from "./en";
export type Language = "en" | "pt" | "zh";
export const languages: Record<Language, string> = { en: "English", pt: "Português", zh: "中文" };
const PLACE = "bethink-language";

let current: Language = "en";
let strings: Catalogue = en;
const listeners = new Set<() => void>();

export function preferred(kept: string | null, wanted: readonly string[]): Language {
  for (const one of [kept, ...wanted]) {
    const short = one?.slice(0, 2).toLowerCase();
    if (short && short in languages) return short as Language;
  }
  return "en";
}

export async function speak(language: Language): Promise<void> {
  if (language === "pt") strings = (await import("./pt")).pt;
  else if (language === "zh") strings = (await import("./zh")).zh;
  else strings = en;
  current = language;
  document.documentElement.lang = language;
  localStorage.setItem(PLACE, language);
  for (const listener of listeners) listener();
}

export function startLanguage(): Promise<void> {
  return speak(preferred(localStorage.getItem(PLACE), navigator.languages));
}

/** A string of the catalogue with its places filled. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return filled(strings[key], values, current);
}

/** Whether a key is in the catalogue, for names that come from the server. */
export function told(key: string, otherwise: string): string {
  return key in strings ? strings[key as Key] : otherwise;
}

export function useLanguage(): Language {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

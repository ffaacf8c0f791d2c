/** Asks the server: one function, typed by the routes of its own OpenAPI document. */
import type { Routes } from "./types.gen";

/** What is optional in a request is always there in an answer. */
export type Whole<T> = T extends (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { [Name in keyof T]-?: Whole<T[Name]> }
    : T;

type Route = keyof Routes;
export type Answer<R extends Route> = Whole<Routes[R]["answer"]>;
export type Body<R extends Route> = Routes[R]["body"];
export type Query<R extends Route> = Routes[R]["query"];
export type Asked<R extends Route> = {
  path?: Routes[R]["path"];
  query?: Routes[R]["query"];
  body?: Routes[R]["body"];
  /** A body that is not JSON. */
  raw?: { content: BodyInit; type: string };
  key?: string;
  signal?: AbortSignal;
};

/** What went wrong, in the server's own words; status 0 when it could not be reached. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly field: string | null = null,
  ) {
    super(detail);
  }
}

let space: string | null = null;

/** The space that requests name from now on; null for the key's own. */
export function workIn(name: string | null): void {
  space = name;
}

/** What names the space that is looked at, where it is not the key's own. */
export function headersOfSpace(): Record<string, string> {
  return space ? { "x-bethink-space": space } : {};
}

export function addressOf(route: string, path: object = {}, query: object = {}): string {
  const filled = route.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((path as Record<string, unknown>)[name])),
  );
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") words.append(name, String(one));
    }
  }
  return words.size ? `${filled}?${words}` : filled;
}

export async function call<R extends Route>(route: R, asked: Asked<R> = {}): Promise<Answer<R>> {
  const response = await send(route, asked);
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as Answer<R>;
}

/** The answer as the server sends it, for what is not JSON. */
export async function send<R extends Route>(route: R, asked: Asked<R> = {}): Promise<Response> {
  const [method, pattern] = route.split(" ", 2) as [string, string];
  const headers = headersOfSpace();
  if (asked.key) headers["authorization"] = `Bearer ${asked.key}`;
  let body: BodyInit | undefined;
  if (asked.raw) {
    body = asked.raw.content;
    headers["content-type"] = asked.raw.type;
  } else if (asked.body !== undefined) {
    body = JSON.stringify(asked.body);
    headers["content-type"] = "application/json";
  }
  let response: Response;
  try {
    response = await fetch(addressOf(pattern, asked.path, asked.query), { method, headers, body, signal: asked.signal });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "");
  }
  if (!response.ok) throw problemOf(response.status, await response.text(), response.statusText);
  return response;
}

/** What an answer that is no success says. */
export function problemOf(status: number, body: string, otherwise: string): Problem {
  try {
    const told = JSON.parse(body) as { detail?: string; field?: string; errors?: { message: string }[] };
    const details = told.errors?.map((one) => one.message).join(" ");
    return new Problem(status, told.detail ?? details ?? otherwise, told.field ?? null);
  } catch {
    return new Problem(status, otherwise);
  }
}

// A space of a Bethink server. What is sent and answered has the types of the server's OpenAPI document.

import type {
  Ingested,
  MemoryDraft,
  MessageDraft,
  Observed,
  Problem,
  Prompt,
  PromptRequest,
  RecallRequest,
  RecallResult,
  Remembered,
  Routes,
} from "./types.gen.js";

export type * from "./types.gen.js";

export interface Options {
  /** The key; without one, only what needs none is answered. */
  key?: string;
  /** Another space than the key's own, for an admin key. */
  space?: string;
  /** How long an answer may take; a minute by default. */
  timeoutMs?: number;
  /** What sends requests; by default the `fetch` there is. */
  fetch?: typeof fetch;
}

/** What is optional in a request is always there in an answer. */
export type Whole<T> = T extends (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { [Name in keyof T]-?: Whole<T[Name]> }
    : T;

type Part<R extends keyof Routes, P extends keyof Routes[R]> = Routes[R][P];

/** What a route takes: those of its parts that it has. */
export interface Given<R extends keyof Routes> {
  path?: Part<R, "path">;
  query?: Partial<Part<R, "query">>;
  body?: Part<R, "body">;
  signal?: AbortSignal;
}

/** What the server refuses, as its problem document says it (RFC 9457). */
export class BethinkError extends Error {
  override readonly name = "BethinkError";

  constructor(
    /** The HTTP status; 0 when no server answered. */
    readonly status: number,
    message: string,
    /** The whole document, where there is one. */
    readonly problem?: Problem,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The field that is wrong, where it is one. */
  get field(): string | undefined {
    return this.problem?.field ?? undefined;
  }
}

export class Bethink {
  readonly #server: string;
  readonly #options: Options;

  /** `new Bethink("http://127.0.0.1:8420", { key })` */
  constructor(server: string, options: Options = {}) {
    if (!/^https?:\/\//.test(server)) {
      throw new TypeError(`${JSON.stringify(server)} is no address like http://127.0.0.1:8420`);
    }
    this.#server = server.replace(/\/+$/, "");
    this.#options = options;
  }

  /** Take in messages of a conversation; they are durable when this returns. */
  observe(session: string, messages: MessageDraft[]): Promise<Whole<Observed>> {
    return this.request("POST /api/sessions/{id}/messages", { path: { id: session }, body: { messages } });
  }

  /** Store a memory. */
  remember(content: string, fields: Omit<MemoryDraft, "content"> = {}): Promise<Whole<Remembered>> {
    return this.request("POST /api/memory", { body: { ...fields, content } });
  }

  /** Find what answers a query, best first. */
  recall(query: string, options: Omit<RecallRequest, "query"> = {}): Promise<Whole<RecallResult>> {
    return this.request("POST /api/search", { body: { ...options, query } });
  }

  /** The memory part of a prompt. */
  prompt(query?: string, options: Omit<PromptRequest, "query"> = {}): Promise<Whole<Prompt>> {
    return this.request("POST /api/prompt", { body: query === undefined ? options : { ...options, query } });
  }

  /** Take in messages in another program's shape, by the mapping that its platform has. */
  ingest(platform: string, payload: unknown, options: { dryRun?: boolean } = {}): Promise<Whole<Ingested>> {
    return this.request("POST /api/ingest/{platform}", { path: { platform }, query: options, body: payload });
  }

  /** Any route of the API: `request("GET /api/memory/{id}", { path: { id } })`. */
  async request<R extends keyof Routes>(route: R, given: Given<R> = {}): Promise<Whole<Part<R, "answer">>> {
    const [method = "GET", pattern = ""] = route.split(" ");
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String((given.path as Record<string, unknown> | undefined)?.[name] ?? "")),
    );
    const url = new URL(this.#server + path);
    for (const [name, value] of Object.entries({ ...given.query, space: this.#options.space })) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
      }
    }
    const headers = new Headers({ accept: "application/json" });
    if (this.#options.key) headers.set("authorization", `Bearer ${this.#options.key}`);
    const init: RequestInit = { method, headers, redirect: "error", signal: this.#signal(given.signal) };
    if (given.body !== undefined) {
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(given.body);
    }
    const answer = await this.#send(url, init);
    const text = await answer.text();
    if (!answer.ok) throw refusal(answer, text);
    return (text ? JSON.parse(text) : undefined) as Whole<Part<R, "answer">>;
  }

  #signal(own: AbortSignal | undefined): AbortSignal {
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? 60_000);
    return own ? AbortSignal.any([own, limit]) : limit;
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await (this.#options.fetch ?? fetch)(url, init);
    } catch (error) {
      const slow = error instanceof DOMException && error.name === "TimeoutError";
      const told = slow ? "did not answer in time" : "cannot be reached";
      throw new BethinkError(0, `${url.origin} ${told}.`, undefined, { cause: error });
    }
  }
}

function refusal(answer: Response, text: string): BethinkError {
  if (answer.headers.get("content-type")?.startsWith("application/problem+json")) {
    const problem = JSON.parse(text) as Problem;
    return new BethinkError(answer.status, problem.detail, problem);
  }
  return new BethinkError(answer.status, `The server answered ${answer.status} ${answer.statusText}.`);
}

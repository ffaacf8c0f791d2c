/** The records as answers hold them. */
import type { Whole } from "./client";
import type * as Api from "./types.gen";

export type Memory = Whole<Api.Memory>;
export type Fact = Whole<Api.Fact>;
export type Message = Whole<Api.Message>;
export type Session = Whole<Api.Session>;
export type Person = Whole<Api.Person>;
export type Hit = Whole<Api.Hit>;
export type Preview = Whole<Api.Preview>;
export type Prompt = Whole<Api.Prompt>;
export type JournalEntry = Whole<Api.JournalEntry>;
export type Document = Whole<Api.Document>;
export type DocumentHit = Whole<Api.DocumentHit>;
export type Summary = Whole<Api.Summary>;
export type SweepStatus = Whole<Api.SweepStatus>;
export type SignedIn = Whole<Api.SignedIn>;
export type Layer = Api.Layer;
export type MemoryType = Api.MemoryType;
export type { MemoryChange, MemoryDraft, RecallRequest } from "./types.gen";

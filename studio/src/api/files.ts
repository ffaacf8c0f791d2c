/** Files on their way to the server, and how far the server is with them. */
import { addressOf, type Answer, headersOfSpace, Problem, problemOf, send } from "./client";
import type { Document } from "./shapes";

/** How far a document is: `embedded` of its passages can be found by their meaning. */
export type Progress = Pick<Document, "id" | "status" | "problem" | "passages"> & { embedded: number };

/** Send a file. `fetch` cannot tell how much of it is sent, so this is an older way. */
export function upload(file: File, sent: (share: number) => void): Promise<Answer<"POST /api/documents">> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", addressOf("/api/documents", {}, { name: file.name }));
    for (const [name, value] of Object.entries(headersOfSpace())) request.setRequestHeader(name, value);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = (event) => sent(event.total > 0 ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Problem(0, ""));
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText) as Answer<"POST /api/documents">);
      else reject(problemOf(request.status, request.responseText, request.statusText));
    };
    request.send(file);
  });
}

/** Tell how far a document is, each time it got further, until it goes no further by itself. */
export async function follow(id: string, signal: AbortSignal, told: (progress: Progress) => void): Promise<void> {
  const response = await send("GET /api/documents/{id}/events", { path: { id }, signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = eventsIn(rest + piece.value);
    rest = events.rest;
    for (const data of events.whole) told(JSON.parse(data) as Progress);
  }
}

/** The data of the server-sent events that have come whole, and what has come of the next. */
export function eventsIn(text: string): { whole: string[]; rest: string } {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const data = (block: string) => block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart()).join("\n");
  return { whole: blocks.map(data).filter(Boolean), rest };
}

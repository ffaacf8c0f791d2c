import { ActionIcon, Progress, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../api/client";
import { follow, type Progress as Told } from "../api/files";
import type { Document, DocumentHit } from "../api/shapes";
import { bytes, DocumentDetail, type Opened } from "../parts/DocumentDetail";
import { DropZone } from "../parts/DropZone";
import { marked } from "../parts/marked";
import { Empty, Loaded, Page, Sheet, When } from "../parts/pieces";
import { client } from "../parts/queries";
import { useMost } from "../parts/useMost";
import { type Upload, useUploads } from "../parts/useUploads";
import { Icon } from "../shell/icons";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";

const FIRST = 100;
const FOUND = 10;
const DOTS: Record<string, string> = { ready: "good", failed: "bad", queued: "", parsing: "warn", embedding: "warn" };
const isOver = (status: string) => status === "ready" || status === "failed";

export default function Documents() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const { id, q } = useSearch({ strict: false }) as { id?: string; q?: string };
  const [words, setWords] = useState(q ?? "");
  const { most, more } = useMost(FIRST);
  const [query] = useDebouncedValue(words.trim(), 300);
  const [open, setOpen] = useState<Opened | null>(id ? { id, at: null } : null);
  const { uploads, add, remove } = useUploads();
  const documents = useQuery({ queryKey: ["documents", space, "list", most], queryFn: () => call("GET /api/documents", { query: { limit: most } }), refetchInterval: 10_000, placeholderData: keepPreviousData });
  return (
    <Page title="docs.title" lead="docs.lead">
      <div className="stack">
        {mayWrite && <DropZone onFiles={(files) => void add(files)} />}
        {uploads.length > 0 && <Sending uploads={uploads} onRemove={remove} />}
        <TextInput type="search" aria-label={t("docs.search")} placeholder={t("docs.search")} leftSection={<Icon name="search" size={18} />} value={words} onChange={(event) => setWords(event.currentTarget.value)} />
        {query ? <Found query={query} onOpen={(hit) => setOpen({ id: hit.documentId, at: { first: hit.first, last: hit.last } })} /> : (
          <Loaded query={documents}>
            {({ items, total }) => items.length === 0 ? <Sheet><Empty icon="documents" title={t("docs.none")} hint={t("docs.noneHint")} /></Sheet> : (
              <Sheet title={t("docs.count", { count: total })}>
                <ul className="lines">{items.map((one) => <Line key={one.id} one={one} onOpen={() => setOpen({ id: one.id, at: null })} />)}</ul>
                {more(items.length, documents.isPlaceholderData)}
              </Sheet>
            )}
          </Loaded>
        )}
      </div>
      <DocumentDetail open={open} onClose={() => setOpen(null)} />
    </Page>
  );
}

function Sending({ uploads, onRemove }: { uploads: Upload[]; onRemove: (one: Upload) => void }) {
  return (
    <Sheet title={t("docs.sending")}>
      <ul className="lines">
        {uploads.map((one, at) => (
          <li key={at}>
            <div className="spread"><span className="cut">{one.name}</span>{one.problem && <ActionIcon variant="subtle" onClick={() => onRemove(one)} aria-label={`${t("do.close")}: ${one.name}`}><Icon name="close" size={16} /></ActionIcon>}</div>
            {one.problem ? <p className="small cut" role="alert" style={{ color: "var(--bad)", margin: 0 }}>{one.problem}</p> : <Progress value={one.share * 100} aria-label={`${t("engine.progress")}: ${one.name}`} />}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Line({ one, onOpen }: { one: Document; onOpen: () => void }) {
  const language = useLanguage();
  const progress = useProgress(one);
  const status = progress?.status ?? one.status;
  const passages = progress?.passages ?? one.passages;
  return (
    <li>
      <div className="spread">
        <button type="button" className="plainbutton" onClick={onOpen}><b>{one.name}</b></button>
        <span className="row small" style={{ flexWrap: "nowrap" }}><span className={`dot ${DOTS[status] ?? ""}`} /> {told(`docs.${status}`, status)}</span>
      </div>
      <div className="row soft small">
        <span className="tag">{one.kind}</span>
        <span>{bytes(one.sizeBytes, language)}</span>
        {passages > 0 && <span>{t("docs.passages", { count: passages })}</span>}
        <When at={one.createdAt} />
      </div>
      {progress && !isOver(status) && passages > 0 && <Progress mt="xs" value={(100 * progress.embedded) / passages} aria-label={`${t("engine.progress")}: ${one.name}`} />}
      {(progress?.problem ?? one.problem) && <p className="small cut" style={{ color: "var(--warn)", margin: "0.25rem 0 0" }}>{progress?.problem ?? one.problem}</p>}
    </li>
  );
}

/** How far a document is, told by the server as it gets further. */
function useProgress(one: Document): Told | null {
  const [progress, setProgress] = useState<Told | null>(null);
  const isDone = isOver(one.status);
  useEffect(() => {
    if (isDone) return;
    const stop = new AbortController();
    follow(one.id, stop.signal, setProgress)
      .catch(() => {}) // the list is asked for again in any case
      .then(() => { if (!stop.signal.aborted) void client.invalidateQueries({ queryKey: ["documents"] }); });
    return () => stop.abort();
  }, [one.id, isDone]);
  return isDone ? null : progress;
}

function Found({ query, onOpen }: { query: string; onOpen: (hit: DocumentHit) => void }) {
  const { space } = useSession();
  const found = useQuery({ queryKey: ["documents", space, "found", query], queryFn: () => call("POST /api/documents/search", { body: { query, limit: FOUND } }) });
  return (
    <Loaded query={found}>
      {({ hits, degraded }) => hits.length === 0 ? <Sheet><Empty icon="search" title={t("memories.noMatch")} hint={t("docs.noMatch")} /></Sheet> : (
        <Sheet title={t("docs.found", { count: hits.length })}>
          {degraded.map((reason) => <p key={reason} className="small" style={{ color: "var(--warn)" }}>{t("play.fallback", { reason })}</p>)}
          <ol className="lines">
            {hits.map((hit) => (
              <li key={hit.passageId}>
                <button type="button" className="plainbutton small" onClick={() => onOpen(hit)}><b>{hit.citation}</b></button>
                <p className="pre" style={{ marginTop: "0.2rem" }}>{marked(hit.snippet, hit.marks).map((part, at) => part.hit ? <mark key={at}>{part.text}</mark> : part.text)}</p>
              </li>
            ))}
          </ol>
        </Sheet>
      )}
    </Loaded>
  );
}

/** One document: what it tells of itself, its text, and what can be done with it. */
import { Button, Drawer } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addressOf, call } from "../api/client";
import type { Document } from "../api/shapes";
import { useMayWrite, useSession } from "../shell/session";
import { t, told, useLanguage } from "../text";
import { moment } from "../text/dates";
import { marked } from "./marked";
import { Loaded } from "./pieces";
import { client } from "./queries";
import { say } from "./state";

const PIECE = 6_000;
const BEFORE = 300;
type Span = { first: number; last: number };
/** A document, and the passage in it that is looked for. */
export type Opened = { id: string; at: Span | null };

export function DocumentDetail({ open, onClose }: { open: Opened | null; onClose: () => void }) {
  const { space } = useSession();
  const document = useQuery({ queryKey: ["documents", space, open?.id], queryFn: () => call("GET /api/documents/{id}", { path: { id: open!.id } }), enabled: open !== null });
  return (
    <Drawer opened={open !== null} onClose={onClose} position="right" size="xl" title={document.data?.name ?? t("docs.title")} closeButtonProps={{ "aria-label": t("do.close") }}>
      {open && <Loaded query={document}>{(one) => <Detail key={one.updatedAt + (open.at?.first ?? "")} one={one} at={open.at} onClose={onClose} />}</Loaded>}
    </Drawer>
  );
}

function Detail({ one, at, onClose }: { one: Document; at: Span | null; onClose: () => void }) {
  const language = useLanguage();
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const [sure, setSure] = useState(false);
  const refresh = () => client.invalidateQueries();
  const retry = useMutation({ mutationFn: () => call("POST /api/documents/{id}/retry", { path: { id: one.id } }), onSuccess: refresh });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/documents/{id}", { path: { id: one.id } }),
    onSuccess: () => { onClose(); say(t("docs.removed", { name: one.name })); return refresh(); },
  });
  const facets: [string, string][] = [
    [t("docs.kind"), one.kind],
    [t("docs.state"), told(`docs.${one.status}`, one.status)],
    [t("docs.size"), bytes(one.sizeBytes, language)],
    [t("layer.passage"), one.passages.toLocaleString(language)],
    [t("docs.added"), moment(one.createdAt, language)],
    ...Object.entries(one.metadata).filter(([, value]) => typeof value !== "object").map(([name, value]) => [name, String(value)] as [string, string]),
  ];
  return (
    <div className="stack">
      {one.problem && <p className="problem" role="note" style={{ margin: 0 }}>{one.problem}</p>}
      <dl className="pairs">{facets.map(([name, value]) => <div key={name} style={{ display: "contents" }}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      {mayWrite && (
        <div className="row">
          {one.original && <Button component="a" variant="default" href={addressOf("/api/documents/{id}/original", { id: one.id }, { space })} download={one.name}>{t("docs.original")}</Button>}
          {one.status === "failed" && <Button variant="default" onClick={() => retry.mutate()} loading={retry.isPending}>{t("do.retry")}</Button>}
          {sure ? (
            <>
              <Button color="red" onClick={() => remove.mutate()} loading={remove.isPending}>{t("docs.sure")}</Button>
              <Button variant="subtle" onClick={() => setSure(false)}>{t("do.cancel")}</Button>
            </>
          ) : <Button variant="default" onClick={() => setSure(true)}>{t("docs.remove")}</Button>}
        </div>
      )}
      {one.characters > 0 && <Words one={one} at={at} />}
    </div>
  );
}

function Words({ one, at }: { one: Document; at: Span | null }) {
  const { space } = useSession();
  const begin = Math.max(0, (at?.first ?? 0) - BEFORE);
  const text = useInfiniteQuery({
    queryKey: ["document", space, one.id, one.updatedAt, begin],
    queryFn: ({ pageParam }) => call("GET /api/documents/{id}/content", { path: { id: one.id }, query: { offset: pageParam, limit: PIECE } }),
    initialPageParam: begin,
    getNextPageParam: (page) => page.nextOffset ?? undefined,
  });
  return (
    <section>
      <h3 style={{ margin: "0 0 0.5rem" }}>{t("docs.text")}{begin > 0 && <span className="soft small"> · {t("docs.from", { at: begin })}</span>}</h3>
      <Loaded query={text}>
        {({ pages }) => (
          <>
            <p className="pre">{begin > 0 && "…"}{marked(pages.map((page) => page.text).join(""), at ? [[at.first - begin, at.last - begin]] : []).map((part, place) => part.hit ? <mark key={place}>{part.text}</mark> : part.text)}</p>
            {text.hasNextPage && <Button variant="default" mt="sm" onClick={() => void text.fetchNextPage()} loading={text.isFetchingNextPage}>{t("do.more")}</Button>}
          </>
        )}
      </Loaded>
    </section>
  );
}

export function bytes(count: number, language: string): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(count, 1)) / 3));
  return (count / 1000 ** step).toLocaleString(language, { style: "unit", unit: units[step], unitDisplay: step === 0 ? "long" : "short", maximumFractionDigits: 1 });
}

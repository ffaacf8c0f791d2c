/** The list of memories. Only what is in view is asked for and drawn, so that a hundred thousand are no more than ten. */
import { ActionIcon, Button, Checkbox } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { type Answer, call } from "../api/client";
import type { Memory } from "../api/shapes";
import type { Filters } from "../pages/Memories";
import { useMayWrite, useSession } from "../shell/session";
import { t, told } from "../text";
import { BulkActions } from "./BulkActions";
import { InPlace } from "./InPlace";
import { Empty, Loaded, Sheet, When } from "./pieces";
import { Icon } from "../shell/icons";
import { piecesOf } from "./pieces-of";
import { usePeople } from "./usePeople";

const PIECE = 50;
const ROW = { narrow: 92, wide: 68 }; // on a wide page a text has one line
const LIVE_MS = 10_000;
type Props = { filters: Filters; open: string | undefined; onOpen: (id: string) => void; onClear: () => void; onAdd?: () => void };

export function MemoryList({ filters, open, onOpen, onClear, onAdd }: Props) {
  const { space } = useSession();
  const first = useQuery({
    queryKey: ["memories", space, filters, 0],
    queryFn: ({ signal }) => call("GET /api/memory", { query: { ...filters, limit: PIECE, offset: 0 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
  const filtered = Object.values(filters).some((one) => one !== undefined);
  return (
    <Loaded query={first}>
      {(data) =>
        data.items.length > 0 ? (
          <Rows key={JSON.stringify(filters)} first={data} filters={filters} open={open} onOpen={onOpen} />
        ) : filtered ? (
          <Sheet>
            <Empty icon="search" title={t("memories.noMatch")} hint={t("memories.noMatchHint")}>
              <Button variant="default" onClick={onClear}>{t("memories.clear")}</Button>
            </Empty>
          </Sheet>
        ) : (
          <Sheet>
            <Empty icon="memories" title={t("memories.none")} hint={t("memories.noneHint")}>
              {onAdd && <Button onClick={onAdd}>{t("memories.add")}</Button>}
            </Empty>
          </Sheet>
        )
      }
    </Loaded>
  );
}

function Rows({ first, filters, open, onOpen }: { first: Answer<"GET /api/memory"> } & Pick<Props, "filters" | "open" | "onOpen">) {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const { nameOf } = usePeople();
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [selected, setSelected] = useState<ReadonlyMap<string, Memory>>(new Map());
  useEffect(() => setTop(place.current?.offsetTop ?? 0), []);
  const count = first.total ?? first.items.length;
  const height = useMediaQuery("(min-width: 48em)", true, { getInitialValueInEffect: false }) ? ROW.wide : ROW.narrow;
  const rows = useWindowVirtualizer({ count, estimateSize: () => height, overscan: 6, scrollMargin: top });
  useEffect(() => rows.measure(), [rows, height]);
  const items = rows.getVirtualItems();
  const wanted = piecesOf(items.map((one) => one.index), PIECE).filter((one) => one > 0);
  const rest = useQueries({
    queries: wanted.map((piece) => ({
      queryKey: ["memories", space, filters, piece],
      queryFn: () => call("GET /api/memory", { query: { ...filters, limit: PIECE, offset: piece * PIECE } }),
      staleTime: LIVE_MS,
    })),
  });
  const successors = Object.assign({}, first.supersededBy, ...rest.map((one) => one.data?.supersededBy)) as Record<string, string>;
  const pieces = new Map<number, Memory[]>([[0, first.items], ...wanted.map((piece, at) => [piece, rest[at]?.data?.items ?? []] as [number, Memory[]])]);

  const loaded = [...pieces.values()].flat();

  function select(one: Memory, on: boolean): void {
    const next = new Map(selected);
    if (on) next.set(one.id, one);
    else next.delete(one.id);
    setSelected(next);
  }

  return (
    <>
      <div className="row">
        {mayWrite && <Checkbox size="xs" ml="0.95rem" aria-label={t("memories.selectAll", { count: loaded.length })} checked={loaded.length > 0 && loaded.every(({ id }) => selected.has(id))} indeterminate={selected.size > 0 && !loaded.every(({ id }) => selected.has(id))} onChange={(event) => setSelected(new Map(event.currentTarget.checked ? loaded.map((one) => [one.id, one]) : []))} />}
        <span className="soft small" role="status">
          {first.total === null ? t("memories.found", { count }) : t("memories.count", { count })}
        </span>
      </div>
      <div className="sheet" style={{ padding: 0 }}>
        <div ref={place} className="list" role="list" aria-label={t("memories.title")} style={{ height: rows.getTotalSize() }}>
          {items.map((row) => {
            const one = pieces.get(Math.floor(row.index / PIECE))?.[row.index % PIECE];
            return (
              <div key={row.key} role="listitem" className="item" aria-current={one && one.id === open ? "true" : undefined} aria-setsize={count} aria-posinset={row.index + 1} style={{ height, transform: `translateY(${row.start - rows.options.scrollMargin}px)` }}>
                {one ? (
                  <Row one={one} name={nameOf(one.personId)} successor={successors[one.id]} selected={selected.has(one.id)} onSelect={mayWrite ? (on) => select(one, on) : undefined} onOpen={() => onOpen(one.id)} />
                ) : (
                  <><span /><div aria-hidden="true"><div className="ghost" /><div className="ghost" style={{ width: "55%" }} /></div></>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {selected.size > 0 && <BulkActions selected={[...selected.values()]} onDone={() => setSelected(new Map())} />}
    </>
  );
}

/** What took the place of a memory: another, or else the message that said it. */
function Successor({ id }: { id: string }) {
  const { space } = useSession();
  const found = useQuery({
    queryKey: ["successor", space, id],
    queryFn: () => call("GET /api/memory/{id}", { path: { id } }).catch(() => call("GET /api/messages/{id}", { path: { id } })),
    staleTime: Infinity,
  });
  return <span className="successor">{t("memories.superseded", { text: found.data?.content ?? "…" })}</span>;
}

function Row({ one, name, successor, selected, onSelect, onOpen }: { one: Memory; name: string | null; successor: string | undefined; selected: boolean; onSelect?: (on: boolean) => void; onOpen: () => void }) {
  const [editing, setEditing] = useState(false);
  if (editing) return <InPlace one={one} onDone={() => setEditing(false)} />;
  const edit = one.content.includes("\n") ? onOpen : () => setEditing(true); // a field of one line would lose the others
  return (
    <>
      <div style={{ padding: "0.15rem 0 0 0.6rem" }}>
        {onSelect && <Checkbox size="xs" aria-label={t("memories.select", { text: one.content.slice(0, 60) })} checked={selected} onChange={(event) => onSelect(event.currentTarget.checked)} />}
      </div>
      <div style={{ minWidth: 0 }}>
        <button type="button" className={successor ? "text soft" : "text"} onClick={onOpen}>{one.title ? <><b>{one.title}</b> · </> : null}{one.content}</button>
        <div className="meta">
          <When at={one.observedAt} />
          <span className="tag">{told(`type.${one.type}`, one.type)}</span>
          {name && <span className="tag">{name}</span>}
          {one.tags.slice(0, 4).map((tag) => <span className="tag" key={tag}>#{tag}</span>)}
          {successor && <Successor id={successor} />}
        </div>
      </div>
      <div className="row" style={{ paddingLeft: "0.75rem", flexWrap: "nowrap", alignItems: "flex-start" }}>
        {one.pinned && <span role="img" aria-label={t("memories.pinned")} style={{ color: "var(--layer-fact)" }}><Icon name="pin" size={18} /></span>}
        {onSelect && <ActionIcon className="quiet" variant="subtle" color="gray" aria-label={t("memories.inline", { text: one.content.slice(0, 60) })} onClick={edit}><Icon name="pencil" size={16} /></ActionIcon>}
      </div>
    </>
  );
}

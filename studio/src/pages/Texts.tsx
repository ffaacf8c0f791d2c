import { Button, Modal, Tabs, TextInput, Textarea } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, call } from "../api/client";
import { Empty, Loaded, Page, Sheet } from "../parts/pieces";
import { client, explain } from "../parts/queries";
import { say } from "../parts/state";
import { useMayWrite, useSession } from "../shell/session";
import { t } from "../text";

type Context = Answer<"GET /api/contexts">["items"][number];

export default function Texts() {
  return (
    <Page title="texts.title" lead="texts.lead">
      <Tabs defaultValue="soul" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="soul">{t("texts.soul")}</Tabs.Tab>
          <Tabs.Tab value="narrative">{t("texts.narrative")}</Tabs.Tab>
          <Tabs.Tab value="contexts">{t("texts.contexts")}</Tabs.Tab>
          <Tabs.Tab value="files">{t("texts.files")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="soul"><OneText route="soul" hint={t("texts.soulHint")} /></Tabs.Panel>
        <Tabs.Panel value="narrative"><OneText route="narrative" hint={t("texts.narrativeHint")} /></Tabs.Panel>
        <Tabs.Panel value="contexts"><Contexts /></Tabs.Panel>
        <Tabs.Panel value="files"><Files /></Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function OneText({ route, hint }: { route: "soul" | "narrative"; hint: string }) {
  const { space } = useSession();
  const text = useQuery({ queryKey: ["text", space, route], queryFn: () => call(`GET /api/${route}`) });
  return (
    <Loaded query={text}>
      {({ content }) => (
        <div className="stack">
          <Edit key={content} route={route} first={content} hint={hint} />
          <Preview of={content} />
        </div>
      )}
    </Loaded>
  );
}

/** How the texts stand in every prompt. */
function Preview({ of }: { of: string }) {
  const { space } = useSession();
  const prompt = useQuery({ queryKey: ["prompt", space, "stable", of], queryFn: () => call("POST /api/prompt", { body: { catchUp: false } }), placeholderData: keepPreviousData });
  return (
    <Sheet title={t("texts.preview")}>
      <Loaded query={prompt}>
        {(data) => <pre className="half pre mono" tabIndex={0}>{data.enabled ? data.stable || t("play.emptyHalf") : t("play.off")}</pre>}
      </Loaded>
    </Sheet>
  );
}

function Edit({ route, first, hint }: { route: "soul" | "narrative"; first: string; hint: string }) {
  const mayWrite = useMayWrite();
  const [content, setContent] = useState(first);
  const save = useMutation({
    mutationFn: () => call(`PUT /api/${route}`, { body: { content } }),
    onSuccess: () => { say(t("memories.saved")); return client.invalidateQueries(); },
    onError: () => {},
  });
  return (
    <Sheet>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <Textarea label={t(`texts.${route}`)} description={hint} autosize minRows={8} maxRows={28} readOnly={!mayWrite} value={content} onChange={(event) => setContent(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
        {mayWrite && <div className="row end"><Button type="submit" disabled={content === first} loading={save.isPending}>{t("do.save")}</Button></div>}
      </form>
    </Sheet>
  );
}

function Files() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const raw = useQuery({ queryKey: ["raw", space], queryFn: () => call("GET /api/raw") });
  const sync = useMutation({
    mutationFn: () => call("POST /api/raw/sync"),
    onSuccess: (done) => { say([...done.conflicts, ...done.problems][0] ?? t("texts.synced")); return client.invalidateQueries(); },
  });
  return (
    <Loaded query={raw}>
      {(data) => (
        <div className="stack">
          <MemoryFile key={data.memory} first={data.memory} mayWrite={mayWrite} />
          <Sheet title="SOUL.md" actions={mayWrite && <Button variant="default" onClick={() => sync.mutate()} loading={sync.isPending}>{t("texts.sync")}</Button>}><pre className="half pre mono" tabIndex={0}>{data.soul || t("play.emptyHalf")}</pre></Sheet>
        </div>
      )}
    </Loaded>
  );
}

/** MEMORY.md, whose lines are facts. What could not be taken in stays in the field, with the reason. */
function MemoryFile({ first, mayWrite }: { first: string; mayWrite: boolean }) {
  const [memory, setMemory] = useState(first);
  const save = useMutation({
    mutationFn: () => call("PUT /api/raw", { body: { memory, base: first } }),
    onSuccess: (done) => {
      say(done.factsSet + done.factsDropped ? t("texts.memoryTaken", { set: done.factsSet, dropped: done.factsDropped }) : t("texts.memoryNothing"));
      if (done.problems.length + done.conflicts.length === 0) return client.invalidateQueries();
      return undefined;
    },
    onError: () => {},
  });
  const wrong = save.error ? [explain(save.error)] : [...(save.data?.conflicts ?? []), ...(save.data?.problems ?? [])];
  return (
    <Sheet>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <Textarea label="MEMORY.md" description={t("texts.memoryHint")} placeholder={t("texts.memoryExample")} classNames={{ input: "mono" }} autosize minRows={8} maxRows={28} readOnly={!mayWrite} value={memory} onChange={(event) => { setMemory(event.currentTarget.value); save.reset(); }} error={wrong.length > 0 ? wrong.join("\n") : undefined} errorProps={{ className: "pre" }} />
        {mayWrite && <div className="row end"><Button type="submit" disabled={memory === first} loading={save.isPending}>{t("do.save")}</Button></div>}
      </form>
    </Sheet>
  );
}

function Contexts() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState<Partial<Context> | null>(null);
  const contexts = useQuery({ queryKey: ["contexts", space], queryFn: () => call("GET /api/contexts") });
  return (
    <Sheet title={t("texts.contexts")} actions={mayWrite && <Button variant="default" onClick={() => setOpen({})}>{t("texts.addContext")}</Button>}>
      <Loaded query={contexts}>
        {({ items }) => items.length === 0 ? <Empty icon="texts" title={t("texts.noContexts")} hint={t("texts.contextsHint")} /> : (
          <ul className="lines">
            {items.map((one) => (
              <li key={one.id} className="spread"><span className="cut"><b>{one.name}</b><span className="soft small pre" style={{ display: "block" }}>{one.content.slice(0, 300)}</span></span>{mayWrite && <Button variant="default" onClick={() => setOpen(one)} aria-label={`${t("memories.edit")}: ${one.name}`}>{t("memories.edit")}</Button>}</li>
            ))}
          </ul>
        )}
      </Loaded>
      {open && <ContextForm first={open} onClose={() => setOpen(null)} />}
    </Sheet>
  );
}

function ContextForm({ first, onClose }: { first: Partial<Context>; onClose: () => void }) {
  const [name, setName] = useState(first.name ?? "");
  const [content, setContent] = useState(first.content ?? "");
  const done = () => { say(t("memories.saved")); onClose(); return client.invalidateQueries(); };
  const save = useMutation({
    mutationFn: async () => {
      if (first.id) await call("PATCH /api/contexts/{id}", { path: { id: first.id }, body: { name, content } });
      else await call("POST /api/contexts", { body: { name, content } });
    },
    onSuccess: done,
    onError: () => {},
  });
  const remove = useMutation({ mutationFn: () => call("DELETE /api/contexts/{id}", { path: { id: first.id! } }), onSuccess: done });
  return (
    <Modal opened onClose={onClose} size="lg" title={first.id ? `${t("memories.edit")}: ${first.name}` : t("texts.addContext")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); save.mutate(); }}>
        <TextInput label={t("people.displayName")} required data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Textarea label={t("texts.content")} required autosize minRows={6} maxRows={20} value={content} onChange={(event) => setContent(event.currentTarget.value)} error={save.error ? explain(save.error) : undefined} />
        <div className="spread">
          {first.id ? <Button variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>{t("do.delete")}</Button> : <span />}
          <span className="row"><Button variant="default" onClick={onClose}>{t("do.cancel")}</Button><Button type="submit" loading={save.isPending}>{t("do.save")}</Button></span>
        </div>
      </form>
    </Modal>
  );
}

import { Autocomplete, Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, type Body, call } from "../api/client";
import { Empty, Page, Sheet, Trouble } from "../parts/pieces";
import { rowsOf } from "../parts/names";
import { client } from "../parts/queries";
import { usePeople } from "../parts/usePeople";
import { useMayWrite, useSession } from "../shell/session";
import { t } from "../text";

type What = "query" | "person" | "session" | "everything";
type Receipt = Answer<"POST /api/erase">;

export default function Erase() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const { choices } = usePeople();
  const [what, setWhat] = useState<What>("query");
  const [words, setWords] = useState("");
  const [confirmed, setConfirmed] = useState("");
  const sessions = useQuery({ queryKey: ["sessions", space], queryFn: () => call("GET /api/sessions", { query: { limit: 200 } }), enabled: what === "session" });
  const asked = (dryRun: boolean): Body<"POST /api/erase"> => ({
    dryRun,
    everything: what === "everything",
    ...(what === "query" && { query: words }),
    ...(what === "person" && { personId: words }),
    ...(what === "session" && { sessionId: words }),
  });
  const look = useMutation({ mutationFn: () => call("POST /api/erase", { body: asked(true) }), onError: () => {} });
  const erase = useMutation({
    mutationFn: () => call("POST /api/erase", { body: asked(false) }),
    onSuccess: () => { look.reset(); setConfirmed(""); return client.invalidateQueries(); },
    onError: () => {},
  });
  const anew = () => { look.reset(); erase.reset(); setConfirmed(""); };
  if (!mayWrite) return <Page title="erase.title" lead="erase.lead"><Sheet><Empty icon="erase" title={t("say.readOnly")} /></Sheet></Page>;
  return (
    <Page title="erase.title" lead="erase.lead">
      <div className="stack">
        <Sheet>
          <form className="stack" onSubmit={(event) => { event.preventDefault(); erase.reset(); look.mutate(); }}>
            <div className="row" style={{ alignItems: "flex-end" }}>
              <Select w={{ base: "100%", sm: 270 }} label={t("erase.what")} allowDeselect={false} value={what} onChange={(one) => { setWhat(one as What); setWords(""); anew(); }} data={(["query", "person", "session", "everything"] as const).map((one) => ({ value: one, label: t(`erase.${one}`) }))} />
              {what === "person" && <Select label={t("memories.person")} searchable data={choices} value={words || null} onChange={(one) => { setWords(one ?? ""); anew(); }} />}
              {what === "query" && <TextInput style={{ flex: "1 1 14rem" }} label={t("erase.words")} value={words} onChange={(event) => { setWords(event.currentTarget.value); anew(); }} />}
              {what === "session" && <Autocomplete style={{ flex: "1 1 14rem" }} label={t("erase.sessionId")} data={sessions.data?.items.map((one) => one.id) ?? []} limit={50} value={words} onChange={(id) => { setWords(id); anew(); }} />}
              <Button type="submit" variant="default" loading={look.isPending} disabled={what !== "everything" && !words.trim()}>{t("erase.look")}</Button>
            </div>
            {(look.error ?? erase.error) && <Trouble error={look.error ?? erase.error} />}
          </form>
        </Sheet>
        {look.data && (
          <Sheet title={t("erase.wouldGo")}>
            <Counts receipt={look.data} />
            {Object.values(look.data.erased).some((count) => count > 0) && (
              <form className="row" style={{ alignItems: "flex-end", marginTop: "0.8rem" }} onSubmit={(event) => { event.preventDefault(); erase.mutate(); }}>
                <TextInput label={t("erase.confirm", { space })} value={confirmed} onChange={(event) => setConfirmed(event.currentTarget.value)} autoComplete="off" />
                <Button type="submit" color="red" disabled={confirmed !== space} loading={erase.isPending}>{t("erase.now")}</Button>
              </form>
            )}
          </Sheet>
        )}
        {!look.data && !erase.data && <Sheet><Empty icon="erase" title={t("erase.start")} hint={t("erase.startHint")} /></Sheet>}
        {erase.data && <Sheet title={t("erase.receipt")}><Proof receipt={erase.data} /></Sheet>}
      </div>
    </Page>
  );
}

function Counts({ receipt }: { receipt: Receipt }) {
  const counts = Object.entries(receipt.erased).filter(([, count]) => count > 0);
  if (counts.length === 0) return <p className="soft">{t("erase.nothing")}</p>;
  return <dl className="pairs">{counts.map(([what, count]) => <div key={what} style={{ display: "contents" }}><dt>{rowsOf(what)}</dt><dd>{count}</dd></div>)}</dl>;
}

function Proof({ receipt }: { receipt: Receipt }) {
  const { proof, storage } = receipt;
  return (
    <div className="stack" role="status">
      <p className="row" style={{ margin: 0 }}><span className={`dot ${receipt.complete ? "good" : "bad"}`} /> {receipt.complete ? t("erase.complete") : t("erase.incomplete")}</p>
      <Counts receipt={receipt} />
      {proof && <p className="small soft" style={{ margin: 0 }}>{t("erase.proof", { tables: proof.tables, rows: proof.rows, texts: proof.texts, ids: proof.ids })}</p>}
      {storage?.notes.map((note) => <p key={note} className="small soft" style={{ margin: 0 }}>{note}</p>)}
      <p className="mono soft" style={{ margin: 0 }}>{receipt.id}</p>
    </div>
  );
}

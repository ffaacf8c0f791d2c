import { Button, FileInput, Switch, TagsInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, send } from "../api/client";
import { Page, Sheet, Trouble } from "../parts/pieces";
import { rowsOf } from "../parts/names";
import { client } from "../parts/queries";
import { saveAs } from "../parts/saveAs";
import { useMayWrite } from "../shell/session";
import { t } from "../text";

export default function Transfer() {
  const mayWrite = useMayWrite();
  return (
    <Page title="transfer.title" lead="transfer.lead">
      <div className="grid wide">
        {mayWrite && <Import />}
        <Export mayWrite={mayWrite} />
      </div>
    </Page>
  );
}

function Import() {
  const [file, setFile] = useState<File | null>(null);
  const [me, setMe] = useState<string[]>([]);
  const take = useMutation({
    mutationFn: (chosen: File) => call("POST /api/import", { query: { name: chosen.name, me: me.length ? me : undefined }, raw: { content: chosen, type: "application/octet-stream" } }),
    onSuccess: () => client.invalidateQueries(),
    onError: () => {},
  });
  return (
    <Sheet title={t("transfer.import")}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); if (file) take.mutate(file); }}>
        <FileInput label={t("transfer.file")} description={t("transfer.formats")} placeholder={t("transfer.choose")} value={file} onChange={(chosen) => { setFile(chosen); take.reset(); }} clearable clearButtonProps={{ "aria-label": t("memories.clear") }} />
        <TagsInput label={t("transfer.me")} description={t("transfer.meHint")} value={me} onChange={setMe} />
        <div className="row end"><Button type="submit" disabled={!file} loading={take.isPending}>{t("transfer.import")}</Button></div>
        {take.error && <Trouble error={take.error} />}
        {take.data && (
          <div role="status" className="small">
            <b>{t("transfer.taken", { format: take.data.format })}</b>
            <ul>
              {Object.entries(take.data.stored).map(([what, count]) => <li key={what}>{rowsOf(what)}: {count}</li>)}
              {Object.entries(take.data.duplicates).map(([what, count]) => <li key={what}>{t("transfer.known", { what: rowsOf(what), count })}</li>)}
              {take.data.notes.map((note) => <li key={note} className="cut">{note}</li>)}
            </ul>
          </div>
        )}
      </form>
    </Sheet>
  );
}

function Export({ mayWrite }: { mayWrite: boolean }) {
  const [secrets, setSecrets] = useState(false);
  const give = useMutation({
    mutationFn: async () => {
      const archive = await (await send("GET /api/export", { query: { secrets } })).blob();
      saveAs("bethink.jsonl", archive, "application/jsonl");
    },
  });
  return (
    <Sheet title={t("transfer.export")}>
      <div className="stack">
        <p style={{ margin: 0 }}>{t("transfer.exportHint")}</p>
        {mayWrite && <Switch label={t("transfer.secrets")} checked={secrets} onChange={(event) => setSecrets(event.currentTarget.checked)} />}
        <div className="row end"><Button onClick={() => give.mutate()} loading={give.isPending}>{t("transfer.export")}</Button></div>
      </div>
    </Sheet>
  );
}

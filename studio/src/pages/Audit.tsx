import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Body, call } from "../api/client";
import { OPENS } from "../parts/opens";
import { Empty, Loaded, Page, Sheet } from "../parts/pieces";
import { client } from "../parts/queries";
import { say } from "../parts/state";
import { useMayWrite, useSession } from "../shell/session";
import { t, told } from "../text";

export default function Audit() {
  const { space } = useSession();
  const mayWrite = useMayWrite();
  const audit = useQuery({ queryKey: ["audit", space], queryFn: () => call("GET /api/audit") });
  const fix = useMutation({
    mutationFn: (body: Body<"POST /api/audit/fix">) => call("POST /api/audit/fix", { body }),
    onSuccess: ({ fixed }) => { say(t("audit.fixed", { count: fixed })); return client.invalidateQueries(); },
  });
  return (
    <Page title="audit.title" lead="audit.lead" actions={<Button variant="default" onClick={() => void audit.refetch()} loading={audit.isFetching}>{t("audit.again")}</Button>}>
      <Loaded query={audit}>
        {(data) => (
          <div className="stack">
            <p className="soft small" style={{ margin: 0 }}>{[t("audit.looked", { memories: data.memories, facts: data.facts, messages: data.messages }), ...data.notes].join(" · ")}</p>
            {data.found.length === 0 && <Sheet><Empty icon="audit" title={t("audit.none")} hint={t("audit.noneHint")} /></Sheet>}
            {[...Map.groupBy(data.found, (one) => one.kind)].map(([kind, group]) => (
              <Sheet key={kind} title={`${told(`finding.${kind}`, kind)} (${group.length})`} actions={mayWrite && kind !== "secret" && <Button variant="default" loading={fix.isPending} onClick={() => fix.mutate({ kinds: [kind] })}>{t("audit.fixAll")}</Button>}>
                <ul className="lines">
                  {group.map((one) => (
                    <li key={one.id} className="spread">
                      <div style={{ minWidth: 0 }}>
                        {one.texts.map((text, at) => <p key={at} className="pre">{text}</p>)}
                        <div className="soft small cut">{one.reason}{OPENS[one.noun] && <> · <Link to={OPENS[one.noun]!(one.records[0]!, "")}>{t("map.open")}</Link></>}</div>
                      </div>
                      {mayWrite && <Button color={one.fix === "erase" ? "red" : undefined} variant={one.fix === "erase" ? "filled" : "default"} loading={fix.isPending} onClick={() => fix.mutate({ ids: [one.id] })}>{told(`fix.${one.fix}`, one.fix)}</Button>}
                    </li>
                  ))}
                </ul>
              </Sheet>
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

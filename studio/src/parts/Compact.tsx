/** Let one memory tell of many old ones. What that would come to is shown first. */
import { Button, Modal, NumberInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { t } from "../text";
import { client, explain } from "./queries";
import { say } from "./state";

const USUAL_DAYS = 180;

export function Compact({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [days, setDays] = useState(USUAL_DAYS);
  const work = useMutation({
    mutationFn: (dryRun: boolean) => call("POST /api/memory/summarize", { body: { olderThanDays: days, dryRun } }),
    onSuccess: (came) => {
      if (came.dryRun) return undefined;
      say(t("compact.done", { count: came.candidates, into: came.summaries }));
      close();
      return client.invalidateQueries();
    },
    onError: () => {},
  });
  const close = () => { work.reset(); onClose(); };
  const would = work.data;
  return (
    <Modal opened={opened} onClose={close} title={t("compact.title")} closeButtonProps={{ "aria-label": t("do.close") }}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); work.mutate(true); }}>
        <p className="soft small" style={{ margin: 0 }}>{t("compact.hint")}</p>
        <NumberInput label={t("compact.days")} data-autofocus min={1} max={3650} value={days} onChange={(value) => { setDays(Number(value) || USUAL_DAYS); work.reset(); }} error={work.error ? explain(work.error) : undefined} />
        {would && <p role="status" style={{ margin: 0 }}>{would.candidates === 0 ? t("compact.nothing") : t("compact.would", { count: would.candidates, into: would.summaries, tokens: would.tokensSaved })}</p>}
        <div className="row end">
          <Button type="submit" variant="default" loading={work.isPending}>{t("compact.look")}</Button>
          {would && would.candidates > 0 && <Button onClick={() => work.mutate(false)} loading={work.isPending}>{t("compact.now")}</Button>}
        </div>
      </form>
    </Modal>
  );
}

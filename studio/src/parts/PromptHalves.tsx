/** The memory part of a prompt, exactly as a model gets it, with the line where caches stop. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { useSession } from "../shell/session";
import { t } from "../text";
import { Loaded, Sheet } from "./pieces";
import { requestOf, type Chosen } from "./request";

export function PromptHalves({ query, chosen }: { query: string; chosen: Chosen }) {
  const { space } = useSession();
  const { limit, maxTokens, layers } = requestOf(query, chosen);
  const prompt = useQuery({
    queryKey: ["prompt", space, query, limit, maxTokens, layers],
    queryFn: () => call("POST /api/prompt", { body: { query, limit, maxTokens, layers, catchUp: false } }),
  });
  return (
    <Sheet title={t("play.prompt")}>
      <Loaded query={prompt}>
        {(data) =>
          !data.enabled ? <p className="soft">{t("play.off")}</p> : (
            <>
              <h3>{t("play.stable")} <span className="soft small">{t("play.tokens", { count: data.tokens.stable })}</span></h3>
              <pre className="half pre mono" tabIndex={0}>{data.stable || t("play.emptyHalf")}</pre>
              <div className="boundary">{t("play.boundary")}</div>
              <h3>{t("play.volatile")} <span className="soft small">{t("play.tokens", { count: data.tokens.volatile })}</span></h3>
              <pre className="half pre mono" tabIndex={0}>{data.volatile || t("play.emptyHalf")}</pre>
            </>
          )
        }
      </Loaded>
    </Sheet>
  );
}

import { Empty } from "../parts/pieces";
import { t } from "../text";

export function NoPage() {
  return (
    <div className="page">
      <Empty icon="search" title={t("say.noPage")} />
    </div>
  );
}

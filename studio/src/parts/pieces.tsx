/** What every page is put together from. */
import { Button } from "@mantine/core";
import { Children, type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import { Icon, type IconName } from "../shell/icons";
import { layerColour } from "../theme";
import { type Key, t, told, useLanguage } from "../text";
import { ago, moment } from "../text/dates";
import { explain } from "./queries";

export function Page({ title, lead, actions, children }: { title: Key; lead: Key; actions?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${t(title)} · Bethink`;
  });
  return (
    <div className="page">
      <header>
        <div>
          <h1 ref={heading} tabIndex={-1}>{t(title)}</h1>
          <p className="lead">{t(lead)}</p>
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Sheet({ title, children, actions }: { title?: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className="sheet" aria-label={title}>
      {title && (actions ? <div className="spread"><h2>{title}</h2>{actions}</div> : <h2>{title}</h2>)}
      {children}
    </section>
  );
}

/** Figures beside each other, in rows that are about equally long. */
export function Figures({ children }: { children: ReactNode }) {
  const count = Children.count(children);
  return <div className="figures" style={{ "--across": Math.ceil(count / Math.ceil(count / 5)) } as CSSProperties}>{children}</div>;
}

export function Waiting() {
  return (
    <p className="waiting" role="status">
      <span className="dot" /> {t("say.loading")}
    </p>
  );
}

export function Empty({ icon, title, hint, children }: { icon: IconName; title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={40} />
      <h2>{title}</h2>
      {hint && <p>{hint}</p>}
      {children && <div className="row">{children}</div>}
    </div>
  );
}

export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div className="problem" role="alert">
      <p>{explain(error)}</p>
      {retry && <Button variant="default" onClick={retry}>{t("do.retry")}</Button>}
    </div>
  );
}

type Asked<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** What a query brought, or that it is under way, or what went wrong and how to try again. */
export function Loaded<T>({ query, children }: { query: Asked<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Trouble error={query.error} retry={() => void query.refetch()} />;
  return <Waiting />;
}

export function LayerTag({ layer }: { layer: string }) {
  const colour = layerColour[layer];
  return (
    <span className="tag layer" style={{ color: colour }}>
      {told(`layer.${layer}`, layer)}
    </span>
  );
}

export function When({ at }: { at: string }) {
  const language = useLanguage();
  return (
    <time dateTime={at} title={moment(at, language)}>
      {ago(at, Date.now(), language)}
    </time>
  );
}

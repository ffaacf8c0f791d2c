/** The frame of every page: the menu, who is signed in, and what concerns all of it. */
import { ActionIcon, AppShell, Burger, Drawer, Menu, Select, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call, Problem, workIn } from "../api/client";
import type { SignedIn } from "../api/shapes";
import iconUrl from "../icon.svg";
import { pages } from "../pages/all";
import { Trouble, Waiting } from "../parts/pieces";
import { dismiss, setSignedOut, useShared } from "../parts/state";
import { languages, type Language, speak, t, useLanguage } from "../text";
import { Icon } from "./icons";
import { SignIn } from "./SignIn";
import { SessionContext } from "./session";

export function Shell() {
  const language = useLanguage();
  const { signedOut } = useShared();
  const session = useQuery({ queryKey: ["session"], queryFn: () => call("GET /api/session") });
  if (signedOut || (session.error instanceof Problem && session.error.status === 401)) {
    return (
      <>
        <SignIn ended={session.data !== undefined} />
        <Toasts />
      </>
    );
  }
  if (session.data === undefined) {
    return (
      <main className="page">
        {session.error ? <Trouble error={session.error} retry={() => void session.refetch()} /> : <Waiting />}
      </main>
    );
  }
  return <Frame key={language} session={session.data} />;
}

function Frame({ session }: { session: SignedIn }) {
  const [menuOpen, menu] = useDisclosure(false);
  const { lost } = useShared();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [space, setSpace] = useState(session.space);
  const queries = useQueryClient();
  useEffect(() => {
    menu.close();
  }, [path, menu.close]);

  function choose(name: string | null): void {
    if (!name) return;
    workIn(name === session.space ? null : name);
    setSpace(name);
    queries.removeQueries({ predicate: (query) => !["session", "spaces"].includes(String(query.queryKey[0])) });
  }

  return (
    <SessionContext value={{ ...session, space }}>
      <a className="skip" href="#content">{t("nav.skip")}</a>
      {lost && <div className="banner" role="status">{t("shell.lost")}</div>}
      <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: true } }}>
        <AppShell.Header withBorder={false} px="md" bg="var(--paper)" style={{ position: "absolute" }}>
          <div className="spread" style={{ height: "100%" }}>
            <div className="row">
              <Burger opened={menuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={t("nav.open")} />
              <Link className="brand" to="/"><img src={iconUrl} alt="" />Bethink</Link>
            </div>
            <div className="row" style={{ flexWrap: "nowrap" }}>
              {session.role === "admin" && <Spaces space={space} choose={choose} />}
              <Account session={session} />
            </div>
          </div>
        </AppShell.Header>
        <AppShell.Navbar withBorder={false} bg="var(--paper)" p="sm" style={{ overflowY: "auto" }}>
          <Navigation />
        </AppShell.Navbar>
        <Drawer opened={menuOpen} onClose={menu.close} size={272} title="Bethink" hiddenFrom="sm" closeButtonProps={{ "aria-label": t("do.close") }}>
          <Navigation />
        </Drawer>
        <AppShell.Main id="content" key={space}>
          <Outlet />
        </AppShell.Main>
      </AppShell>
      <Toasts />
    </SessionContext>
  );
}

function Navigation() {
  const groups = [...new Set(pages.map((page) => page.group))];
  return (
    <nav aria-label={t("nav.main")}>
      {groups.map((group) => (
        <div key={group}>
          <div className="navgroup">{t(group)}</div>
          {pages
            .filter((page) => page.group === group)
            .map((page) => (
              <Link key={page.path} to={page.path} className="navlink" activeOptions={{ exact: true, includeSearch: false }}>
                <Icon name={page.icon} />
                {t(page.title)}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

function Spaces({ space, choose }: { space: string; choose: (name: string | null) => void }) {
  const spaces = useQuery({ queryKey: ["spaces"], queryFn: () => call("GET /api/spaces") });
  const names = [...new Set([space, ...(spaces.data?.items.map((one) => one.name) ?? [])])];
  // Its place is kept while it is not known whether there are others, so that nothing moves when there are.
  return <Select style={names.length < 2 ? { visibility: "hidden" } : undefined} aria-label={t("shell.space")} data={names} value={space} onChange={choose} allowDeselect={false} searchable w={{ base: 130, sm: 180 }} size="xs" />;
}

function Account({ session }: { session: SignedIn }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const language = useLanguage();
  const queries = useQueryClient();
  const schemes = { light: t("shell.light"), dark: t("shell.dark"), auto: t("shell.auto") };

  async function leave(): Promise<void> {
    await call("DELETE /api/session");
    queries.clear();
    setSignedOut(true);
  }

  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t("shell.account")}><Icon name="settings" size={18} /></ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("sign.as", { name: session.name, role: session.role })}</Menu.Label>
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => void leave()}>{t("sign.out")}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("shell.scheme")}</Menu.Label>
        {(["light", "dark", "auto"] as const).map((one) => (
          <Menu.Item key={one} onClick={() => setColorScheme(one)} aria-current={one === colorScheme || undefined} leftSection={<Icon name={one === "dark" ? "moon" : one === "light" ? "sun" : "settings"} size={16} />}>
            {schemes[one]}{one === colorScheme && " ✓"}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t("shell.language")}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((one) => (
          <Menu.Item key={one} lang={one} onClick={() => void speak(one)} aria-current={one === language || undefined}>
            {languages[one]}{one === language && " ✓"}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Toasts() {
  const { toasts } = useShared();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((one) => (
        <div key={one.id} className={one.bad ? "toast bad" : "toast"}>
          <span className="cut">{one.text}</span>
          <span className="row" style={{ flexWrap: "nowrap", gap: 0 }}>
            {one.undo && (
              <button type="button" onClick={() => { one.undo?.(); dismiss(one.id); }}>{t("do.undo")}</button>
            )}
            <button type="button" aria-label={t("do.close")} onClick={() => dismiss(one.id)}>×</button>
          </span>
        </div>
      ))}
    </div>
  );
}

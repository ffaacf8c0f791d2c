/** Every page: its address, its icon, where it stands in the menu, and how its code is fetched. */
import type { ComponentType } from "react";
import type { IconName } from "../shell/icons";
import type { Key } from "../text";

export type PageEntry = {
  path: string;
  icon: IconName;
  title: Key;
  group: Key;
  load: () => Promise<{ default: ComponentType }>;
};

export const pages: PageEntry[] = [
  { path: "/", icon: "home", title: "home.title", group: "nav.look", load: () => import("./Home") },
  { path: "/studio/memories", icon: "memories", title: "memories.title", group: "nav.look", load: () => import("./Memories") },
  { path: "/studio/facts", icon: "facts", title: "facts.title", group: "nav.look", load: () => import("./Facts") },
  { path: "/studio/playground", icon: "playground", title: "play.title", group: "nav.look", load: () => import("./Playground") },
  { path: "/studio/map", icon: "map", title: "map.title", group: "nav.look", load: () => import("./Map") },
  { path: "/studio/insights", icon: "insights", title: "insights.title", group: "nav.look", load: () => import("./Insights") },
  { path: "/studio/conversations", icon: "messages", title: "talks.title", group: "nav.sources", load: () => import("./Conversations") },
  { path: "/studio/documents", icon: "documents", title: "docs.title", group: "nav.sources", load: () => import("./Documents") },
  { path: "/studio/people", icon: "people", title: "people.title", group: "nav.sources", load: () => import("./People") },
  { path: "/studio/texts", icon: "texts", title: "texts.title", group: "nav.sources", load: () => import("./Texts") },
  { path: "/studio/setup", icon: "setup", title: "setup.title", group: "nav.care", load: () => import("./Setup") },
  { path: "/studio/engine", icon: "engine", title: "engine.title", group: "nav.care", load: () => import("./Engine") },
  { path: "/studio/journal", icon: "journal", title: "journal.title", group: "nav.care", load: () => import("./Journal") },
  { path: "/studio/audit", icon: "audit", title: "audit.title", group: "nav.care", load: () => import("./Audit") },
  { path: "/studio/transfer", icon: "transfer", title: "transfer.title", group: "nav.data", load: () => import("./Transfer") },
  { path: "/studio/keys", icon: "keys", title: "keys.title", group: "nav.data", load: () => import("./Keys") },
  { path: "/studio/erase", icon: "erase", title: "erase.title", group: "nav.data", load: () => import("./Erase") },
];

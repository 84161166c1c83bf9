// What the page shows, kept in the address after "#", so that a link leads to it.

import { VIEWS, type View } from "./data";

export const TABS = ["details", "row", "replay"] as const;
export type Tab = (typeof TABS)[number];
export type Theme = "light" | "dark" | "auto";

export interface Place {
  node: number;
  view: View;
  tab: Tab;
  /** The frame of the replay. */
  step: number;
  lang: string;
  theme: Theme;
}

/** The part of an address that says what differs from the defaults. */
export function written(place: Place, defaults: Place): string {
  const words = new URLSearchParams();
  for (const key of Object.keys(defaults) as (keyof Place)[]) {
    if (place[key] !== defaults[key]) words.set(key, String(place[key]));
  }
  return words.toString();
}

/** What an address says; what it says wrongly is ignored. */
export function read(hash: string, defaults: Place, nodes: number, languages: string[]): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const among = <T extends string>(key: string, known: readonly T[], otherwise: T): T =>
    known.find((value) => value === words.get(key)) ?? otherwise;
  const count = (key: string, most: number, otherwise: number): number => {
    const text = words.get(key) ?? "";
    return /^\d+$/.test(text) && Number(text) < most ? Number(text) : otherwise;
  };
  return {
    node: count("node", nodes, defaults.node),
    view: among("view", VIEWS, defaults.view),
    tab: among("tab", TABS, defaults.tab),
    step: count("step", 1e9, defaults.step),
    lang: among("lang", languages, defaults.lang),
    theme: among("theme", ["light", "dark", "auto"], defaults.theme),
  };
}

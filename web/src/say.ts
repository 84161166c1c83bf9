// Texts by key: values are put into their places, counts with separators, and "one" has its own text.

import type { Say } from "./data";
import { grouped } from "./numbers";

export function sayer(words: Record<string, string>, lang: string): Say {
  return (key, values = {}) => {
    if (key === "lang") return lang;
    const text = (values["n"] === 1 && words[`${key}_one`]) || words[key] || key;
    return text.replace(/\{(\w+)(:,)?\}/g, (_, name: string, isCount?: string) =>
      isCount ? grouped(values[name] ?? "") : String(values[name] ?? ""));
  };
}

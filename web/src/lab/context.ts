// How components reach the lab, and what its server answers.

import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import type { Answer, Lab } from "./lab";

export const LabContext = createContext<Lab | null>(null);

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (!lab) throw new Error("a component outside of the lab");
  return lab;
}

/** Who walks through a tree by holding a key asks nothing about the nodes in between. */
const REST = 60;

/** What a path answers: null until the answer is there. */
export function useAnswer<T>(path: string | null): Answer<T> {
  const lab = useLab();
  const known = path === null ? null : lab.known(path);
  useEffect(() => {
    if (path === null || !known || known.value.isAsked) return undefined;
    const timer = setTimeout(() => void lab.fetch(path), REST);
    return () => clearTimeout(timer);
  }, [path]);
  return (known?.value ?? { value: null, failure: null, isAsked: false }) as Answer<T>;
}

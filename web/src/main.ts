// The entry of the bundle: `mount` draws a page into an element; the model is exported for tests.

import { h, render } from "preact";
import type { PageData } from "./data";
import { Store, type Ask } from "./store";
import { App } from "./view/app";

export { measure } from "./measure";
export { place } from "./place";
export { nearestChanges, predict, route } from "./predict";
export { Film } from "./replay";
export { barOf, Drafts, scene } from "./scene";
export { matches } from "./search";
export { Tree } from "./tree";

/** Draw a page into an element and keep it alive; the result removes it again. */
export function mount(element: HTMLElement, data: PageData, ask?: Ask): () => void {
  const store = new Store(data, element, ask);
  element.classList.add("penjing");
  if (data.is_document) element.classList.add("whole");
  const stop = store.listen();
  render(h(App, { store }), element);
  return () => {
    stop();
    render(null, element);
  };
}

// Exported files hold their data in a script element beside an empty element.
if (typeof document !== "undefined") {
  for (const element of document.querySelectorAll<HTMLElement>("[data-penjing]")) {
    const text = element.nextElementSibling?.textContent;
    if (text) mount(element, JSON.parse(text) as PageData);
  }
}

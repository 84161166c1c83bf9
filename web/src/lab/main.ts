// The entry of the lab's bundle: a page of its own, or a widget in a notebook.

import { h, render as draw } from "preact";
import { App } from "./app";
import { httpHost, widgetHost, type Host, type WidgetModel } from "./host";
import { Lab } from "./lab";

/** Draw the lab into an element; the result removes it again. */
export function mount(element: HTMLElement, host: Host): () => void {
  const lab = new Lab(host, element);
  element.classList.add("penjing", "lab");
  if (host.isDocument) element.classList.add("whole");
  const stop = lab.listen();
  const keyed = (event: KeyboardEvent) => undoKeys(lab, event);
  const heard: HTMLElement | Document = host.isDocument ? document : element;
  heard.addEventListener("keydown", keyed as EventListener);
  // Files may be dropped anywhere: the browser would leave the page and open them.
  const dragged = (event: Event) => fileDragged(lab, event as DragEvent);
  for (const type of DRAGS) heard.addEventListener(type, dragged);
  draw(h(App, { lab }), element);
  void lab.start();
  return () => {
    heard.removeEventListener("keydown", keyed as EventListener);
    for (const type of DRAGS) heard.removeEventListener(type, dragged);
    stop();
    draw(null, element);
  };
}

const DRAGS = ["dragover", "dragleave", "drop"];

function fileDragged(lab: Lab, event: DragEvent): void {
  lab.isOver.value = event.type === "dragover";
  if (event.type === "dragleave") return;
  event.preventDefault();
  if (event.type === "drop") void lab.openFile(event.dataTransfer?.files[0]);
}

/** Ctrl+Z and Ctrl+Shift+Z, but not where they undo typing. */
function undoKeys(lab: Lab, event: KeyboardEvent): void {
  const isTyping = event.target instanceof Element && event.target.closest("input:not([type=range]), textarea");
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping || lab.screen.value !== "tree") return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  void (key === "y" || event.shiftKey ? lab.redo() : lab.undo());
}

/** The widget of a notebook, as anywidget calls it. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const host = widgetHost(model);
  const root = document.createElement("div");
  // JupyterLab's own shortcuts would take the keys of nodes.
  root.dataset["lmSuppressShortcuts"] = "true";
  el.append(root);
  const stop = mount(root, host);
  return () => {
    stop();
    host.close();
  };
}

export default { render };

if (typeof document !== "undefined") {
  const own = document.querySelector<HTMLElement>("[data-penjing-lab]");
  if (own) mount(own, httpHost());
}

// How the page talks to Python: by HTTP in the lab, by messages of a widget in a notebook.

import type { Failure as FailureAnswer, ProgressEvent, Text } from "../../../src/penjing/webapp/protocol";

export type Method = "GET" | "POST" | "DELETE";
export type Listener = (event: ProgressEvent) => void;

export interface Host {
  ask(method: Method, path: string, body?: unknown, file?: Blob): Promise<unknown>;
  /** Report progress until the result is called. */
  follow(listener: Listener): () => void;
  /** Whether the page owns its document and its address. */
  readonly isDocument: boolean;
  /** The language of the host, if it has one. */
  readonly lang: string | null;
}

/** A request that was refused, with the sentence that says why. */
export class Failure extends Error {
  constructor(readonly key: string, readonly text: Text) {
    super(key);
  }
}

const TOKEN = "penjing-lab-token";

/** The token of the address moves into the storage of this tab. */
function takeToken(): string {
  const words = new URLSearchParams(location.hash.slice(1));
  const given = words.get("token");
  if (given !== null) {
    sessionStorage.setItem(TOKEN, given);
    words.delete("token");
    const rest = words.toString();
    history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function httpHost(): Host {
  const authorization = `Bearer ${takeToken()}`;
  const ask: Host["ask"] = async (method, path, body, file) => {
    const headers: Record<string, string> = { Authorization: authorization };
    if (file) headers["Content-Type"] = "application/octet-stream";
    else if (body !== undefined) headers["Content-Type"] = "application/json";
    const sent = file ?? (body === undefined ? null : JSON.stringify(body));
    const answer = await fetch(`/api/1/${path}`, { method, headers, body: sent });
    return settled(answer.ok, await answer.json());
  };
  return { ask, isDocument: true, lang: null, follow: (listener) => followStream(authorization, listener) };
}

function settled(isOk: boolean, plain: unknown): unknown {
  if (isOk) return plain;
  const { error } = plain as FailureAnswer;
  throw new Failure(error.key, error.message);
}

/** The event stream needs the token, too, so it is read by `fetch`. */
function followStream(authorization: string, listener: Listener): () => void {
  const stop = new AbortController();
  const read = async () => {
    const headers = { Authorization: authorization };
    const answer = await fetch("/api/1/events", { headers, signal: stop.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      const events = (text + piece.value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        if (event.startsWith("data: ")) listener(JSON.parse(event.slice(6)) as ProgressEvent);
      }
    }
  };
  // Without the stream there is no progress to see; the request itself reports failures.
  read().catch(() => {});
  return () => stop.abort();
}

/** The model of a widget, as anywidget gives it. */
export interface WidgetModel {
  get(name: string): unknown;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(name: string, run: (message: never) => void): void;
  off(name: string, run: (message: never) => void): void;
}

type Message = { event?: ProgressEvent; ask?: number; status?: number; answer?: unknown };

export function widgetHost(model: WidgetModel): Host & { close(): void } {
  let next = 1;
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Set<Listener>();
  const heard = (message: Message) => {
    if (message.event) for (const listener of listeners) listener(message.event);
    const settle = waiting.get(message.ask ?? 0);
    waiting.delete(message.ask ?? 0);
    settle?.(message);
  };
  model.on("msg:custom", heard);
  const ask: Host["ask"] = async (method, path, body, file) => {
    const buffers = file ? [await file.arrayBuffer()] : [];
    const number = next++;
    const message = await new Promise<Message>((resolve) => {
      waiting.set(number, resolve);
      model.send({ ask: number, method, path, body: body ?? null }, undefined, buffers);
    });
    return settled(message.status === 200, message.answer);
  };
  const follow: Host["follow"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const lang = model.get("lang");
  return {
    ask, follow, isDocument: false, lang: typeof lang === "string" ? lang : null,
    close: () => model.off("msg:custom", heard),
  };
}

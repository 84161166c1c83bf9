// The state of the lab as signals, and everything that a person can do in it.

import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type {
  Changes, Exercise, FileAnswer, Finish, LabInfo, Lang, StepRequest, StepResult, TableInfo, Text, TreeView,
  Workbook, WorkbookRequest,
} from "../../../src/penjing/webapp/protocol";
import type { Theme } from "../address";
import type { PageData, Say } from "../data";
import { sayer } from "../say";
import { afterRender, Store } from "../store";
import { Failure, type Host, type Method } from "./host";

export const SCREENS = ["start", "data", "tree", "compare", "exercise", "finish"] as const;
export type Screen = (typeof SCREENS)[number];
export const TABS = ["rows", "why", "prune", "row", "rules", "score"] as const;
export type Tab = (typeof TABS)[number];

export type Size = "small" | "narrow" | "middle" | "wide";

/** A request that takes longer than this shows its progress. */
const PATIENCE = 400;
const MOST_ANSWERS = 300;

export interface Job {
  id: string;
  share: number | null;
  leaves: number;
  seconds: number;
  isSlow: boolean;
}

export interface Answer<T> {
  value: T | null;
  failure: Text | null;
  isAsked: boolean;
}

const EMPTY: Answer<unknown> = { value: null, failure: null, isAsked: false };

export class Lab {
  readonly info = signal<LabInfo | null>(null);
  readonly lang = signal<Lang>("en");
  readonly theme = signal<Theme>("auto");
  readonly screen = signal<Screen>("start");
  readonly tab = signal<Tab>("why");
  readonly table = signal<TableInfo | null>(null);
  readonly workbook = signal<Workbook | null>(null);
  readonly view = signal<TreeView | null>(null);
  /** The state of the picture of the tree. */
  readonly page = signal<Store | null>(null);
  readonly changes = signal<Changes | null>(null);
  /** Whether the last step left the tree as it was. */
  readonly isUnchanged = signal(false);
  readonly exercise = signal<Exercise | null>(null);
  readonly failure = signal<Text | null>(null);
  readonly job = signal<Job | null>(null);
  readonly spoken = signal("");
  /** Whether a file is held over the page. */
  readonly isOver = signal(false);
  /** A question that waits for yes or no. */
  readonly question = signal<{ key: string; settle: (yes: boolean) => void } | null>(null);
  /** The candidate that is looked at: a column of the selected node. */
  readonly column = signal<string | null>(null);
  /** The candidate that the pointer or the focus is on. */
  readonly pointed = signal<string | null>(null);
  readonly isSystemDark = signal(false);
  /** How much room there is: by the width of the page's own element, which may be a cell of a notebook. */
  readonly size = signal<Size>("wide");
  readonly say: ReadonlySignal<Say>;
  private readonly answers = new Map<string, Signal<Answer<unknown>>>();
  private queue: Promise<unknown> = Promise.resolve();
  private readonly stops: (() => void)[] = [];
  private stopPage: () => void = () => {};
  readonly host: Host;

  constructor(host: Host, readonly root: HTMLElement) {
    this.host = { ...host, ask: (...request) => this.counted(host.ask(...request)) };
    this.say = computed(() => sayer(this.info.value?.words[this.lang.value] ?? {}, this.lang.value));
  }

  /** The element says how many requests are on their way. */
  private async counted<T>(answer: Promise<T>): Promise<T> {
    const count = (by: number) => {
      this.root.dataset["pending"] = String(Number(this.root.dataset["pending"] ?? 0) + by);
    };
    count(1);
    try {
      return await answer;
    } finally {
      count(-1);
    }
  }

  /** A text that the server wrote, in the language that is shown. */
  text(text: Text | null | undefined): string {
    return text?.[this.lang.value] ?? "";
  }

  // -- start, address, end ---------------------------------------------------------------------

  listen(): () => void {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => { this.isSystemDark.value = system.matches; };
    follow();
    system.addEventListener("change", follow);
    this.stops.push(() => system.removeEventListener("change", follow));
    this.stops.push(effect(() => {
      const isDark = this.theme.value === "auto" ? this.isSystemDark.value : this.theme.value === "dark";
      this.root.dataset["theme"] = isDark ? "dark" : "light";
      this.root.lang = this.lang.value;
      if (this.host.isDocument) document.documentElement.lang = this.lang.value;
    }));
    const resized = () => {
      const wide = this.root.clientWidth;
      this.size.value = wide <= 600 ? "small" : wide <= 900 ? "narrow" : wide < 1100 ? "middle" : "wide";
      this.root.dataset["size"] = this.size.value;
    };
    resized();
    const observer = new ResizeObserver(resized);
    observer.observe(this.root);
    this.stops.push(() => observer.disconnect());
    // Another node has other candidates.
    this.stops.push(effect(() => {
      void [this.page.value, this.page.value?.selected.value];
      this.column.value = this.pointed.value = null;
    }));
    return () => {
      this.stopPage();
      for (const stop of this.stops) stop();
    };
  }

  async start(): Promise<void> {
    const place = new URLSearchParams(this.host.isDocument ? location.hash.slice(1) : "");
    await this.run(async () => {
      const info = (await this.host.ask("GET", "lab")) as LabInfo;
      batch(() => {
        this.info.value = info;
        const lang = place.get("lang") ?? this.host.lang ?? info.start.lang;
        this.lang.value = lang === "zh" ? "zh" : "en";
        const theme = place.get("theme");
        if (theme === "light" || theme === "dark") this.theme.value = theme;
        this.tab.value = TABS.find((tab) => tab === place.get("tab")) ?? "why";
      });
    });
    const { start } = this.info.value ?? {};
    if (!start) return;
    const [workbook, exercise] = [place.get("workbook") ?? start.workbook, place.get("exercise") ?? start.exercise];
    const table = place.get("table") ?? start.table;
    const wanted = SCREENS.find((screen) => screen === place.get("screen"));
    if (workbook) await this.openWorkbook(workbook, Number(place.get("node") ?? 0));
    else if (table) await this.openTable("GET", `table/${table}`);
    if (exercise) await this.openExercise(exercise, !workbook);
    if (wanted && this.canShow(wanted)) this.screen.value = wanted;
    if (this.host.isDocument) this.stops.push(effect(() => this.keepAddress()));
  }

  private keepAddress(): void {
    const words = new URLSearchParams();
    const put = (key: string, value: string | number | undefined | null) => {
      if (value) words.set(key, String(value));
    };
    put("screen", this.screen.value);
    put("workbook", this.workbook.value?.workbook);
    if (!this.workbook.value) put("table", this.table.value?.table);
    put("exercise", this.exercise.value?.exercise);
    put("node", this.page.value?.selected.value);
    put("tab", this.tab.value);
    put("lang", this.lang.value);
    if (this.theme.value !== "auto") put("theme", this.theme.value);
    history.replaceState(null, "", `#${words}`);
  }

  /** Whether there is something to show on a screen. */
  canShow(screen: Screen): boolean {
    if (screen === "data") return this.table.value !== null;
    if (screen === "start" || screen === "exercise") return true;
    return this.workbook.value !== null;
  }

  show(screen: Screen): void {
    this.failure.value = null;
    this.screen.value = screen;
    afterRender(() => this.root.querySelector<HTMLElement>("h2")?.focus());
  }

  // -- requests ----------------------------------------------------------------------------------

  /** Run one request after the other, with progress if it takes long; a failure is one sentence. */
  run<T>(work: (job: string) => Promise<T>): Promise<T | undefined> {
    const done = this.queue.then(() => this.watched(work));
    this.queue = done;
    return done;
  }

  private async watched<T>(work: (job: string) => Promise<T>): Promise<T | undefined> {
    const id = `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    this.failure.value = null;
    this.job.value = { id, share: null, leaves: 0, seconds: 0, isSlow: false };
    let stop = () => {};
    // A stream that is always open would take one of the few connections that tabs share.
    const timer = setTimeout(() => {
      this.updateJob(id, { isSlow: true });
      stop = this.host.follow(({ job, share, leaves, seconds }) => this.updateJob(job, { share, leaves, seconds }));
    }, PATIENCE);
    try {
      return await work(id);
    } catch (error) {
      this.fail(error);
      return undefined;
    } finally {
      clearTimeout(timer);
      stop();
      this.job.value = null;
    }
  }

  private updateJob(id: string, news: Partial<Job>): void {
    const job = this.job.value;
    if (job?.id === id) this.job.value = { ...job, ...news };
  }

  cancel(): void {
    const job = this.job.value;
    if (job) this.host.ask("POST", "cancel", { job: job.id }).catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.failure.value = failureText(error, this.info.value);
    this.spoken.value = this.text(this.failure.value);
  }

  /** What is known about a path, without asking. */
  known(path: string): Signal<Answer<unknown>> {
    let found = this.answers.get(path);
    if (!found) {
      found = signal(EMPTY);
      this.answers.set(path, found);
      const [oldest] = this.answers.keys();
      if (this.answers.size > MOST_ANSWERS && oldest !== undefined) this.answers.delete(oldest);
    }
    return found;
  }

  /** Ask what a path answers and keep it: trees do not change. */
  async fetch(path: string): Promise<void> {
    const answer = this.known(path);
    if (answer.value.isAsked) return;
    answer.value = { ...EMPTY, isAsked: true };
    try {
      answer.value = { value: await this.host.ask("GET", path), failure: null, isAsked: true };
    } catch (error) {
      answer.value = { value: null, failure: failureText(error, this.info.value), isAsked: false };
    }
  }

  /** The address of a question about the tree that is shown. */
  treePath(rest: string): string {
    return `workbook/${this.workbook.value?.workbook}/tree/${this.view.value?.tree}${rest}`;
  }

  // -- tables ------------------------------------------------------------------------------------

  /** Open a table; the result says whether it is open. Columns that are read again keep their places. */
  async openTable(method: Method, path: string, body?: unknown, file?: Blob): Promise<boolean> {
    if (!(await this.leavesWorkbook())) return false;
    const old = this.table.value;
    const table = await this.run((job) => this.host.ask(method, `${path}${path.includes("?") ? "&" : "?"}job=${job}`, body, file));
    if (!table) return false;
    if (old && path.endsWith("/columns")) {
      const place = new Map(old.columns.map(({ name }, i) => [name, i]));
      (table as TableInfo).columns.sort((a, b) => (place.get(a.name) ?? 1e9) - (place.get(b.name) ?? 1e9));
    }
    batch(() => {
      this.table.value = table as TableInfo;
      this.workbook.value = null;
      this.view.value = null;
      this.page.value = null;
      this.changes.value = null;
    });
    if (this.screen.value !== "data") this.show("data");
    return true;
  }

  private isTooLarge(file: File): boolean {
    const limit = this.info.value?.limits.upload_bytes ?? Infinity;
    if (file.size <= limit) return false;
    this.failure.value = this.inBoth("too_large", { size: String(Math.floor(limit / 2 ** 20)) });
    return true;
  }

  /** Read the validation or test rows of a table, as its training rows were read. */
  async readFile(file: File, training: TableInfo): Promise<TableInfo | undefined> {
    if (this.isTooLarge(file)) return undefined;
    const path = `table?name=${encodeURIComponent(file.name)}&like=${training.table}`;
    return (await this.run((job) => this.host.ask("POST", `${path}&job=${job}`, undefined, file))) as TableInfo | undefined;
  }

  /** Open a file: a table, or a workbook or worksheet that the lab or the command wrote. */
  async openFile(file: File | undefined): Promise<void> {
    if (!file || this.isTooLarge(file)) return;
    const plain = /\.json$/i.test(file.name) ? await readJson(file) : null;
    if (plain?.["format"] === "penjing-worksheet") await this.newExercise({ sheet: plain });
    else if (plain?.["format"] === "penjing-workbook") await this.replay(plain);
    else await this.openTable("POST", `table?name=${encodeURIComponent(file.name)}`, undefined, file);
  }

  /** A text of the page in both languages. */
  inBoth(key: string, values: Record<string, string | number> = {}): Text {
    const { words } = this.info.value ?? { words: { en: {}, zh: {} } };
    return { en: sayer(words.en, "en")(key, values), zh: sayer(words.zh, "zh")(key, values) };
  }

  /** A workbook file needs its table: an example, or the one that is open. */
  private async replay(file: Record<string, unknown>): Promise<void> {
    const data = file["data"] as { name?: unknown } | undefined;
    const name = String(data?.name ?? "");
    const book = await this.run(async (job) => {
      let table = this.table.value?.table;
      if (name.startsWith("example:")) {
        const example = await this.host.ask("POST", "table/example", { example: name.slice("example:".length) });
        table = (example as TableInfo).table;
      }
      if (!table) throw new Failure("replay_needs_table", this.inBoth("replay_needs_table", { name }));
      return (await this.host.ask("POST", `replay?job=${job}`, { file, table })) as Workbook;
    });
    if (book) await this.openWorkbook(book.workbook);
  }

  // -- workbooks ---------------------------------------------------------------------------------

  async grow(request: WorkbookRequest): Promise<void> {
    if (!(await this.leavesWorkbook())) return;
    const book = await this.run((job) => this.host.ask("POST", `workbook?job=${job}`, request));
    if (book) await this.openWorkbook((book as Workbook).workbook);
  }

  async openWorkbook(given: string, node = 0): Promise<void> {
    const opened = await this.run(async (job) => {
      // A tab that opens the workbook of another tab works on a copy: undo is its own.
      const id = (await isOwn(given)) ? given : ((await this.host.ask("POST", `workbook/${given}/copy?job=${job}`)) as Workbook).workbook;
      const book = (await this.host.ask("GET", `workbook/${id}`)) as Workbook;
      const path = `workbook/${id}/tree/${book.current}?lang=${this.lang.value}&job=${job}`;
      const view = (await this.host.ask("GET", path)) as TreeView;
      const table = this.table.value?.table === book.table ? this.table.value
        : ((await this.host.ask("GET", `table/${book.table}`).catch(() => null)) as TableInfo | null);
      return { book, view, table };
    });
    if (!opened) return;
    batch(() => {
      this.table.value = opened.table;
      this.page.value = null;
      this.changes.value = null;
      this.setWorkbook(opened.book, opened.view);
      const page = this.page.peek();
      if (page && node > 0 && node < page.tree.n) page.select(node, { takesFocus: false });
    });
    this.show("tree");
    void this.refresh();
  }

  private setWorkbook(book: Workbook, view: TreeView): void {
    const old = this.page.peek();
    const data = { ...(view.page as PageData), is_document: false, lang: this.lang.peek() };
    const page = new Store(data, this.root);
    if (old) page.follow(old);
    this.stopPage();
    const stops = [page.listen(), effect(() => {
      page.lang.value = this.lang.value;
      page.theme.value = this.theme.value;
    })];
    this.stopPage = () => stops.forEach((stop) => stop());
    batch(() => {
      this.workbook.value = book;
      this.view.value = view;
      this.page.value = page;
    });
  }

  /** The workbook again: what was measured with the validation rows is counted there. */
  async refresh(): Promise<void> {
    const id = this.workbook.value?.workbook;
    const book = await this.host.ask("GET", `workbook/${id}`).catch(() => null);
    if (book && id === this.workbook.value?.workbook) this.workbook.value = book as Workbook;
  }

  async step(request: StepRequest): Promise<void> {
    await this.move("step", { ...request, tree: this.view.value?.tree });
  }

  async undo(): Promise<void> {
    if (this.workbook.value?.undo) await this.move("undo");
  }

  async redo(): Promise<void> {
    if (this.workbook.value?.redo) await this.move("redo");
  }

  async go(tree: string): Promise<void> {
    await this.move("go", { tree });
  }

  private async move(what: string, body?: unknown): Promise<void> {
    const id = this.workbook.value?.workbook;
    // What was pressed may be gone after the step; then the node has the focus.
    const focused = document.activeElement;
    const takesFocus = ["canvas", "why"].some((part) => this.root.querySelector(`.${part}`)?.contains(focused));
    const result = (await this.run((job) =>
      this.host.ask("POST", `workbook/${id}/${what}?lang=${this.lang.value}&job=${job}`, body))) as StepResult | undefined;
    if (!result) return;
    batch(() => {
      this.changes.value = result.changes;
      this.isUnchanged.value = !result.changed;
      if (result.tree.tree !== this.view.value?.tree) this.setWorkbook(result.workbook, result.tree);
      else this.workbook.value = result.workbook;
    });
    this.spoken.value = result.changed ? this.say.value("changed_to", { n: result.tree.leaves }) : this.say.value("nothing_changed");
    const page = this.page.value;
    if (takesFocus && page) page.select(page.selected.value, { speaks: false });
  }

  async finish(): Promise<void> {
    const id = this.workbook.value?.workbook;
    const finished = await this.run((job) => this.host.ask("POST", `workbook/${id}/finish?job=${job}`));
    if (!finished || !this.workbook.value) return;
    this.workbook.value = { ...this.workbook.value, finished: finished as Finish };
    this.spoken.value = this.text((finished as Finish).text);
  }

  // -- exercises and files -----------------------------------------------------------------------

  async newExercise(request: Record<string, unknown>): Promise<void> {
    const made = await this.run((job) => this.host.ask("POST", `exercise?job=${job}`, request));
    if (made) this.setExercise(made as Exercise);
  }

  private async openExercise(id: string, isShown: boolean): Promise<void> {
    const made = await this.run(() => this.host.ask("GET", `exercise/${id}`));
    if (!made) return;
    if (isShown) this.setExercise(made as Exercise);
    else this.exercise.value = made as Exercise;
  }

  /** Another exercise: this one is asked for first if a part of it is done. */
  async leaveExercise(): Promise<void> {
    const { score } = this.exercise.value ?? {};
    const done = (score?.right ?? 0) + (score?.given_up ?? 0);
    if (score && done > 0 && done < score.blanks && !(await this.confirm("leave_exercise"))) return;
    this.exercise.value = null;
  }

  // -- questions ---------------------------------------------------------------------------------

  /** Ask a question of the page; the result says whether it was confirmed. */
  confirm(key: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.question.value = { key, settle: (yes) => {
        this.question.value = null;
        resolve(yes);
      } };
    });
  }

  /** Whether a workbook with steps may be left; the server keeps it, and the first screen lists it. */
  private async leavesWorkbook(): Promise<boolean> {
    return (this.workbook.value?.history.length ?? 0) < 2 || this.confirm("leave_workbook");
  }

  private setExercise(made: Exercise): void {
    this.exercise.value = made;
    this.show("exercise");
  }

  /** Save a file that a path answers with. */
  async save(path: string): Promise<void> {
    const file = (await this.run((job) =>
      this.host.ask("GET", `${path}${path.includes("?") ? "&" : "?"}job=${job}`))) as FileAnswer | undefined;
    if (!file) return;
    const bytes = file.encoding === "base64"
      ? Uint8Array.from(atob(file.content), (sign) => sign.charCodeAt(0)) : file.content;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: file.type }));
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.spoken.value = this.say.value("saved", { name: file.name });
  }
}

/** The workbooks that this tab holds, and what lets them go. */
const held = new Set<string>();

/** Whether no other tab works on a workbook; this tab then holds it until it is closed. */
async function isOwn(workbook: string): Promise<boolean> {
  // A notebook may not be a secure context.
  if (!navigator.locks || held.has(workbook)) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(`penjing ${workbook}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      if (lock) held.add(workbook);
      return lock ? new Promise(() => {}) : undefined;
    });
  });
}

/** The sentence of a failure; without an answer, the server has stopped. */
function failureText(error: unknown, info: LabInfo | null): Text {
  if (error instanceof Failure) return error.text;
  const text = String(error);
  return { en: info?.words.en["gone"] ?? text, zh: info?.words.zh["gone"] ?? text };
}

async function readJson(file: File): Promise<Record<string, unknown> | null> {
  try {
    const plain: unknown = JSON.parse(await file.text());
    return typeof plain === "object" && plain !== null ? (plain as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

// The state of a page as signals, and everything that a reader can do with it.

import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { read, written, type Place, type Tab, type Theme } from "./address";
import { Camera, BUTTONS_HIGH, READABLE, type Look } from "./camera";
import type { PageData, Say, Show, View } from "./data";
import { amount, at, grouped, roundEven, wilson } from "./numbers";
import { predict, route } from "./predict";
import { canReplay, Film } from "./replay";
import { Drafts, MOST_WITH_DATA, predictionText, scene, sizeText, type Box, type Scene } from "./scene";
import { sayer } from "./say";
import { countBelow, matches } from "./search";
import { Tree } from "./tree";

/** Answers questions that need more than the page's data; absent in exported files. */
export type Ask = (question: string, values: Record<string, unknown>) => Promise<unknown>;

export const MAX_UNFOLDED = 400;
const FEWEST_LEAVES = 4;
let pages = 0;

/** What was seen before a search. */
interface Before {
  open: ReadonlySet<number>;
  selected: number;
  span: [number, number];
  look: Look;
}

export class Store {
  readonly tree: Tree;
  readonly camera = new Camera();
  /** Starts the ids of a page: a document may hold several. */
  readonly id = `penjing${++pages}`;
  readonly languages: string[];
  readonly lang;
  readonly theme;
  readonly view;
  readonly tab;
  readonly open;
  /** What the cards of splits show. */
  readonly show;
  readonly selected = signal(0);
  readonly row;
  readonly query = signal("");
  readonly step = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal(1);
  /** What was done last, for everybody who cannot see it. */
  readonly spoken = signal("");
  /** The part of the icicle that is seen, in shares of all rows. */
  readonly span = signal<[number, number]>([0, 1]);
  /** Where to stop unfolding; said below the toolbar. */
  readonly notice = signal("");
  /** Whether the reader's system is dark. */
  readonly isSystemDark = signal(false);
  /** The colours that are seen. */
  readonly colours: ReadonlySignal<"light" | "dark">;
  readonly isReplay: ReadonlySignal<boolean>;
  readonly say: ReadonlySignal<Say>;
  readonly film: ReadonlySignal<Film>;
  readonly picture: ReadonlySignal<{ tree: Tree; open: ReadonlySet<number>; scene: Scene }>;
  readonly found: ReadonlySignal<ReadonlySet<number>>;
  readonly hits: ReadonlySignal<readonly number[]>;
  readonly below: ReadonlySignal<Int32Array | null>;
  readonly lit: ReadonlySignal<ReadonlySet<number>>;
  readonly #defaults: Place;
  #before: Before | null = null;
  readonly #drafts: ReadonlySignal<Drafts>;
  readonly #replayDrafts: ReadonlySignal<Drafts>;
  readonly #undo: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;

  constructor(readonly data: PageData, readonly root: HTMLElement, readonly ask?: Ask) {
    this.tree = new Tree(data);
    this.languages = Object.keys(data.words);
    this.#defaults = {
      node: 0, view: data.view, tab: "details", step: 0, lang: data.lang, theme: data.theme,
    };
    const place = this.#placeOfAddress();
    this.lang = signal(place.lang);
    this.theme = signal<Theme>(place.theme);
    this.view = signal<View>(place.view);
    this.tab = signal<Tab>(place.tab);
    this.step.value = place.step;
    // Without a number, what fits is known once the canvas has a size.
    this.open = signal<ReadonlySet<number>>(this.tree.unfolded(data.max_leaves ?? 2));
    this.show = signal<Show>(data.show ?? (this.#hasData() && data.max_leaves === null ? "data" : "counts"));
    if (data.show === null && data.max_leaves !== null && this.#hasData()) {
      if (this.#ends() <= MOST_WITH_DATA) this.show.value = "data";
    }
    this.row = signal<readonly string[]>(data.schema.map(() => ""));
    this.colours = computed(() => {
      const choice = this.theme.value;
      return choice === "auto" ? (this.isSystemDark.value ? "dark" : "light") : choice;
    });
    this.isReplay = computed(() => this.tab.value === "replay" && canReplay(data));
    this.say = computed(() => this.#sayIn(this.lang.value));
    this.film = computed(() => new Film(this.tree));
    this.#drafts = computed(() => new Drafts(this.tree, this.say.value, this.show.value));
    this.#replayDrafts = computed(() => {
      const { grown } = this.film.value;
      grown.wordIn = this.tree.wordIn;
      return new Drafts(grown, this.say.value, "counts", true);
    });
    this.picture = computed(() => this.#compose());
    this.hits = computed(() => matches(this.tree, this.query.value));
    this.found = computed(() => new Set(this.hits.value));
    this.below = computed(() => (this.query.value.trim() ? countBelow(this.tree, this.hits.value) : null));
    this.lit = computed(() => {
      const row = this.row.value;
      return new Set(row.some((v) => v !== "") ? route(this.tree, row) : []);
    });
    if (place.node > 0) this.#reach(place.node);
    this.selected.value = place.node;
  }

  #hasData(): boolean {
    return Object.keys(this.data.plots).length > 0;
  }

  /** The number of leaves and folded nodes that are visible. */
  #ends(): number {
    return this.tree.ends(this.open.value);
  }

  /** Show the data of splits on their cards, or only the counts. */
  showData(isShown: boolean): void {
    batch(() => {
      this.show.value = isShown ? "data" : "counts";
      this.camera.picture = this.picture.value.scene;
      this.#startView();
    });
  }

  #sayIn(lang: string): Say {
    const say = sayer(this.data.words[lang] ?? {}, lang);
    this.tree.wordIn = say("rule_in");
    return say;
  }

  #compose(): { tree: Tree; open: ReadonlySet<number>; scene: Scene } {
    const say = this.say.value;
    if (this.isReplay.value) {
      const film = this.film.value;
      const { tree, open } = film.picture(this.frame());
      const drafts = tree === this.tree && film.grown !== this.tree ? this.#drafts : this.#replayDrafts;
      return { tree, open, scene: scene(tree, open, say, drafts.value) };
    }
    const open = this.open.value;
    const made = scene(this.tree, open, say, this.#drafts.value);
    const boxes = made.boxes.map((box) => this.#unchanged(box));
    this.#drawn = new Map(boxes.map((box) => [box.node, box]));
    return { tree: this.tree, open, scene: { ...made, boxes } };
  }

  #drawn = new Map<number, Box>();

  /** The box that was there before if it is the same: its card is not drawn again. */
  #unchanged(box: Box): Box {
    const old = this.#drawn.get(box.node);
    // What a box holds is computed once, so that the same lines are the same object.
    const isSame = old !== undefined && old.lines === box.lines && old.x === box.x && old.y === box.y
      && old.parent === box.parent && old.bend === box.bend
      && old.position === box.position && old.siblings === box.siblings;
    return isSame ? old : box;
  }

  /** The frame that is shown. */
  frame(): number {
    return Math.min(this.step.value, this.film.value.frames.length - 1);
  }

  // -- start, address, end ---------------------------------------------------------------------

  #placeOfAddress(): Place {
    const hash = this.data.is_document ? location.hash : "";
    return read(hash, this.#defaults, this.tree.n, this.languages);
  }

  /** Follow and keep the address, if the page owns the document. */
  listen(): () => void {
    this.#undo.push(effect(() => { this.camera.picture = this.picture.value.scene; }));
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => { this.isSystemDark.value = system.matches; };
    follow();
    system.addEventListener("change", follow);
    this.#undo.push(() => system.removeEventListener("change", follow));
    // On the page's own element: a document may hold other pages.
    this.#undo.push(effect(() => {
      this.root.dataset["theme"] = this.colours.value;
      this.root.lang = this.lang.value;
    }));
    if (this.data.is_document) {
      const goThere = () => this.#goTo(this.#placeOfAddress());
      addEventListener("hashchange", goThere);
      this.#undo.push(() => removeEventListener("hashchange", goThere));
      this.#undo.push(effect(() => this.#keep()));
      this.#undo.push(effect(() => { document.documentElement.lang = this.lang.value; }));
    }
    return () => {
      this.pause();
      for (const stop of this.#undo) stop();
    };
  }

  #keep(): void {
    const hash = written(
      {
        node: this.selected.value,
        view: this.view.value,
        tab: this.tab.value,
        step: this.isReplay.value ? this.step.value : 0,
        lang: this.lang.value,
        theme: this.theme.value,
      },
      this.#defaults,
    );
    if (hash === location.hash.slice(1)) return;
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  #goTo(place: Place): void {
    batch(() => {
      this.lang.value = place.lang;
      this.theme.value = place.theme;
      this.view.value = place.view;
      this.select(place.node, { takesFocus: false });
      this.tab.value = place.tab;
      if (this.isReplay.value) this.goToFrame(place.step);
    });
  }

  /** The canvas has a size, or another one: the first time, choose what fits it. */
  resized(wide: number, high: number): void {
    const old = this.camera.canvas.value;
    if (old.wide === wide && old.high === high) return;
    this.camera.canvas.value = { wide, high };
    if (this.#isStarted || !wide || !high) return;
    this.#isStarted = true;
    batch(() => {
      if (this.data.max_leaves === null) {
        this.open.value = this.#fittingLeaves();
        // Few leaves with their data, or many with counts.
        if (this.data.show === null && this.#ends() > MOST_WITH_DATA) this.show.value = "counts";
      }
      if (this.selected.value > 0) this.#reach(this.selected.value);
      this.camera.picture = this.picture.value.scene;
      this.#startView();
    });
  }

  /** Show this tree as another one was shown: the same node selected, the same branches open. */
  follow(old: Store): void {
    const same = sameNodes(old.tree, this.tree);
    // What was a leaf and is split now was not folded by anybody.
    const known = new Set([...same].filter(([node]) => !old.tree.isLeaf(node)).map(([, twin]) => twin));
    const canvas = old.camera.canvas.value;
    this.camera.canvas.value = canvas;
    const fitting = canvas.wide ? this.#fittingLeaves() : this.tree.unfolded();
    const open = new Set([...fitting].filter((node) => !known.has(node)));
    for (const node of old.open.value) open.add(same.get(node) ?? 0);
    const up = old.tree.path(old.selected.value).filter((node) => same.has(node)).pop() ?? 0;
    batch(() => {
      this.open.value = new Set([...open].filter((node) => !this.tree.isLeaf(node)));
      this.show.value = old.show.value;
      this.view.value = old.view.value;
      this.selected.value = same.get(up) ?? 0;
      this.#reach(this.selected.value);
      if (!old.#isStarted || !canvas.wide) return;
      this.#isStarted = true;
      this.camera.picture = this.picture.value.scene;
      if (old.camera.isWhole()) this.#startView();
      else {
        this.camera.look.value = old.camera.look.value;
        const box = this.boxOf(this.selected.value);
        if (box) this.camera.reveal(box);
      }
    });
  }

  #startView(): void {
    this.camera.start(at(this.picture.value.scene.boxes, 0));
    const box = this.boxOf(this.isReplay.value ? at(this.film.value.frames, this.frame()).node : this.selected.value);
    if (box && box.node > 0) this.camera.reveal(box);
  }

  /** The nodes to open so that the picture fits the canvas and can be read. */
  #fittingLeaves(): ReadonlySet<number> {
    const most = Math.min(64, at(this.tree.leaves, 0));
    const { wide, high } = this.camera.canvas.value;
    const fits = (limit: number) => {
      const made = scene(this.tree, this.tree.unfolded(limit), this.say.value, this.#drafts.value);
      return made.wide * READABLE <= wide && made.high * READABLE <= high - BUTTONS_HIGH;
    };
    if (fits(most)) return this.tree.unfolded(most);
    let [low, top] = [Math.min(FEWEST_LEAVES, most), most];
    while (top - low > 1) {
      const middle = (low + top) >> 1;
      if (fits(middle)) low = middle;
      else top = middle;
    }
    return this.tree.unfolded(low);
  }

  // -- what is shown -----------------------------------------------------------------------------

  boxOf(node: number): Box | undefined {
    const { boxes } = this.picture.value.scene;
    return boxes.find((box) => box.node === node) ?? boxes.find((box) => box.members.includes(node));
  }

  /** The nodes that the selected box stands for. */
  selection(): readonly number[] {
    const node = this.selected.value;
    if (this.view.value !== "tree" || this.isReplay.value || !this.tree.groups.has(node)) return [node];
    const box = this.boxOf(node);
    return box?.node === node ? box.members : [node];
  }

  /** Open everything above a node; a gathered leaf gets a box of its own, unless it stands for the others. */
  #reach(node: number, isSingle = this.view.value !== "tree"): void {
    const { tree } = this;
    const closed = tree.path(node).slice(0, -1).filter((above) => !this.open.value.has(above));
    const first = tree.groups.get(node)?.find((leaf) => !this.open.value.has(leaf));
    if (first !== undefined && (isSingle || first !== node)) closed.push(node);
    if (closed.length) this.open.value = new Set([...this.open.value, ...closed]);
  }

  /** Select a node and bring it into view; nothing is folded. */
  select(node: number, { takesFocus = true, speaks = true, isSingle = false } = {}): void {
    batch(() => {
      this.#reach(node, isSingle || this.view.value !== "tree");
      this.selected.value = node;
      if (this.isReplay.value) this.tab.value = "details";
    });
    if (speaks) this.spoken.value = this.sentence(node, this.tree, this.selection());
    this.#bringIntoView(node, takesFocus);
  }

  #bringIntoView(node: number, takesFocus: boolean): void {
    if (this.view.value === "tree") {
      this.camera.picture = this.picture.value.scene;
      const box = this.boxOf(node);
      if (box) this.camera.reveal(box);
    } else if (this.view.value === "icicle") this.#spanOver(node);
    afterRender(() => {
      const found = this.root.querySelector<HTMLElement | SVGElement>(`.canvas [data-node="${node}"]`);
      if (takesFocus) found?.focus({ preventScroll: true });
      if (this.view.value !== "tree") found?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  toggle(node: number): void {
    const open = new Set(this.open.value);
    if (this.tree.isLeaf(node)) {
      const group = this.tree.groups.get(node);
      if (!group) return;
      // Gathered leaves get boxes of their own, or one box again.
      const isGathered = (this.boxOf(node)?.members.length ?? 0) > 1;
      for (const leaf of group) if (isGathered) open.add(leaf); else open.delete(leaf);
      if (!isGathered) node = at(group, 0);
    } else if (!open.delete(node)) open.add(node);
    const [old, look] = [this.boxOf(node), this.camera.look.value];
    batch(() => {
      this.notice.value = "";
      this.open.value = open;
      this.selected.value = node;
      this.camera.picture = this.picture.value.scene;
      // The node that was folded stays where it is.
      const now = this.boxOf(node);
      if (old && now) {
        const dx = (old.x + old.wide / 2 - now.x - now.wide / 2) * look.k;
        this.camera.look.value = { x: look.x + dx, y: look.y + (old.y - now.y) * look.k, k: look.k };
      }
    });
    this.spoken.value = this.sentence(node, this.tree, this.selection());
    this.#bringIntoView(node, true);
  }

  unfoldAll(): void {
    const all = at(this.tree.leaves, 0);
    batch(() => {
      this.open.value = this.tree.spreadOut(Math.min(all, MAX_UNFOLDED));
      const shown = grouped(Math.min(all, MAX_UNFOLDED));
      const text = all > MAX_UNFOLDED ? this.say.value("view_unfold_limit", { n: shown, of: grouped(all) }) : "";
      this.notice.value = text;
      this.spoken.value = text;
      this.camera.picture = this.picture.value.scene;
      this.#startView();
    });
  }

  foldAll(): void {
    batch(() => {
      this.notice.value = "";
      this.open.value = new Set([0]);
      this.selected.value = 0;
      this.camera.picture = this.picture.value.scene;
      this.#startView();
    });
  }

  showView(view: View): void {
    this.view.value = view;
    if (this.isReplay.value && view !== "tree") this.tab.value = "details";
  }

  showTab(tab: Tab): void {
    batch(() => {
      if (tab === "replay") this.view.value = "tree";
      else this.pause();
      this.tab.value = tab;
    });
    if (tab === "replay") this.goToFrame(this.step.value);
    else this.#bringIntoView(this.selected.value, false);
  }

  // -- search --------------------------------------------------------------------------------------

  search(query: string): void {
    batch(() => {
      if (query.trim() && !this.#before) {
        this.#before = {
          open: this.open.value, selected: this.selected.value, span: this.span.value, look: this.camera.look.value,
        };
      }
      this.query.value = query;
      if (this.isReplay.value && query.trim()) this.tab.value = "details";
      if (!query.trim() && this.#before) {
        const { open, selected, span, look } = this.#before;
        this.#before = null;
        this.open.value = open;
        this.selected.value = selected;
        this.span.value = span;
        this.camera.look.value = look;
      }
    });
    if (query.trim()) {
      const first = this.hits.value[0];
      if (first !== undefined && !this.found.value.has(this.selected.value)) this.#goToHit(first);
      this.spoken.value = this.foundText();
    }
  }

  /** Only what leads to this match is opened; what an earlier match opened is folded again. */
  #goToHit(node: number): void {
    if (this.#before) this.open.value = this.#before.open;
    this.select(node, { takesFocus: false, speaks: false, isSingle: true });
  }

  /** Go to the next match, or to the previous one. */
  goToNextHit(by: 1 | -1): void {
    const hits = this.hits.value;
    if (!hits.length) return;
    const now = hits.indexOf(this.selected.value);
    const next = now < 0 ? (by > 0 ? 0 : hits.length - 1) : (now + by + hits.length) % hits.length;
    this.#goToHit(at(hits, next));
    this.spoken.value = this.#withColon(this.foundText(), this.sentence(at(hits, next)));
  }

  /** "3 of 12 found". */
  foundText(): string {
    if (!this.query.value.trim()) return "";
    const [hits, say] = [this.hits.value, this.say.value];
    const now = hits.indexOf(this.selected.value);
    if (now < 0) return say("view_found", { n: hits.length });
    return say("view_found_at", { i: now + 1, n: hits.length });
  }

  // -- a row -----------------------------------------------------------------------------------------

  setValue(column: number, value: string): void {
    this.row.value = this.row.value.map((old, c) => (c === column ? value : old));
    const path = [...this.lit.value];
    if (path.length) this.#followPath(path);
  }

  clearRow(): void {
    this.row.value = this.row.value.map(() => "");
  }

  /** Bring the end of a path into view, and as much of the path as can be read. */
  #followPath(path: number[]): void {
    const end = at(path, path.length - 1);
    this.#reach(end, true);
    this.selected.value = end;
    this.spoken.value = this.predictionText();
    if (this.view.value !== "tree") {
      this.#bringIntoView(end, false);
      return;
    }
    this.camera.picture = this.picture.value.scene;
    const boxes = path.map((node) => this.boxOf(node)).filter((box) => box !== undefined);
    const [left, top] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
    const right = Math.max(...boxes.map((b) => b.x + b.wide));
    const low = Math.max(...boxes.map((b) => b.y + b.high));
    const area = { x: left, y: top, wide: right - left, high: low - top };
    this.camera.show(area, at(boxes, boxes.length - 1));
  }

  /** The prediction for the row, with share and interval as `penjing explain` prints them. */
  predictionText(): string {
    const row = this.row.value;
    if (!row.some((v) => v !== "")) return "";
    const say = this.say.value;
    const { answer, share, counts } = predict(this.tree, row);
    if (share === null) return say("because_answer", { answer });
    const percent = roundEven(100 * share);
    if (!counts) return say("because_answer_mixed", { answer, share: percent });
    return say("because_answer_share", { answer, share: percent, ...percentEnds(...counts) });
  }

  // -- replay ----------------------------------------------------------------------------------------

  goToFrame(step: number): void {
    const { frames } = this.film.value;
    const old = this.picture.value;
    batch(() => {
      this.step.value = Math.max(0, Math.min(frames.length - 1, step));
      const { scene: made } = this.picture.value;
      this.camera.picture = made;
      const { node } = at(frames, this.frame());
      const box = node < 0 ? undefined : this.boxOf(node);
      if (old.scene.wide !== made.wide || old.scene.high !== made.high || !this.camera.isWhole()) {
        this.camera.start(at(made.boxes, 0));
      }
      if (box) this.camera.reveal(box);
    });
    this.spoken.value = `${this.frame() + 1} / ${frames.length}`;
  }

  play(): void {
    if (this.frame() >= this.film.value.frames.length - 1) this.goToFrame(0);
    this.isPlaying.value = true;
    const tick = () => {
      if (!this.isPlaying.value) return;
      this.goToFrame(this.frame() + 1);
      if (this.frame() >= this.film.value.frames.length - 1) this.pause();
      else this.#timer = setTimeout(tick, 1000 / this.speed.value);
    };
    this.#timer = setTimeout(tick, 1000 / this.speed.value);
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.isPlaying.value = false;
  }

  // -- icicle ----------------------------------------------------------------------------------------

  /** Where the rows of each node begin, in shares of all rows. */
  readonly starts = computed(() => {
    const { tree } = this;
    const starts = new Float64Array(tree.n);
    const all = at(tree.weight, 0);
    for (let node = 0; node < tree.n && all > 0; node++) {
      let from = at(starts, node);
      for (const kid of at(tree.drawn, node)) {
        starts[kid] = from;
        from += at(tree.weight, kid) / all;
      }
    }
    return starts;
  });

  extent(node: number): [number, number] {
    const all = at(this.tree.weight, 0);
    const from = at(this.starts.value, node);
    return [from, from + (all > 0 ? at(this.tree.weight, node) / all : 0)];
  }

  /** Show a node of the icicle as wide as the canvas. */
  zoomTo(node: number): void {
    const [from, to] = this.extent(node);
    if (to > from) this.span.value = [from, to];
  }

  zoomSpan(by: number, where = 0.5): void {
    const [from, to] = this.span.value;
    const length = Math.min(1, Math.max(1e-9, (to - from) / by));
    const middle = from + (to - from) * where;
    const start = Math.min(1 - length, Math.max(0, middle - length * where));
    this.span.value = [start, start + length];
  }

  panSpan(by: number): void {
    const [from, to] = this.span.value;
    const move = Math.min(1 - to, Math.max(-from, by * (to - from)));
    this.span.value = [from + move, to + move];
  }

  /** Bring a node of the icicle into view. */
  #spanOver(node: number): void {
    const [from, to] = this.extent(node);
    const [left, right] = this.span.value;
    const length = right - left;
    // Too narrow to be drawn: it gets a tenth of the width.
    const wanted = Math.min(length, Math.max((to - from) * 10, 1e-9));
    const isNarrow = (to - from) / length < 4 / Math.max(1, this.camera.canvas.value.wide);
    const size = isNarrow ? wanted : length;
    if (!isNarrow && (to - from >= length || (from >= left && to <= right))) return;
    const start = Math.min(1 - size, Math.max(0, (from + to) / 2 - size / 2));
    this.span.value = [start, start + size];
  }

  // -- texts -----------------------------------------------------------------------------------------

  /** A node in a sentence. */
  sentence(node: number, tree: Tree = this.tree, members: readonly number[] = [node]): string {
    const [say, { data }] = [this.say.value, this];
    const isGathered = members.length > 1;
    const parts = isGathered
      ? [say("gathered_leaves_uncounted", { n: members.length }), tree.allNames(members, say)]
      : [node === 0 ? say("root") : tree.branch(node)];
    if (data.counted) parts.push(sizeText(tree, tree.rows(members), say, true));
    if (data.classes && data.counted) parts.push(this.#countsSentence(members, tree));
    parts.push(tree.isLeaf(node)
      ? say("view_answers", { answer: isGathered ? predictionText(tree, members, say) : tree.answer(node) })
      : say("view_asks", { column: tree.columnName(node) }));
    parts.push(...(tree.data.marks[this.lang.value]?.[node]?.[1] ?? []));
    return parts.join(say("clause_comma"));
  }

  /** The counts of the classes; of many, those that are there. */
  #countsSentence(members: readonly number[], tree: Tree): string {
    const counts = tree.counts(members).map((count, i): [number, string] =>
      [count, at(this.data.classes ?? [], i)]);
    const shown = counts.length > 8 ? counts.filter(([count]) => count > 0) : counts;
    return shown.map(([count, name]) => `${amount(count)} ${name}`).join(this.say.value("clause_comma"));
  }

  /** The rule of a node in words. */
  rule(node: number, members: readonly number[] = [node]): string {
    const say = this.say.value;
    const conditions = this.tree.conditions(node, members);
    const answer = members.length > 1 ? predictionText(this.tree, members, say) : this.tree.answer(node);
    return conditions.length ? this.#withColon(`${say("rule_when")} ${conditions.join(say("rule_and"))}`, answer) : answer;
  }

  /** What is shown when the pointer rests on a node. */
  tip(node: number, tree: Tree = this.tree): string {
    const say = this.say.value;
    const members = tree.groups.has(node) ? (this.boxOf(node)?.members ?? []) : [];
    if (members.length > 1) return this.#withColon(tree.allNames(members, say), predictionText(tree, members, say));
    const rule = tree.conditions(node).join(say("rule_and")) || say("root");
    const notes = tree.data.marks[this.lang.value]?.[node]?.[1] ?? [];
    return [this.#withColon(rule, tree.answer(node)), ...notes].join(say("clause_semicolon"));
  }

  /** What something is, after a colon. */
  #withColon(what: string, text: string): string {
    return what + this.say.value("clause_colon") + text;
  }
}

/** The nodes of one tree that another one has, too: reached by the same branches. */
function sameNodes(old: Tree, now: Tree): Map<number, number> {
  const same = new Map([[0, 0]]);
  for (const [a, b] of same) {
    if (old.isLeaf(a) || now.isLeaf(b) || old.columnName(a) !== now.columnName(b)) continue;
    const labels = new Map(at(now.children, b).map((kid) => [now.label(kid), kid]));
    for (const kid of at(old.children, a)) {
      const twin = labels.get(old.label(kid));
      if (twin !== undefined) same.set(kid, twin);
    }
  }
  return same;
}

/** The ends of the interval of a share, in per cent. */
export function percentEnds(right: number, n: number): { low: number; high: number } {
  const [low, high] = wilson(right, n);
  return { low: roundEven(100 * low), high: roundEven(100 * high) };
}

/** Run after the changes of signals are on the page. */
export function afterRender(run: () => void): void {
  queueMicrotask(() => queueMicrotask(run));
}

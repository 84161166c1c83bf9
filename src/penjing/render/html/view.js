// The viewer: one tree, folded and unfolded, searched, asked, replayed; no server, no network.
//
// `data` is what html.py put into the page: the tree as arrays, its texts in every language, the
// widths of characters. Everything shown is computed from it here; nothing is fetched.

const NAME = 14, SMALL = 11, MAX_NAME = 170, CARD = 54, LEAF_CARD = 44, LABEL = 20, DROP = 34;
const MARGIN = 16, GAP = 12, MAX_LEAVES = 64, ICICLE_WIDE = 1360, ICICLE_HIGH = 34;
// As svg.py has them; the last, grey, is shared by all classes beyond eight.
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];
const SVG = "http://www.w3.org/2000/svg";

// -- the tree -----------------------------------------------------------------------------------

/** What the arrays say, made easy to ask. */
export class Tree {
  constructor(data) {
    this.data = data;
    this.n = data.parent.length;
    this.children = Array.from({ length: this.n }, () => []);
    for (let i = 1; i < this.n; i++) this.children[data.parent[i]].push(i);
    this.depth = new Array(this.n).fill(0);
    for (let i = 1; i < this.n; i++) this.depth[i] = this.depth[data.parent[i]] + 1;
    this.weight = data.total.map((t) => (data.classes ? t.reduce((a, b) => a + b, 0) : t[0]));
    this.leaves = this.children.map((kids) => (kids.length ? 0 : 1));
    for (let i = this.n - 1; i > 0; i--) this.leaves[data.parent[i]] += this.leaves[i];
    this.cut = data.cut.map((cut) => (cut === "inf" ? Infinity : cut));
    this.open = new Set(data.open);
    this.quotes = new Map(data.quoted);
    this.wordIn = "in";
    // In the order in which every picture draws them: most rows first, then questions, then levels.
    this.drawn = this.children.map((kids, node) => (data.counted && this.cut[node] === null
      ? [...kids].sort((a, b) => this.weight[b] - this.weight[a] || (this.children[b].length > 0) - (this.children[a].length > 0) || a - b) : kids));
  }

  /** How high the number of a node lies between the lowest and the highest, 0 to 1. */
  height(node) {
    if (!this.ends) {
      const known = this.data.value.map(Number).filter((_, i) => this.weight[i] > 0);
      this.ends = known.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
    }
    const [low, high] = this.ends;
    return high > low ? Math.min(1, Math.max(0, (Number(this.data.value[node]) - low) / (high - low))) : 0.5;
  }

  isLeaf(node) { return this.children[node].length === 0; }

  path(node) {
    const found = [];
    for (let at = node; at >= 0; at = this.data.parent[at]) found.push(at);
    return found.reverse();
  }

  /** A name as printed: in quotes where it would read as more than one word. */
  quoted(name) { return this.quotes.get(name) ?? name; }

  /** The class or number a node answers, as printed. */
  answer(node) { return this.data.classes ? this.quoted(this.data.classes[this.data.value[node]]) : this.data.value[node]; }

  /** The levels on the branch into a node; none after a cut. */
  names(node) {
    const parent = this.data.parent[node];
    if (this.cut[parent] !== null) return [];
    const field = this.data.schema[this.data.column[parent]];
    return this.data.levels[node].map((code) => this.quoted(field.levels[code] ?? "?"));
  }

  /** The words on the branch into a node. */
  label(node) {
    const parent = this.data.parent[node];
    if (this.cut[parent] === Infinity) return node === this.children[parent][0] ? "≠ ?" : "= ?";
    if (this.cut[parent] !== null) {
      return this.side(parent, node === this.children[parent][0]);
    }
    const names = this.names(node);
    return names.length === 1 ? `= ${names[0]}` : `${this.wordIn} {${names.join(", ")}}`;
  }

  /** One side of a cut; a printed number that belongs above it reads "<" and "≥". */
  side(node, isBelow) {
    const isOpen = this.open.has(node);
    return `${isBelow ? (isOpen ? "<" : "≤") : isOpen ? "≥" : ">"} ${this.data.cut_text[node]}`;
  }

  /** What must hold for a row to come here: each column once, intervals merged. */
  conditions(node) {
    const bounds = new Map();
    const path = this.path(node);
    for (let i = 1; i < path.length; i++) {
      const [parent, child] = [path[i - 1], path[i]];
      const column = this.data.column[parent];
      if (!bounds.has(column)) bounds.set(column, {});
      const said = bounds.get(column);
      if (this.cut[parent] === null) said.levels = this.label(child);
      else if (this.cut[parent] === Infinity) said.known = this.label(child);
      else if (child === this.children[parent][0]) said.high = parent;
      else said.low = parent;
    }
    return [...bounds].map(([column, said]) => {
      const name = this.quoted(this.data.schema[column].name);
      if (said.levels) return `${name} ${said.levels}`;
      if (said.low !== undefined && said.high !== undefined) {
        const sign = this.open.has(said.low) ? "≤" : "<";
        return `${this.data.cut_text[said.low]} ${sign} ${name} ${this.side(said.high, true)}`;
      }
      if (said.high !== undefined) return `${name} ${this.side(said.high, true)}`;
      return `${name} ${said.low === undefined ? said.known : this.side(said.low, false)}`;
    });
  }

  /** The branch that a test gives a value, -1 where it gives none. */
  branch(value, cut, groups) {
    if (isBlank(value)) return -1;
    if (cut === null) return groups.findIndex((codes) => codes.includes(Number(value)));
    const number = this.data.single ? Math.fround(Number(value)) : Number(value);
    return Number.isNaN(number) ? -1 : Number(number > cut);
  }

  /** The child that a row goes to: by the test, its surrogates, or where missing values go. */
  next(node, row) {
    const kids = this.children[node];
    let way = this.branch(row[this.data.column[node]], this.cut[node], kids.map((kid) => this.data.levels[kid]));
    for (const other of this.data.surrogates[node] ?? []) {
      if (way >= 0) break;
      way = this.branch(row[other.column], other.cut, other.groups);
      if (way >= 0 && other.cut !== null && other.below === 1) way = 1 - way;
    }
    if (way < 0 && this.data.missing) way = this.data.missing[node];
    return way < 0 ? -1 : kids[way];
  }

  /** The nodes that a row passes; it stops where nothing sends it on. */
  route(row) {
    const found = [0];
    for (let node = 0; !this.isLeaf(node);) {
      node = this.next(node, row);
      if (node < 0) break;
      found.push(node);
    }
    return found;
  }

  /** What a row is answered: by the node where it stops, or by all that it is shared out to. */
  answerTo(row) {
    const path = this.route(row);
    const end = path[path.length - 1];
    if (!this.data.shares_out || this.isLeaf(end) || !isBlank(row[this.data.column[end]])) return this.answer(end);
    const sums = (this.data.classes ?? [0]).map(() => 0);
    const waiting = [[end, 1]];
    while (waiting.length) {
      const [node, part] = waiting.pop();
      const next = this.isLeaf(node) ? -1 : this.next(node, row);
      if (next >= 0) waiting.push([next, part]);
      else if (!this.isLeaf(node) && isBlank(row[this.data.column[node]])) {
        const whole = this.children[node].reduce((sum, kid) => sum + this.weight[kid], 0);
        for (const kid of this.children[node]) waiting.push([kid, (part * this.weight[kid]) / whole]);
      } else if (!this.data.classes) sums[0] += part * Number(this.data.value[node]);
      else this.shares(node).forEach((share, i) => { sums[i] += part * share; });
    }
    if (!this.data.classes) return String(Number(sums[0].toPrecision(6)));
    const best = Math.max(...sums);
    return this.quoted(this.data.classes[sums.findIndex((sum) => sum >= best - 1e-9)]);
  }

  shares(node) {
    const [total, more] = [this.data.total[node], this.data.laplace ? 1 : 0];
    if (!(this.weight[node] > 0)) return total.map((_, i) => Number(i === this.data.value[node]));
    return total.map((v) => (v + more) / (this.weight[node] + more * total.length));
  }

  /** The visible nodes and which of them are folded: those with most rows are unfolded first. */
  unfolded(limit = MAX_LEAVES) {
    const open = new Set();
    let ends = 1;
    const closed = this.isLeaf(0) ? [] : [0];
    while (closed.length) {
      let best = 0;
      for (let i = 1; i < closed.length; i++) {
        const [a, b] = [closed[i], closed[best]];
        if (this.weight[a] > this.weight[b] || (this.weight[a] === this.weight[b] && a < b)) best = i;
      }
      const node = closed[best];
      const kids = this.children[node];
      if (ends - 1 + kids.length > limit && node !== 0) break;
      closed.splice(best, 1);
      open.add(node);
      ends += kids.length - 1;
      for (const kid of kids) if (!this.isLeaf(kid)) closed.push(kid);
    }
    return open;
  }
}

const isBlank = (value) => value === null || value === undefined || value === "";

export function amount(weight) {
  if (Number.isInteger(weight)) return String(weight);
  return Math.abs(weight) >= 0.005 ? String(Number(weight.toFixed(2))) : String(Number(weight.toPrecision(1)));
}

// -- layout: the same as layout.py and scene.py, so that both draw the same picture ---------------

export function measure(data) {
  const advance = (c, bold) => {
    const code = c.codePointAt(0) - 32;
    if (code >= 0 && code < data.widths.regular.length) return data.widths[bold ? "bold" : "regular"][code];
    return data.widths.other[c] ?? 1100;
  };
  const width = (text, size, bold = false) => {
    let sum = 0;
    for (const c of text) sum += advance(c, bold);
    return (sum * size) / 1000;
  };
  const clipped = (text, size, room, bold = false) => {
    if (width(text, size, bold) <= room) return text;
    const letters = [...text];
    let left = ((room - width("..", size, bold)) * 1000) / size;
    let [head, tail] = [0, letters.length];
    while (head < tail) {
      const fromHead = head <= 1.5 * (letters.length - tail);
      left -= advance(fromHead ? letters[head] : letters[tail - 1], bold);
      if (left < 0) break;
      if (fromHead) head++; else tail--;
    }
    return `${letters.slice(0, head).join("")}..${letters.slice(tail).join("")}`;
  };
  /** As many names as fit whole, and how many are left; only a name alone is cut. */
  const listed = (names, size, room, bold = false) => {
    for (let n = Math.min(3, names.length); n > 0; n--) {
      const text = names.slice(0, n).join(", ") + (names.length > n ? ` +${names.length - n}` : "");
      if (width(text, size, bold) <= room) return text;
    }
    const more = names.length > 1 ? ` +${names.length - 1}` : "";
    const short = clipped(names[0], size, room - width(more, size, bold), bold);
    return short.startsWith("..") ? "" : short + more;
  };
  return { width, clipped, listed };
}

export function place(children, widths) {
  const n = widths.length;
  const offset = new Array(n).fill(0);
  const outlines = new Array(n);
  for (let box = n - 1; box >= 0; box--) {
    const half = widths[box] / 2;
    const kids = children[box];
    if (!kids.length) { outlines[box] = { left: [-half], right: [half] }; continue; }
    const [below, middles] = sideBySide(kids.map((kid) => outlines[kid]));
    for (const kid of kids) outlines[kid] = null;
    const centre = (middles[0] + middles[middles.length - 1]) / 2;
    kids.forEach((kid, i) => { offset[kid] = middles[i] - centre; });
    const left = below.left.map((edge) => edge - centre);
    const right = below.right.map((edge) => edge - centre);
    left.push(-half);
    right.push(half);
    outlines[box] = { left, right };
  }
  const placed = new Array(n).fill(0);
  placed[0] = -Math.min(...outlines[0].left);
  for (let box = 0; box < n; box++) for (const kid of children[box]) placed[kid] = placed[box] + offset[kid];
  return placed;
}

function sideBySide(outlines) {
  let joint = outlines[0];
  const middles = [0];
  for (const outline of outlines.slice(1)) {
    const common = Math.min(joint.left.length, outline.left.length);
    let shift = -Infinity;
    for (let level = 1; level <= common; level++) {
      shift = Math.max(shift, joint.right[joint.right.length - level] + GAP - outline.left[outline.left.length - level]);
    }
    middles.push(shift);
    const left = outline.left.map((edge) => edge + shift);
    const right = outline.right.map((edge) => edge + shift);
    if (left.length > joint.left.length) {
      left.splice(left.length - common, common, ...joint.left.slice(-common));
      joint = { left, right };
    } else {
      joint.right.splice(joint.right.length - common, common, ...right.slice(-common));
    }
  }
  return [joint, middles];
}

/** The boxes of the visible part, with places and texts. */
export function scene(tree, open, say) {
  const { data } = tree;
  const { width, clipped, listed } = measure(data);
  const shown = [];
  const visible = new Map();
  for (let node = 0; node < tree.n; node++) {
    const parent = data.parent[node];
    if (parent >= 0 && !(visible.has(parent) && open.has(parent))) continue;
    visible.set(node, shown.length);
    shown.push(node);
  }
  const boxes = shown.map((node) => draft(tree, node, open, say, { width, clipped }));
  const answers = shown.map((node) => (node === 0 ? "" : branchLabel(tree, node, say, { clipped, listed })));
  const widths = boxes.map((box, i) => Math.max(box.wide, width(answers[i], NAME - 2, true) + 4));
  const kids = shown.map((node) => (open.has(node) ? tree.drawn[node].map((kid) => visible.get(kid)) : []));
  const middle = place(kids, widths);
  const levels = [];
  boxes.forEach((box) => { levels[box.depth] = Math.max(levels[box.depth] ?? 0, box.high); });
  const tops = [0];
  for (let level = 1; level < levels.length; level++) tops.push(tops[level - 1] + levels[level - 1] + DROP + LABEL);
  let [wide, high] = [0, 0];
  boxes.forEach((box, i) => {
    box.x = MARGIN + middle[i] - box.wide / 2;
    box.y = tops[box.depth] + LABEL;
    box.label = answers[i];
    box.parent = data.parent[box.node] >= 0 ? visible.get(data.parent[box.node]) : -1;
    box.thick = 1.2 + (8.8 * tree.weight[box.node]) / Math.max(tree.weight[0], 1e-300);
    wide = Math.max(wide, middle[i] + widths[i] / 2 + 2 * MARGIN);
    high = Math.max(high, box.y + box.high + MARGIN);
  });
  return { boxes, wide, high };
}

/** What stands above a box; half a number would be a wrong one, so only names are cut. */
export function branchLabel(tree, node, say, { clipped, listed }) {
  const { data } = tree;
  const field = data.schema[data.column[data.parent[node]]];
  const names = tree.names(node);
  let text = names.length ? listed(names, NAME - 2, MAX_NAME, true) : tree.label(node);
  if (!names.length && field.levels !== null) text = clipped(text, NAME - 2, MAX_NAME, true);
  return data.takes_missing.includes(node) ? `${text} ${say("mark_missing")}` : text;
}

function draft(tree, node, open, say, { width, clipped }) {
  const { data } = tree;
  const weight = tree.weight[node];
  const total = data.total[node];
  const box = { node, depth: tree.depth[node], bar: data.classes && weight > 0 ? barOf(total.map((v) => v / weight), data.shades) : [] };
  if (!tree.isLeaf(node) && open.has(node)) {
    const name = clipped(data.schema[data.column[node]].name, NAME, MAX_NAME, true);
    let note = data.counted ? `${say(`measure_${data.criterion}`)} ${data.score[node].toFixed(3)}` : "";
    if (data.ties.includes(node)) note += ` ${say("mark_tie")}`;
    const counts = countsText(tree, node);
    const weighs = `${data.counted ? `n=${amount(weight)}` : ""}${data.marks[say("lang")][node]?.[0] ?? ""}`.trim();
    const wide = Math.max(width(name, NAME, true) + 14 + width(note, SMALL), width(counts, SMALL) + 14 + width(weighs, SMALL), 84);
    return { ...box, kind: "question", name, note, lines: [counts, weighs], wide: wide + 20, high: CARD };
  }
  const folded = !tree.isLeaf(node);
  const name = clipped(tree.answer(node), NAME, MAX_NAME, true);
  let line = "";
  if (folded) line = say("folded_leaves", { n: tree.leaves[node], weight: amount(weight) });
  else if (data.counted && !data.classes) line = `n=${amount(weight)}`;
  else if (data.counted) {
    const right = total[data.value[node]];
    line = `${amount(right)}/${amount(weight)}${weight > 0 ? ` ${roundEven((100 * right) / weight)}%` : ""}`;
  }
  const wide = Math.max(width(name, NAME, true), width(line, SMALL), 56) + 24;
  return { ...box, kind: folded ? "folded" : "leaf", name, note: "", lines: [line], wide, high: LEAF_CARD };
}

/** The parts of a bar, [colour, share]: classes in their order, the grey ones last. */
export function barOf(shares, shades) {
  const parts = shares.map((share, class_) => [shades[class_], share]).filter(([, share]) => share > 0);
  const isRest = ([shade]) => shades.length > PALETTE.length && shade === PALETTE.length - 1;
  return [...parts.filter((part) => !isRest(part)), ...parts.filter(isRest)];
}

function countsText(tree, node) {
  const { data } = tree;
  const total = data.total[node];
  if (!data.counted) return "";
  if (!data.classes) return String(data.value[node]);
  if (total.length <= 4) return total.map(amount).join(" : ");
  return `${tree.answer(node)} ${roundEven((100 * total[data.value[node]]) / tree.weight[node])}%`;
}

/** As Python rounds: halves to the even neighbour. */
function roundEven(number) {
  const low = Math.floor(number);
  if (number - low !== 0.5) return Math.round(number);
  return low % 2 === 0 ? low : low + 1;
}

// -- the page -------------------------------------------------------------------------------------


function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A count with thousands separators. */
const grouped = (count) => String(count).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** Draw a tree into an element and keep it alive. */
export function mount(root, data) {
  const tree = new Tree(data);
  const state = {
    lang: data.lang, theme: data.theme, view: data.view ?? "tree", open: tree.unfolded(), focus: 0, zoom: 1,
    row: data.schema.map(() => ""), found: new Set(), step: 0,
  };
  const say = (key, values = {}) => {
    const words = data.words[state.lang];
    if (key === "lang") return state.lang;
    const text = (values.n === 1 && words[`${key}_one`]) || words[key] || key;
    return text.replace(/\{(\w+)(:,)?\}/g, (_, name, isCount) => (isCount ? grouped(values[name]) : values[name]));
  };

  const live = element("p", { class: "live", role: "status", "aria-live": "polite" });
  const head = element("header");
  const canvas = element("div", { class: "canvas", id: "canvas", role: "region" });
  const side = element("aside", { "aria-label": "" });
  root.append(head, element("main", {}, canvas, side), live);

  const asked = [...new Set(data.column.filter((c) => c >= 0))];
  const lit = () => (state.row.some((v) => v !== "") ? new Set(tree.route(state.row)) : new Set());

  function drawHead() {
    tree.wordIn = say("rule_in");
    const button = (key, active, action) => element("button", { type: "button", "aria-pressed": String(active), onclick: action }, say(key));
    const search = element("input", { type: "search", id: "search", value: state.query ?? "", placeholder: "column:… leaf:… n>=20", oninput: (event) => find(event.target.value) });
    head.replaceChildren(
      element("h1", {}, data.title),
      element("p", { class: "facts" }, data.facts[state.lang]),
      element("div", { class: "tools", role: "toolbar", "aria-label": say("view_tools") },
        button("view_tree", state.view === "tree", () => show("tree")),
        button("view_icicle", state.view === "icicle", () => show("icicle")),
        button("view_list", state.view === "list", () => show("list")),
        element("button", { type: "button", onclick: () => unfold(true) }, say("view_unfold")),
        element("button", { type: "button", onclick: () => unfold(false) }, say("view_fold")),
        element("button", { type: "button", "aria-label": say("view_zoom_in"), onclick: () => zoom(1.25) }, "+"),
        element("button", { type: "button", "aria-label": say("view_zoom_out"), onclick: () => zoom(0.8) }, "−"),
        element("button", { type: "button", onclick: fit }, say("view_fit")),
        element("label", { for: "search" }, say("view_search")), search,
        element("span", { class: "found", id: "found" }, state.query ? say("view_found", { n: state.found.size }) : ""),
        element("button", { type: "button", onclick: () => { state.lang = state.lang === "zh" ? "en" : "zh"; draw(); } }, state.lang === "zh" ? "English" : "中文"),
        element("button", { type: "button", onclick: () => { state.theme = state.theme === "dark" ? "light" : "dark"; draw(); } }, say(state.theme === "dark" ? "view_light" : "view_dark")),
      ),
      data.classes ? element("ul", { class: "legend", "aria-label": say("view_classes") }, ...data.legend[state.lang].map(([name, count], shade) => element("li", {}, swatch(shade), count ? `${name} (${count})` : name))) : "",
    );
  }

  function swatch(shade) {
    const made = element("span", { class: "swatch", "aria-hidden": "true" });
    made.style.background = PALETTE[shade];
    return made;
  }

  function sentence(node) {
    const parts = [node === 0 ? say("root") : `${tree.quoted(data.schema[data.column[data.parent[node]]].name)} ${tree.label(node)}`];
    if (data.counted) parts.push(say("view_rows", { n: amount(tree.weight[node]) }));
    if (data.classes && data.counted) parts.push(data.classes.map((c, i) => `${amount(data.total[node][i])} ${c}`).join(", "));
    parts.push(tree.isLeaf(node) ? say("view_answers", { answer: tree.answer(node) }) : say("view_asks", { column: data.schema[data.column[node]].name }));
    parts.push(...(data.marks[state.lang][node]?.[1] ?? []));
    return parts.join(", ");
  }

  function drawTree() {
    const { boxes, wide, high } = scene(tree, state.open, say);
    const path = lit();
    const svg = shape("svg", { role: "tree", "aria-label": data.title, preserveAspectRatio: "xMidYMin", width: wide * state.zoom, height: high * state.zoom, viewBox: `0 0 ${wide} ${high}` });
    for (const box of boxes) {
      if (box.parent < 0) continue;
      const parent = boxes[box.parent];
      const [x0, y0, x1, y1] = [parent.x + parent.wide / 2, parent.y + parent.high, box.x + box.wide / 2, box.y - LABEL];
      const middle = (y0 + y1) / 2;
      svg.append(shape("path", { class: path.has(box.node) ? "arm lit" : "arm", d: `M${x0} ${y0}C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`, "stroke-width": box.thick, "aria-hidden": "true" }));
    }
    for (const box of boxes) svg.append(...card(box, path));
    canvas.replaceChildren(svg);
  }

  function card(box, path) {
    const { node } = box;
    const siblings = node === 0 ? [0] : tree.drawn[data.parent[node]];
    const marks = ["node", box.kind];
    if (path.has(node)) marks.push("lit");
    if (state.found.has(node)) marks.push("found");
    const group = shape("g", {
      id: `n${node}`, class: marks.join(" "), role: "treeitem", tabindex: node === state.focus ? 0 : -1, "aria-label": sentence(node),
      "aria-level": box.depth + 1, "aria-posinset": siblings.indexOf(node) + 1, "aria-setsize": siblings.length, "aria-selected": String(node === state.focus),
    });
    if (!tree.isLeaf(node)) group.setAttribute("aria-expanded", String(state.open.has(node)));
    const title = shape("title");
    title.textContent = [`${tree.conditions(node).join(say("rule_and")) || say("root")}: ${tree.answer(node)}`, ...(data.marks[state.lang][node]?.[1] ?? [])].join("; ");
    const text = (x, y, words, kind) => { const t = shape("text", { x, y, class: kind }); t.textContent = words; return t; };
    const centre = box.x + box.wide / 2;
    const rect = shape("rect", { x: box.x, y: box.y, width: box.wide, height: box.high, rx: box.kind === "question" ? 6 : 14, class: "card" });
    if (box.kind !== "question" && data.classes) {
      rect.style.setProperty("--shade", PALETTE[data.shades[data.value[node]]]);
      rect.classList.add("tinted");
    }
    group.append(title, rect);
    // The words of a card stand beside the tree item, which speaks for itself by its label.
    const words = shape("g", { class: marks.join(" "), "aria-hidden": "true", "pointer-events": "none" });
    if (box.label) words.append(text(centre, box.y - 6, box.label, "label"));
    if (box.kind === "question") {
      words.append(text(box.x + 10, box.y + 18, box.name, "name"), text(box.x + box.wide - 10, box.y + 18, box.note, "note end"),
        ...bar(box, 10, 24, 9), text(box.x + 10, box.y + 47, box.lines[0], "note"), text(box.x + box.wide - 10, box.y + 47, box.lines[1], "note end"));
    } else {
      words.append(text(centre, box.y + 17, box.name, "name mid"), text(centre, box.y + 31, box.lines[0], "small mid"), ...bar(box, 12, 35, 4));
    }
    group.addEventListener("click", (event) => { if (event.detail === 2) flip(node); focus(node); });
    return tree.isLeaf(node) ? [group, words] : [group, words, folder(box)];
  }

  /** The knob below a card that folds and unfolds it; by the keyboard Enter and the arrows do. */
  function folder(box) {
    const [x, y] = [box.x + box.wide / 2, box.y + box.high + 8];
    const made = shape("g", { class: "knob", "aria-hidden": "true", "data-node": box.node },
      shape("circle", { cx: x, cy: y, r: 12, class: "reach" }), shape("circle", { cx: x, cy: y, r: 7, class: "ring" }),
      shape("path", { d: `M${x - 3.5} ${y}h7${box.kind === "folded" ? `M${x} ${y - 3.5}v7` : ""}` }));
    made.addEventListener("click", () => { flip(box.node); focus(box.node); });
    return made;
  }

  function bar(box, inset, top, high) {
    const made = [];
    const wide = box.wide - 2 * inset;
    let [at, before] = [box.x + inset, -1];
    for (const [shade, share] of box.bar) {
      made.push(shape("rect", { x: at, y: box.y + top, width: wide * share, height: high, fill: PALETTE[shade] }));
      if (shade === before) made.push(shape("path", { d: `M${at} ${box.y + top}v${high}`, class: "between" }));  // other classes, one grey
      at += wide * share;
      before = shade;
    }
    if (made.length) made.push(shape("rect", { x: box.x + inset, y: box.y + top, width: wide, height: high, class: "outline" }));
    return made;
  }

  function drawIcicle() {
    const scale = tree.weight[0] > 0 ? ICICLE_WIDE / tree.weight[0] : 0;
    const left = new Array(tree.n).fill(MARGIN);
    const path = lit();
    const deepest = Math.min(60, Math.max(...tree.depth) + 1);
    const told = data.icicle[state.lang];
    const svg = shape("svg", { role: "img", "aria-label": `${data.title}, ${told}`, preserveAspectRatio: "xMidYMin", width: (ICICLE_WIDE + 2 * MARGIN) * state.zoom, height: (deepest * ICICLE_HIGH + MARGIN) * state.zoom, viewBox: `0 0 ${ICICLE_WIDE + 2 * MARGIN} ${deepest * ICICLE_HIGH + MARGIN}` });
    const { width, clipped, listed } = measure(data);
    for (let node = 0; node < tree.n; node++) {
      let at = left[node];
      for (const kid of tree.drawn[node]) { left[kid] = at; at += tree.weight[kid] * scale; }
      const wide = tree.weight[node] * scale;
      if (wide < 0.25 || tree.depth[node] >= deepest) continue;
      const rect = shape("rect", { x: left[node], y: tree.depth[node] * ICICLE_HIGH, width: wide, height: ICICLE_HIGH - 1, class: path.has(node) ? "cell lit" : "cell" });
      if (tree.weight[node] > 0) {
        rect.style.setProperty("--shade", PALETTE[data.classes ? data.shades[data.value[node]] : 0]);
        rect.style.setProperty("--part", `${Math.round(data.classes ? 15 + 60 * (data.total[node][data.value[node]] / tree.weight[node]) ** 2 : 10 + 60 * tree.height(node))}%`);
        rect.classList.add("shaded");
      }
      rect.dataset.node = node;
      svg.append(rect);
      if (wide >= 46) {
        const name = shape("text", { x: left[node] + 4, y: tree.depth[node] * ICICLE_HIGH + 14, class: "small strong" });
        const text = tree.isLeaf(node) ? tree.answer(node) : data.schema[data.column[node]].name;
        const short = clipped(text, SMALL, wide - 8, true);
        name.textContent = short !== text && tree.isLeaf(node) && !data.classes ? "" : short;  // half a number would be a wrong one
        svg.append(name);
        if (node > 0) {
          const names = tree.names(node);
          const label = shape("text", { x: left[node] + 4, y: tree.depth[node] * ICICLE_HIGH + 28, class: "small" });
          if (names.length) label.textContent = listed(names, SMALL, wide - 8);
          else if (width(tree.label(node), SMALL) <= wide - 8) label.textContent = tree.label(node);
          svg.append(label);
        }
      }
    }
    svg.addEventListener("click", (event) => { if (event.target.dataset.node) focus(Number(event.target.dataset.node)); });
    svg.addEventListener("pointerover", ({ target }) => {  // thousands of rules are not written before they are read
      if (!target.dataset.node || target.firstChild) return;
      const node = Number(target.dataset.node);
      const title = shape("title");
      title.textContent = `${tree.conditions(node).join(say("rule_and")) || say("root")}: ${tree.answer(node)}`;
      target.append(title);
    });
    canvas.replaceChildren(element("p", { class: "facts" }, told), svg);
  }

  /** The same tree as nested lists: what a screen reader likes best. */
  function drawList() {
    const make = (node) => {
      const words = node === 0 ? "" : `${tree.quoted(data.schema[data.column[data.parent[node]]].name)} ${tree.label(node)}`;
      const line = tree.isLeaf(node) ? `${words}${words ? ": " : ""}${tree.answer(node)}${data.counted ? ` (${amount(tree.weight[node])})` : ""}` : words || say("root");
      return element("li", { class: lit().has(node) ? "lit" : "" }, element("button", { type: "button", class: "plain", onclick: () => focus(node) }, line));
    };
    const top = element("ul", { class: "list" });
    const waiting = [[0, top]];
    while (waiting.length) {
      const [node, list] = waiting.pop();
      const item = make(node);
      list.append(item);
      if (state.open.has(node)) {
        const below = element("ul");
        item.append(below);
        for (const kid of [...tree.drawn[node]].reverse()) waiting.push([kid, below]);
      } else if (!tree.isLeaf(node)) {
        item.append(element("button", { type: "button", onclick: () => { toggle(node); } }, say("folded_leaves", { n: tree.leaves[node], weight: amount(tree.weight[node]) })));
      }
    }
    canvas.replaceChildren(top);
  }

  function drawSide() {
    side.setAttribute("aria-label", say("view_details"));
    side.replaceChildren(details(), form(), ...(data.trace ? [replay()] : []));
  }

  function details() {
    const node = state.focus;
    const conditions = tree.conditions(node);
    const parts = [element("h2", {}, node === 0 ? say("root") : `${say("view_node")} ${node}`)];
    parts.push(element("p", { class: "rule", id: "rule" }, `${conditions.length ? `${say("rule_when")} ${conditions.join(say("rule_and"))}: ` : ""}${tree.answer(node)}`));
    if (data.classes && data.counted) {
      parts.push(counts(node));
    }
    if (data.classes && data.counted && tree.weight[node] > 0) {
      const [low, high] = wilson(data.total[node][data.value[node]], tree.weight[node]);
      parts.push(element("p", { id: "interval" }, say("view_interval", { answer: tree.answer(node), low: Math.round(100 * low), high: Math.round(100 * high) })));
    }
    const more = data.marks[state.lang][node]?.[1] ?? [];
    if (more.length) parts.push(element("ul", { class: "flips", id: "marks" }, ...more.map((text) => element("li", {}, text))));
    return element("section", { class: "details" }, ...parts);
  }

  /** How many rows of each class: a class a line, the largest first where there are many. */
  function counts(node) {
    const total = data.total[node];
    const order = total.map((_, class_) => class_);
    if (order.length > PALETTE.length) order.sort((a, b) => total[b] - total[a] || a - b);
    const most = Math.max(...total, 1e-300);
    const line = (class_) => {
      const bar = element("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = `${(100 * total[class_]) / most}%`;
      bar.style.background = PALETTE[data.shades[class_]];
      return element("tr", {}, element("th", { scope: "row" }, swatch(data.shades[class_]), String(data.classes[class_])),
        element("td", {}, amount(total[class_])), element("td", { class: "bars" }, bar));
    };
    const table = element("table", { class: "counts" }, element("caption", {}, say("view_counts")), element("tbody", {}, ...order.map(line)));
    return order.length > PALETTE.length ? element("div", { class: "many", tabindex: 0, role: "group", "aria-label": say("view_counts") }, table) : table;
  }

  function form() {
    const fields = asked.map((column) => {
      const field = data.schema[column];
      const id = `f${column}`;
      const change = (event) => { state.row[column] = event.target.value; answerRow(); redraw(); };
      const input = field.levels
        ? element("select", { id, onchange: change }, element("option", { value: "" }, say("view_unknown")), ...field.levels.map((level, code) => element("option", { value: String(code), selected: state.row[column] === String(code) }, String(level))))
        : element("input", { id, type: "number", step: "any", value: state.row[column], oninput: change });
      return element("div", { class: "field" }, element("label", { for: id }, field.name), input);
    });
    const section = element("section", { class: "what-if" }, element("h2", {}, say("view_what_if")), ...fields,
      element("p", { id: "answer", class: "rule" }, ""), element("ul", { id: "flips", class: "flips" }),
      element("button", { type: "button", onclick: () => { state.row = data.schema.map(() => ""); draw(); } }, say("view_clear")));
    queueMicrotask(answerRow);
    return section;
  }

  function answerRow() {
    const place = root.querySelector("#answer");
    const flips = root.querySelector("#flips");
    if (!place) return;
    if (!state.row.some((v) => v !== "")) { place.textContent = ""; flips.replaceChildren(); return; }
    const path = tree.route(state.row);
    place.textContent = say("view_row_answer", { answer: tree.answerTo(state.row) });
    flips.replaceChildren(...nearest(path).map((text) => element("li", {}, text)));
  }

  /** For each column on the path, the smallest change of it alone that changes the answer. */
  function nearest(path) {
    const now = tree.answerTo(state.row);
    const found = [];
    for (const column of new Set(path.filter((node) => !tree.isLeaf(node)).map((node) => data.column[node]))) {
      const field = data.schema[column];
      const values = field.levels
        ? field.levels.map((_, code) => String(code))
        : [...new Set(tree.cut.filter((cut, node) => Number.isFinite(cut) && data.column[node] === column))].flatMap((cut) => [cut, nextUp(cut)]);
      const tried = values
        .filter((value) => String(value) !== state.row[column])
        .map((value) => ({ value, answer: tree.answerTo(state.row.map((v, c) => (c === column ? value : v))) }))
        .filter((option) => option.answer !== now);
      if (!tried.length) continue;
      const best = field.levels ? tried[0] : tried.reduce((a, b) => (Math.abs(b.value - state.row[column]) < Math.abs(a.value - state.row[column]) ? b : a));
      const words = field.levels ? `= ${field.levels[best.value]}` : flipText(best.value, column);
      found.push(say("view_flip", { column: field.name, value: words, answer: best.answer }));
    }
    return found;
  }

  function flipText(value, column) {
    const node = tree.cut.findIndex((cut, i) => data.column[i] === column && (cut === value || nextUp(cut) === value));
    return tree.side(node, tree.cut[node] === value);
  }

  function replay() {
    const steps = data.trace;
    const step = steps[Math.min(state.step, steps.length - 1)];
    const go = (to, key) => {
      state.step = Math.max(0, Math.min(steps.length - 1, to));
      focus(steps[state.step].node);
      root.querySelector(`.replay [data-key=${key}]:enabled`)?.focus({ preventScroll: true });  // to be pressed again
    };
    const button = (key, to, off) => element("button", { type: "button", "data-key": key, disabled: off, onclick: () => go(to, key) }, say(key));
    return element("section", { class: "replay" }, element("h2", {}, say("view_replay")),
      element("div", { class: "tools" }, button("view_first", 0, state.step === 0), button("view_back", state.step - 1, state.step === 0),
        element("span", {}, `${state.step + 1} / ${steps.length}`), button("view_next", state.step + 1, state.step >= steps.length - 1), button("view_last", steps.length - 1, state.step >= steps.length - 1)),
      element("pre", { tabindex: 0, class: "story" }, step.text[state.lang]));
  }

  // -- actions --------------------------------------------------------------------------------------

  function focus(node, speak = true) {
    for (const above of tree.path(node).slice(0, -1)) state.open.add(above);
    state.focus = node;
    // A node may have several steps: one that shows it already stays.
    if (data.trace && data.trace[state.step]?.node !== node) {
      const step = data.trace.findIndex((s) => s.node === node);
      if (step >= 0) state.step = step;
    }
    if (state.view !== "icicle") redraw();
    drawSide();
    const at = root.querySelector(`#n${node}`);
    if (at) { at.focus({ preventScroll: true }); at.scrollIntoView({ block: "nearest", inline: "nearest" }); }
    if (speak) live.textContent = sentence(node);
  }

  function flip(node) {
    if (tree.isLeaf(node)) return;
    if (state.open.has(node)) state.open.delete(node); else state.open.add(node);
  }

  function toggle(node) {
    flip(node);
    redraw();
    root.querySelector(`#n${node}`)?.focus({ preventScroll: true });
  }

  function unfold(all) {
    state.open = all ? tree.unfolded(tree.leaves[0] <= 400 ? Infinity : 400) : new Set([0]);
    redraw();
  }

  /** Bring the root into the middle: a wide tree starts far to the right. */
  function centre() {
    const box = root.querySelector("#n0")?.getBBox();
    if (box) canvas.scrollLeft = (box.x + box.width / 2) * state.zoom - canvas.clientWidth / 2;
  }

  /** Make the whole picture fit the window, as small as it must. */
  function fit() {
    const svg = canvas.querySelector("svg");
    if (!svg) return;
    const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
    state.zoom = Math.min(1, Math.max(0.1, Math.min(canvas.clientWidth / wide, (window.innerHeight - 170) / high)));
    redraw();
  }

  function show(view) { state.view = view; drawHead(); redraw(); }
  function zoom(by) { state.zoom = Math.min(4, Math.max(0.2, state.zoom * by)); redraw(); }

  function find(query) {
    state.query = query;
    state.found = new Set(matches(tree, query));
    for (const node of [...state.found].slice(0, 200)) for (const above of tree.path(node).slice(0, -1)) state.open.add(above);
    root.querySelector("#found").textContent = query ? say("view_found", { n: state.found.size }) : "";
    redraw();
  }

  canvas.addEventListener("keydown", (event) => {
    if (state.view !== "tree") return;
    const node = state.focus;
    const order = visibleOrder();
    const at = order.indexOf(node);
    const moves = {
      ArrowDown: () => order[at + 1], ArrowUp: () => order[at - 1], Home: () => 0, End: () => order[order.length - 1],
      ArrowRight: () => { if (tree.isLeaf(node)) return undefined; if (state.open.has(node)) return tree.drawn[node][0]; flip(node); return node; },
      ArrowLeft: () => { if (state.open.has(node) && !tree.isLeaf(node) && node !== 0) { flip(node); return node; } return data.parent[node] >= 0 ? data.parent[node] : undefined; },
      Enter: () => { flip(node); return node; }, " ": () => { flip(node); return node; },
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const next = moves[event.key]();
    if (next !== undefined) focus(next);
  });

  function visibleOrder() {
    const order = [];
    const waiting = [0];
    while (waiting.length) {
      const node = waiting.pop();
      order.push(node);
      if (state.open.has(node)) waiting.push(...[...tree.drawn[node]].reverse());
    }
    return order;
  }

  function redraw() {
    ({ tree: drawTree, icicle: drawIcicle, list: drawList })[state.view]();
    // Only the icicle holds nothing that takes the focus, so there the keyboard scrolls the region.
    if (state.view === "icicle") canvas.setAttribute("tabindex", "0"); else canvas.removeAttribute("tabindex");
    canvas.setAttribute("aria-label", say(`view_${state.view}`));
  }

  function draw() {
    document.documentElement.lang = state.lang;
    document.documentElement.dataset.theme = state.theme;
    drawHead();
    redraw();
    drawSide();
  }

  draw();
  centre();
  return { state, tree, focus, find, toggle };
}

/** Nodes that a query names: column:…, leaf:…, n>=20, or any text. */
export function matches(tree, query) {
  const { data } = tree;
  const words = query.trim();
  if (!words) return [];
  const size = /^n\s*(>=|<=|=|>|<)\s*([\d.]+)$/.exec(words);
  const [, kind, rest] = /^(column|leaf):(.*)$/.exec(words) ?? [null, "", words];
  const test = {
    ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, "<": (a, b) => a < b, "=": (a, b) => a === b,
  };
  const found = [];
  for (let node = 0; node < tree.n; node++) {
    const leaf = tree.isLeaf(node);
    const asks = leaf ? "" : data.schema[data.column[node]].name;
    let hit;
    if (size) hit = test[size[1]](tree.weight[node], Number(size[2]));
    else if (kind === "column") hit = !leaf && asks.includes(rest.trim());
    else if (kind === "leaf") hit = leaf && String(tree.answer(node)).includes(rest.trim());
    else hit = asks.includes(rest) || (leaf && String(tree.answer(node)).includes(rest)) || (node > 0 && tree.label(node).includes(rest));
    if (hit) found.push(node);
  }
  return found;
}

/** Wilson's interval of a share, 95 %. */
function wilson(right, n) {
  const z2 = 1.959963984540054 ** 2 / n;
  const share = right / n;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Math.sqrt(z2 * n) / (1 + z2)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n));
  return [right <= 0 ? 0 : Math.max(0, middle - half), right >= n ? 1 : Math.min(1, middle + half)];
}

function nextUp(x) {
  if (x === null || !Number.isFinite(x)) return x;
  if (x === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

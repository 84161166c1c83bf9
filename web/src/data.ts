// The data of a page, as penjing/render/html/page_data.py writes it: a tree as arrays, and texts.

export interface Field {
  name: string;
  /** The categories; null for numbers. */
  levels: string[] | null;
}

export interface Surrogate {
  column: number;
  cut: number | null;
  below: number;
  groups: number[][];
}

/** The rows of a split as a plot, in units of its own: 0 to 1 from the left and from the bottom. */
export interface Plot {
  /** Left, right, and the pieces from the bottom: colour and upper end. */
  bars: [left: number, right: number, pieces: [shade: number, top: number][]][];
  /** Means of a numeric target: left, right, mean less deviation, mean, mean plus deviation. */
  means: [left: number, right: number, low: number, centre: number, high: number][];
  /** The mean of each branch: left, right, height. */
  lines: [left: number, right: number, y: number][];
  threshold: number | null;
  dividers: number[];
  /** Names are clipped to their room, numbers are not. */
  labels: ByLanguage<[x: number, anchor: "left" | "center" | "right", text: string, room: number, isName: boolean][]>;
  /** The width that it asks for, in pixels. */
  width: ByLanguage<number>;
}

/** The scale of a regression tree, and the numbers of its nodes as cards show them. */
export interface Scale {
  lowest: number;
  highest: number;
  /** The ends of the common axis of means and deviations. */
  axis: [number, number];
  short: string[];
  spread: number[];
  spread_text: string[];
  /** Leaves whose predictions are in the same of so many parts are gathered. */
  steps: number;
  tints: { light: string[]; dark: string[] };
  legend: [text: string, value: number][];
  /** What the axis is, with data and without. */
  note: ByLanguage<[string, string]>;
}

export const SHOW = ["data", "counts", "none"] as const;
export type Show = (typeof SHOW)[number];

/** The nodes of a tree, breadth first. */
export interface TreeArrays {
  parent: number[];
  column: number[];
  /** Thresholds; "inf" asks only whether the value is known. */
  cut: (number | "inf" | null)[];
  cut_text: string[];
  /** Nodes whose printed threshold belongs above it. */
  open: number[];
  levels: number[][];
  total: number[][];
  /** The code of the predicted class, or the predicted number as text. */
  value: (number | string)[];
}

/** What differs from language to language. */
export type ByLanguage<T> = Record<string, T>;

/** A decision of pruning, as a step: `node` is a number of the grown tree, -1 if it is unknown. */
export interface PruningStep {
  node: number;
  kind: "keep" | "cut" | "raise";
  text: ByLanguage<string>;
}

export interface Replay {
  /** The tree before pruning; null if the tree was not pruned. */
  grown: TreeArrays | null;
  /** What was considered at the nodes of the grown tree, by node. */
  texts: Record<string, ByLanguage<string>>;
  pruning: PruningStep[];
}

export interface PageData extends TreeArrays {
  title: string;
  facts: ByLanguage<string>;
  lang: string;
  theme: "light" | "dark" | "auto";
  view: View;
  /** The number of leaves to show at first; null: as many as the window has room for. */
  max_leaves: number | null;
  /** Whether the page keeps its state in the address of the document, which it owns. */
  is_document: boolean;
  counted: boolean;
  /** Whether its counts are sums of weights. */
  weighted: boolean;
  criterion: string;
  classes: string[] | null;
  shades: number[];
  /** The classes in the order of legends and bars. */
  order: number[];
  icicle: ByLanguage<string>;
  schema: Field[];
  /** How good each split is, as text; the variance that it removes in a regression tree. */
  score: string[];
  missing: number[] | null;
  surrogates: Record<string, Surrogate[]>;
  takes_missing: number[];
  shares_out: boolean;
  laplace: boolean;
  single: boolean;
  ties: number[];
  /** By language and node: the note on the card, notes on the split, and on missing values. */
  marks: ByLanguage<Record<string, [card: string, split: string[], missing: string[]]>>;
  words: ByLanguage<Record<string, string>>;
  quoted: [string, string][];
  widths: { regular: number[]; bold: number[]; other: Record<string, number> };
  /** Null for classes. */
  scale: Scale | null;
  plots: Record<string, Plot>;
  show: Show | null;
  replay: Replay | null;
}

export const VIEWS = ["tree", "icicle", "list"] as const;
export type View = (typeof VIEWS)[number];

/** Texts by key, in the language that is shown. */
export type Say = (key: string, values?: Record<string, string | number>) => string;

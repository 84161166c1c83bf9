// Types of every request and answer of the lab; README.md in this folder lists the routes.
// Numbers are exactly those of the Python API. All texts are plain text, never HTML.

/** The only way in which the page talks to Python: by HTTP in the lab, by widget messages in a notebook. */
export type Ask = (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) => Promise<unknown>;

export type Lang = "en" | "zh";
/** A text in both languages. */
export interface Text { en: string; zh: string; }
/** Of tables, workbooks and exercises: random. Of trees: a hash of the workbook's journal. */
export type Id = string;
/** A category, a class or a number as the table holds it. */
export type Value = string | number | boolean | null;
export type Part = "training" | "validation" | "test";

/** The answer of a request that failed; the HTTP status is 4xx or 5xx. */
export interface Failure { error: FailureDetail; }
export interface FailureDetail { key: string; message: Text; }

// ---- start -------------------------------------------------------------------------------------

export interface LabInfo {
  version: string;
  protocol: 1;
  examples: ExampleInfo[];
  recipes: RecipeInfo[];
  /** Pruning methods and formats of files by name, with what they are called. */
  pruners: Record<string, Text>;
  exports: Record<string, Text>;
  worksheet_recipes: string[];
  limits: Limits;
  /** What the command line or the notebook opened; the page starts with it. */
  start: StartPoint;
  /** The texts of the page: every message whose key begins with "lab_page_", without that prefix. */
  words: { en: Record<string, string>; zh: Record<string, string> };
}
export interface ExampleInfo { name: string; rows: number; columns: number; target: string; missing: number; description: Text; }
export interface RecipeInfo { name: string; settings: Record<string, unknown>; }
export interface Limits { upload_bytes: number; json_bytes: number; rows_per_page: number; idle_seconds: number | null; }
export interface StartPoint { lang: Lang | null; table: Id | null; workbook: Id | null; exercise: Id | null; }

// ---- tables ------------------------------------------------------------------------------------

export interface TableInfo {
  table: Id;
  name: string;
  rows: number;
  /** SHA-256 of names, kinds, categories and cells. */
  fingerprint: string;
  /** null: the target could not be guessed; choose one with POST table/{table}/columns. */
  target: string | null;
  is_regression: boolean;
  classes: Value[] | null;
  columns: ColumnInfo[];
  notes: NoteInfo[];
  /** What POST workbook takes if nothing is said; fewer than 50 rows are all for training. */
  division: SharesDivision;
}
export interface ColumnInfo {
  name: string;
  role: "column" | "target" | "left out";
  /** Of a column that was left out, the reason: "id", "constant", "date", "ignore", … */
  kind: "nominal" | "ordered" | "numeric" | string;
  /** The word for this kind in `schema`; null if the column was left out. */
  type: "categorical" | "ordinal" | "numeric" | null;
  missing: number;
  n_levels: number;
  low: number | null;
  high: number | null;
  /** Examples of a column that was left out. */
  examples: Value[];
  histogram: Histogram | null;
}
/** Of numbers: `edges` has one entry more than `counts`. Of categories: the 24 most frequent, then `others`. */
export interface Histogram { edges: number[] | null; categories: Value[] | null; counts: number[]; others: number; }
export interface NoteInfo { key: string; text: Text; }
/** Body of POST table/example. */
export interface ExampleRequest { example: string; }
/** Body of POST table/{table}/columns: reads the same content again; the answer has another table id. */
export interface ColumnsRequest { target?: string | null; schema?: Record<string, ColumnSpec>; keep?: string[]; }
export type ColumnSpec = "categorical" | "numeric" | "date" | "ignore" | "target" | "weight" | string[] | { ordinal: string[] };
export interface RowsPage {
  start: number;
  total: number;
  columns: string[];
  rows: Value[][];
  /** The number of each row in its file, from 1. */
  numbers: number[];
  /** The id of each row, and the name of the id column; null if the table has no id column. */
  ids: Value[] | null;
  id_name: string | null;
  /** Of rows of a node: the prediction of the tree; null for rows of a table. */
  predictions: Value[] | null;
}

// ---- workbooks ---------------------------------------------------------------------------------

export interface SharesDivision { kind: "shares"; training: number; validation: number; test: number; seed: number; }
/** All rows of the table are training rows; other tables are the validation and test set. */
export interface TablesDivision { kind: "tables"; validation: Id | null; test: Id | null; }
export type Division = SharesDivision | TablesDivision;
export interface DivisionInfo { division: Division; rows: { training: number; validation: number; test: number }; }

/** Body of POST workbook. */
export interface WorkbookRequest {
  table: Id;
  recipe?: string;                     // default "auto"
  settings?: Record<string, unknown>;  // as the keywords of penjing.fit
  forbid?: string[];                   // columns that no split may use
  division?: Division;
}
/** Answer of GET workbook: all workbooks of the lab, the one used last first. */
export interface Workbooks { workbooks: OpenWorkbook[]; }
export interface OpenWorkbook { workbook: Id; name: string; recipe: string; steps: number; leaves: number; }
/** Body of POST replay: a workbook file and the table that it was made with. */
export interface ReplayRequest { file: WorkbookFile; table: Id; validation?: Id | null; test?: Id | null; }

export interface Workbook {
  workbook: Id;
  table: Id;
  name: string;
  target: string;
  /** The recipe as it was asked for ("auto"), and the one that the tree was grown by. */
  recipe: string;
  grown_by: string;
  settings: Record<string, unknown>;
  forbid: string[];
  division: DivisionInfo;
  /** The tree that the recipe grew, and the one that is shown now. */
  first: Id;
  current: Id;
  /** All trees of the workbook in the order in which they were made; a parent comes before its children. */
  history: HistoryEntry[];
  /** Where undo and redo lead to; redo takes the branch that was left last. */
  undo: Id | null;
  redo: Id | null;
  /** How many different trees were measured with the validation rows; every point of a curve counts. */
  validation_looks: number;
  finished: Finish | null;
}
export interface HistoryEntry { tree: Id; parent: Id | null; step: Step | null; text: Text; leaves: number; depth: number; }

/** One branch on the way to a node: `side` of a threshold (0: up to it, 1: above), or a category of a group. */
export type Branch = { column: string; side: 0 | 1 } | { column: string; level: string };
/** A journal entry. Nodes go by path; the root is []. */
export type Step = SplitStep | LeafStep | RegrowStep | PruneStep;
export interface SplitStep { act: "split"; path: Branch[]; column: string; threshold?: number | string; groups?: Value[][]; }
export interface LeafStep { act: "leaf"; path: Branch[]; }
export interface RegrowStep { act: "regrow"; path: Branch[]; settings?: Record<string, unknown>; }
export interface PruneStep { act: "prune"; method: string; options?: Record<string, unknown>; }
/** Body of POST step and preview: a step; `node` (its number in `tree`) may stand instead of `path`. */
export type StepRequest = (Omit<SplitStep, "path"> | Omit<LeafStep, "path"> | Omit<RegrowStep, "path"> | PruneStep)
  & { node?: number; path?: Branch[]; tree?: Id };

export interface StepResult {
  /** False if the tree is as it was: nothing is added to the history. */
  changed: boolean;
  workbook: Workbook;
  tree: TreeView;
  changes: Changes;
}
/** Answer of POST preview: what a step would do; it is not made, and the validation rows are not looked at. */
export interface Preview { changed: boolean; leaves: number; depth: number; training: Score; change: number | null; n_changed: number; branches: PreviewBranch[]; }
export interface PreviewBranch { text: string; rows: number; total: number[]; prediction: Value; is_leaf: boolean; }
export interface Changes {
  training: PartChange | null;
  validation: PartChange | null;
}
/** Of accuracies: `change` is that of `accuracy`; of numbers, that of `rmse` (negative is better). */
export interface PartChange { change: number; n_changed: number; rows: ChangedRow[]; id_name: string | null; }
/** At most 200 of the rows that are predicted differently. */
export interface ChangedRow { number: number; id: Value; before: Value; after: Value; actual: Value; }

export interface TreeView {
  tree: Id;
  leaves: number;
  depth: number;
  training: Score;
  validation: Score | null;
  /** The data of the page: see PageData of render/html. */
  page: unknown;
  /** A tree of more than 10,000 nodes is drawn down to this depth; nodes keep their numbers. null: all of it. */
  shown_depth: number | null;
  /** The nodes whose split was forced. */
  forced: number[];
}
export type Score = ClassScore | NumberScore;
export interface ClassScore { kind: "classes"; n: number; correct: number; weight: number; accuracy: number; interval: [number, number]; }
export interface NumberScore { kind: "numbers"; n: number; weight: number; rmse: number; mae: number; r2: number | null; interval: [number, number] | null; }

// ---- questions about a tree --------------------------------------------------------------------

/** GET why: `tree.why(node).to_dict()` and texts. `candidates` are ranked, with the counts of their branches;
 * leaves have them, too, unless they are pure. `stop` says why a node is a leaf. */
export interface Why { node: number; path: Branch[]; why: Record<string, unknown>; text: Text; stop: Text | null; is_leaf: boolean; }
/** GET thresholds: all thresholds of a numeric or ordinal column in a node with their gains; of `of` at most 2,000. */
export interface Thresholds { node: number; column: string; cuts: number[]; gains: (number | null)[]; n_cuts: number; best: number | null; labels: string[] | null; score_name: string; }
/** GET categories: class counts of each category of a column in a node, and the groups of the recipe, if it can group. */
export interface Categories { node: number; column: string; categories: CategoryCounts[]; groups: Value[][]; can_group: boolean; }
export interface CategoryCounts { category: Value; rows: number; total: number[]; mean: number | null; }
/** GET pruning: the cost-complexity path, from the full tree to the root. Measures are accuracies, or RMSE.
 * `methods` are the pruning methods that can be used without options. */
export interface PruningPath { measure: "accuracy" | "rmse"; points: PruningPoint[]; methods: string[]; }
export interface PruningPoint {
  alpha: number; leaves: number; training: number;
  validation: number | null;
  /** One standard error of `validation`; null without validation rows or for numbers. */
  error: number | null;
}
/** GET rules: those of the first leaves; `total` is the number of all, `text` is null if some are left out. */
export interface Rules { rules: RuleInfo[]; total: number; text: string | null; }
export interface RuleInfo { node: number; when: string[]; prediction: Value; rows: number; confidence: number | null; }
/** GET score: `tree.score(rows).to_json()` and its text. `part` is never "test". */
export interface ScoreReport { part: Part; report: Record<string, unknown>; text: Text; }
/** Body of POST explain: values by column; columns that the tree does not use may be left out. */
export interface ExplainRequest { row: Record<string, Value>; }
export interface Explained { explanation: Record<string, unknown>; text: Text; }
/** GET compare: `penjing.compare(a, b, {training, validation}).to_dict()` and its text. */
export interface Compared { comparison: Record<string, unknown>; text: Text; }
/** GET importances: `tree.importances()`. */
export interface Importances { importances: Record<string, number>; }
/** A file to save: of exports, reports, scripts, workbooks and results. */
export interface FileAnswer { name: string; type: string; encoding: "text" | "base64"; content: string; }

/** POST finish: opens the test rows, once, for the tree that is shown now. */
export interface Finish { tree: Id; score: Score | null; report: Record<string, unknown> | null; text: Text; validation_looks: number; }

// ---- files -------------------------------------------------------------------------------------

/** The workbook as a file; `penjing lab --replay FILE` replays it. */
export interface WorkbookFile {
  format: "penjing-workbook"; version: 1; penjing: string;
  data: { name: string; source: Record<string, unknown>; rows: number; fingerprint: string; target: string; reading: Record<string, unknown> };
  division: { kind: "shares"; training: number; validation: number; test: number; seed: number }
    | { kind: "tables"; validation: { name: string; fingerprint: string } | null; test: { name: string; fingerprint: string } | null };
  recipe: string; settings: Record<string, unknown>; forbid: string[];
  model: Record<string, unknown> | null;
  steps: { tree: Id; parent: Id | null; step: Step | null }[];
  current: Id; validation_looks: number; looked: string[]; finished: Id | null;
}

// ---- exercises ---------------------------------------------------------------------------------

/** Body of POST exercise: a table, an example, a seed, or a worksheet file (`penjing worksheet -o sheet.json`). */
export interface ExerciseRequest {
  table?: Id; example?: string; seed?: number; sheet?: Record<string, unknown>;
  recipe?: string; depth?: number; rows?: number; blanks?: "choice" | "measures" | "all"; lang?: Lang; student?: string;
}
export interface Exercise {
  exercise: Id;
  student: string;
  /** The worksheet as `penjing worksheet --json` writes it, without the solution: columns, rows, blanks, given. */
  sheet: Record<string, unknown>;
  /** What each blank, and each place that is given, is called; by id. */
  labels: Record<string, Text>;
  rules: JudgingRules;
  answers: AnswerState[];
  score: ExerciseScore;
}
/** A number is right within `tolerance`, nearly right within `near`; a column is nearly right if its score is. */
export interface JudgingRules { digits: number; tolerance: number; near: number; hints: 3; text: Text; }
export interface AnswerState {
  id: string;
  attempts: number;
  hints: 0 | 1 | 2 | 3;
  /** "" before the first attempt. */
  verdict: "" | "right" | "nearly" | "wrong" | "unreadable" | "given up";
  /** The last attempt. */
  value: string;
  /** Only if the verdict is "right" or "given up". */
  answer: string | null;
}
export interface ExerciseScore { blanks: number; right: number; first_try: number; given_up: number; hints: number; }
/** Body of POST check; the worksheet's ids of blanks. */
export interface CheckRequest { id: string; value: string | number; }
/** Body of POST hint and give-up. A hint that only says what to fill in first does not count. */
export interface BlankRequest { id: string; }
export interface Checked { state: AnswerState; score: ExerciseScore; text: Text; }
export interface Hint { state: AnswerState; score: ExerciseScore; grade: 1 | 2 | 3; text: Text; }

// ---- progress ----------------------------------------------------------------------------------

/** Body of POST cancel; the cancelled request fails with the key "lab_cancelled". */
export interface CancelRequest { job: string; }
export interface Cancelled { job: string; was_running: boolean; }
/** Event of GET events, and of widget messages: `share` of the rows that are in a leaf, null if not known. */
export interface ProgressEvent { job: string; state: "running" | "done" | "failed"; share: number | null; leaves: number; seconds: number; }

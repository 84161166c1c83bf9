// Builds the page and the lab: a module and a style sheet each, next to the Python code that uses them.
//
// `node build.mjs [folder]`; the bundles depend on the sources and the lock file only.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "penjing");
/** The lab has neither replay nor search, and an address of its own. */
const LEFT_OUT = {
  name: "left-out",
  setup: (bundle) => bundle.onResolve({ filter: /^\.\/(replay|search|address)$/ }, () => ({ path: join(here, "src", "lab", "left_out.ts") })),
};
/** The name of each bundle, its sources, and its folder below the package. */
const BUNDLES = [
  { name: "page", script: "src/main.ts", style: "src/page.css", folder: join("render", "html") },
  { name: "lab", script: "src/lab/main.ts", style: "src/lab/lab.css", folder: join("webapp", "static"), plugins: [LEFT_OUT] },
];
const LIBRARIES = ["preact", "@preact/signals", "@preact/signals-core"];

/** The licence notices of the libraries in the bundle. */
function notices() {
  /** The libraries by the terms of their licences: terms that several have stand once. */
  const byTerms = new Map();
  for (const name of LIBRARIES) {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const licence = readFileSync(join(folder, "LICENSE"), "utf8").trim();
    const start = Math.max(0, licence.indexOf("Permission is hereby granted"));
    const head = licence.slice(0, start).trim().replaceAll(/\s*\n\s*/g, ", ");
    const terms = licence.slice(start);
    byTerms.set(terms, [...(byTerms.get(terms) ?? []), `${name} ${version}: ${head}`]);
  }
  const parts = [...byTerms].map(([terms, names]) => `${names.join("\n")}\n\n${terms}`);
  const text = ["Built from web/ by `make page`; do not edit. It contains:", ...parts].join("\n\n");
  return `/*!\n${text.replaceAll("*/", "* /")}\n*/`;
}

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  target: ["chrome111", "firefox113", "safari16.4"],
};
for (const { name, script, style, folder, plugins = [] } of BUNDLES) {
  const [module, sheet] = await Promise.all([
    build({
      ...shared,
      entryPoints: [script],
      format: "esm",
      // Calls of `h` with children are shorter than those of the runtime that TypeScript checks against.
      tsconfigRaw: { compilerOptions: { target: "es2022", jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
      plugins,
      inject: ["src/jsx.ts"],
      banner: { js: notices() },
    }),
    build({ ...shared, entryPoints: [style] }),
  ]);
  mkdirSync(join(out, folder), { recursive: true });
  writeFileSync(join(out, folder, `${name}.js`), module.outputFiles[0].contents);
  writeFileSync(join(out, folder, `${name}.css`), sheet.outputFiles[0].contents);
}

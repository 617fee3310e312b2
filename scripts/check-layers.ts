/**
 * Part of `npm run check`: each part of src imports only the parts in its row of `MAY_IMPORT`, and in src/engines, src/operations, and src/http, a
 * folder imports only itself and the folders before it in its list. No folder of src has more files than a reader can survey. Code with one owner in
 * src/engines (`OWNERS`, and reading the bytes of a PDF in pdf/syntax) is in no other file. Types count: a layer that knows only the types of a
 * higher one knows it, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./root.ts";

const MOST_FILES = 25;
/** What each part of src imports besides itself: other parts, and packages. Only one imports modules of Node. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "worker.ts": [
    "app.ts",
    "http",
    "jobs",
    "webhooks",
    "billing",
    "files",
    "operations",
    "engines",
    "rest-cron.ts",
    "telemetry/flush-cron.ts",
    "env.ts",
    "faults.ts",
  ],
  telemetry: ["isolate.ts", "faults.ts", "version.ts"],
  "app.ts": ["mcp", "http", "site", "operations", "version.ts", "hono"],
  // The configuration does not know its users.
  "env.ts": [
    "jobs",
    "outbound",
    "webhooks",
    "billing",
    "files",
    "accounts",
    "db",
    "browser",
    "engines/fonts.ts",
    "engines/ocr/models.ts",
    "telemetry",
    "limits.ts",
    "faults.ts",
    "public-url.ts",
    "variables.ts",
    "version.ts",
    "zod",
  ],
  // A tool does what a client of the API can do, by its requests.
  mcp: [
    "http",
    "operations",
    "accounts",
    "events",
    "bytes",
    "env.ts",
    "limits.ts",
    "faults.ts",
    "version.ts",
    "@modelcontextprotocol/server",
    "hono",
    "zod",
  ],
  // Only the parts below use the database.
  http: [
    "bytes",
    "jobs",
    "outbound",
    "webhooks",
    "billing",
    "files",
    "keys",
    "events",
    "accounts",
    "operations",
    "browser",
    "engines",
    "telemetry",
    "env.ts",
    "isolate.ts",
    "limits.ts",
    "faults.ts",
    "public-url.ts",
    "version.ts",
    "../client/src/nearest.ts",
    "hono",
    "zod",
    "fflate",
    "ipaddr.js",
  ],
  // The pages know the API as every client does: by openapi.json. Of the service they know only how to respond.
  site: ["site/reference", "site/description", "http", "env.ts", "version.ts", "hono"],
  "site/reference": ["site/description", "site/client-packages.ts", "hono", "marked"],
  "site/browser": ["site/description", "site/reference", "page-numbers.ts", "preact", "pdfjs-dist", "marked", "fflate"],
  "site/description": ["minisearch"],
  // A job is stored as files and paid as a request. The work on documents is passed in, and so is the queue.
  jobs: [
    "billing",
    "files",
    "events",
    "outbound",
    "accounts",
    "db",
    "bytes",
    "isolate.ts",
    "limits.ts",
    "faults.ts",
    "public-url.ts",
    "drizzle-orm",
  ],
  // One request to a receiver of a client's choice, and when to repeat it.
  outbound: ["public-url.ts", "version.ts"],
  // What happens to an account: keys, billing, webhooks, and files do not know each other.
  keys: ["events", "accounts", "db", "limits.ts", "drizzle-orm"],
  billing: ["bytes", "events", "accounts", "db", "faults.ts", "drizzle-orm"],
  webhooks: [
    "telemetry",
    "events",
    "outbound",
    "accounts",
    "db",
    "bytes",
    "limits.ts",
    "faults.ts",
    "public-url.ts",
    "drizzle-orm",
  ],
  files: ["accounts", "db", "bytes", "engines/image/kind.ts", "limits.ts", "faults.ts", "next-turn.ts", "drizzle-orm"],
  events: ["accounts", "db", "drizzle-orm", "zod"],
  accounts: ["bytes", "db", "limits.ts", "drizzle-orm", "zod"],
  db: ["drizzle-orm"],
  // A plain function: a queue consumer, a test, and a route call the same thing. Operations do not know each other.
  "operations/index.ts": ["operations"],
  operations: ["bytes", "operations/definition", "engines", "limits.ts", "page-numbers.ts", "zod"],
  // Prints with a browser, at the other end of a WebSocket.
  browser: ["bytes", "engines", "limits.ts"],
  "operations/definition": ["bytes", "engines", "limits.ts", "zod"],
  engines: [
    "bytes",
    "../wasm/generated",
    "isolate.ts",
    "limits.ts",
    "next-turn.ts",
    "page-numbers.ts",
    "mupdf",
    "fflate",
    "saxes",
    "numfmt",
    "marked",
    "colord",
    "re2js",
    "ipaddr.js",
    "asn1js",
    "node:crypto",
  ],
  // The service and its storage in processes of their own on one machine.
  remote: ["db", "worker.ts"],
  // The server of one machine, in Node. Of the service it knows its errors, which it sends itself, its variables, how databases
  // are opened and prepared, and how fonts are read.
  serve: [
    "accounts",
    "browser/isolation.ts",
    "files",
    "keys",
    "db",
    "engines/fonts.ts",
    "engines/pdf/fonts/sfnt.ts",
    "remote/storage.ts",
    "rest-cron.ts",
    "telemetry/flush-cron.ts",
    "http/errors/error-table.ts",
    "limits.ts",
    "variables.ts",
    "miniflare",
    "zod",
    "drizzle-orm",
  ],
  "variables.ts": ["zod"],
  "public-url.ts": ["limits.ts", "ipaddr.js"],
  bytes: [],
  "isolate.ts": [],
  "rest-cron.ts": [],
  "limits.ts": [],
  "faults.ts": [],
  "next-turn.ts": [],
  "page-numbers.ts": [],
  "version.ts": [],
};
/** Runs in Node, whose modules it imports. */
const IN_NODE = "serve";
/** Parts whose files do not import each other. */
const STRANGERS = new Set(["operations"]);
/** The platform's, known everywhere. */
const PLATFORM = /^(?:cloudflare:|@cloudflare\/workers-types$)/;
/** The folders of each layer, ground first. A file that the folders beside it import has a place of its own. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "src/engines": [
    ".",
    "memory",
    "flate",
    "image",
    "image/jpeg",
    "image/tiff",
    "markup",
    "pdf/syntax",
    "pdf/mupdf",
    "pdf/objects",
    "pdf/encryption",
    "pdf/document",
    "pdf/metadata",
    "pdf/content",
    "pdf/fonts",
    "cms",
    "pdf/forms/tree.ts",
    "pdf/signatures/byte-range.ts",
    "pdf/signatures/fields.ts",
    "pdf/conformance/xmp",
    "pdf/conformance/model",
    "pdf/conformance/rules",
    "pdf/conformance",
    "pdf/write",
    "pdf/attachments",
    "pdf/tags",
    "pdf/text",
    "pdf/layout",
    "pdf/export",
    "pdf/reading",
    "pdf/typesetting",
    "pdf/forms",
    "pdf/images",
    "pdf/grayscale",
    "pdf/optimize",
    "ocr",
    "lease",
    "pdf/embed",
    "pdf/stamps",
    "pdf/signatures",
    "pdf/assembly",
    "pdf/outline",
    "pdf/seal",
    "pdf/erasure",
    "pdf/redaction/search",
    "pdf/redaction/proof",
    "pdf/redaction",
    "render",
    "pdf/archive/target.ts",
    "pdf/archive/fonts",
    "pdf/archive",
    "invoice",
    "pdf/crop",
    "pdf/n-up",
    "convert/source",
    "convert/docx",
    "convert/xlsx",
    "convert/fb2",
    "convert/epub",
    "convert/rtf",
    "convert/odt",
    "convert/ods",
    "convert/formats",
    "convert",
  ],
  "src/operations": ["definition", "."],
  "src/http": [
    "errors",
    "multipart",
    "fetch",
    "exchange",
    "auth",
    "admission",
    "form",
    "operations",
    "endpoints",
    "openapi",
  ],
};
/** Code that only some files of src/engines (`files`) may have, by its text. */
const OWNERS: readonly { readonly shows: RegExp; readonly files: RegExp; readonly problem: string }[] = [
  {
    // Only pdf/mupdf knows how MuPDF keeps things.
    shows: /_wasm_|\blib\b|\bLibMuPDF\b|pdf\/mupdf\/abi-check/,
    files: /^pdf\/mupdf\//,
    problem: "looks inside MuPDF, which belongs into src/engines/pdf/mupdf/",
  },
  {
    shows: /\bFIRST_POINTER\b|pointer as unknown as number/,
    files: /^pdf\/mupdf\//,
    problem: "compares pointers, which belongs into src/engines/pdf/mupdf/values.ts",
  },
  {
    // A container of a document may have a million entries: `walkValues` counts and pauses, `items` and `entries` refuse too many.
    shows: /\bvalues\.(?:arrayLength|item|entryCount|valueAt)\(/,
    files: /^pdf\/objects\//,
    problem: "walks over a container itself, not with src/engines/pdf/objects/walk-values.ts",
  },
  {
    // redaction/proof reads content with code of its own, on purpose.
    shows: /"T[jJ]"|\bT[jJ]\/\d|\bTj TJ\b/,
    files: /^pdf\/(?:content\/operator-table|redaction\/proof\/\S+)\.ts$/,
    problem: "lists the operators that show text, which belongs into src/engines/pdf/content/operator-table.ts",
  },
  {
    shows: /(?:===|case) "[qQ]"|"q", ?"Q"|\b[qQ]\/\d/,
    files: /^pdf\/content\/operator-table\.ts$/,
    problem: "interprets q and Q, which belongs into src/engines/pdf/content/graphics-state.ts",
  },
  {
    // An INDEX of the Compact Font Format, the tables of TrueType (the font of recognized text writes its own), and the encrypted part of Type 1.
    shows: /\boffSize\b|\breadIndex\b|\(["`](?:glyf|loca|hmtx|cmap)["`]\)|\beexec\b/,
    files: /^pdf\/fonts\//,
    problem: "reads font programs, which belongs into src/engines/pdf/fonts/",
  },
  {
    shows: /\b(?:begin|end)(?:bf|cid|notdef)(?:char|range)\b|\bcodespacerange|\busecmap\b/,
    files: /^pdf\/(?:fonts\/(?:cmap|to-unicode)|redaction\/proof\/\S+)\.ts$/,
    problem: "lists the operators of CMaps, which belongs into src/engines/pdf/fonts/cmap.ts",
  },
  {
    // `First` of an object stream is read in signatures, and where a written file is verified. `Next` is also an entry of actions.
    shows: /\bget\("First"\)/,
    files: /^pdf\/(?:document\/outline|signatures\/update-structure|write\/written-file|redaction\/proof\/\S+)\.ts$/,
    problem: "walks over an outline itself, not with src/engines/pdf/document/outline.ts",
  },
  {
    // redaction/proof walks over fields with code of its own.
    shows: /"AcroForm", "Fields"/,
    files: /^pdf\/(?:document\/fields|redaction\/proof\/\S+)\.ts$/,
    problem: "walks over the fields of a form itself, not with src/engines/pdf/document/fields.ts",
  },
  {
    // The model of conformance has read all values already, and walks over those.
    shows: /\.get\("K"\)/,
    files: /^pdf\/(?:document\/structure|conformance\/model\/element-tree|redaction\/proof\/\S+)\.ts$/,
    problem: "reads kids of structure elements itself, not with src/engines/pdf/document/structure.ts",
  },
  {
    // `Names` of the catalog has the trees.
    shows: /(?<!\broot)\.get\("Names"\)|"(?:Nums|Limits)"/,
    files: /^pdf\/(?:document\/names|conformance\/model\/element-tree|redaction\/proof\/\S+)\.ts$/,
    problem: "reads leaves of name trees or number trees itself, not with src/engines/pdf/document/names.ts",
  },
];

/** Errors that clients see, and the files that make their sentences: a function for each situation, which gets the facts. */
const SENTENCES: readonly { readonly makes: RegExp; readonly files: RegExp }[] = [
  {
    makes: /\bnew Refusal\(|\blimitExceeded\(|\bextends Refusal\b/,
    files: /^(?:engines|operations\/definition)\/(?:[a-z]+-)?errors\.ts$/,
  },
  { makes: /\bnew ApiError\(|\bextends ApiError\b/, files: /^(?:http\/errors\/[\w-]+|mcp\/errors)\.ts$/ },
  { makes: /\bnew (?:Unusable|Unsupported|Revoked)\(/, files: /^engines\/cms\/problems\.ts$/ },
];

/** The classes of characters (ISO 32000-2, 7.2.3), as strings or codes. */
const CHARACTERS = /"\(\)<>\[\]\{\}\/%"|"\\0\\t\\n\\f\\r |\[0, 9, 10, 12, 13, 32\]/;
/** Besides their owner: the proof of a redaction, which is a second reader on purpose. */
const MAY_LIST_CHARACTERS = /^pdf\/(?:syntax\/characters\.ts$|redaction\/proof\/)/;
/** A font program of Type 1 is PostScript, which is another syntax. */
const MAY_MATCH_BYTES = /^pdf\/(?:syntax\/|redaction\/proof\/|fonts\/type1)/;

const IMPORT = /^(?:(?:import|export)\b.*\bfrom|\} from|import) "([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm;

const EXPORT = /^export (?:async )?(?:function\*?|class|interface|type|const) (\w+)/gm;

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));

/** What a file of src imports: paths from src, and names of packages. */
function importsOf(file: string): string[] {
  return Array.from(readFileSync(join(root, "src", file), "utf8").matchAll(IMPORT), ([, plain, dynamic]) => {
    const named = plain ?? dynamic ?? "";
    return named.startsWith(".") ? relative(join(root, "src"), join(root, "src", dirname(file), named)) : named;
  });
}

const isIn = (path: string, part: string): boolean => path === part || path.startsWith(`${part}/`);

/** The part of src that a file belongs to: the longest that is named. */
function partOf(file: string): string | undefined {
  const parts = Object.keys(MAY_IMPORT).filter((part) => isIn(file, part));
  return parts.toSorted((a, b) => b.length - a.length)[0];
}

/** The first place where bytes that became text, or a constant that has them, meet a regular expression or are split. */
function matchedBytes(text: string): string | undefined {
  const constants = text.matchAll(/\b(?:const|let) (\w+)(?:: [\w[\] |]+)? = (?:[^;]*\? )?(?:\w+\()*latin1\(/g);
  const sources = ["latin1\\(", ...Array.from(constants, ([, name]) => `${name}\\b`)].join("|");
  const tested = `\\.(?:exec|test)\\((?:\\w+\\()*(?:${sources})`;
  const split = `\\b(?:${sources})[^;]{0,80}?\\.(?:match|matchAll|search|split|replace|replaceAll)\\(`;
  return new RegExp(`${tested}|${split}`).exec(text)?.[0];
}

const problems: string[] = [];
for (const file of filesOf("src")) {
  const part = partOf(file);
  if (part === undefined) {
    problems.push(`src/${file}: belongs to no part in scripts/check-layers.ts`);
    continue;
  }
  for (const imported of importsOf(file)) {
    const isOwn = partOf(imported) === part && !STRANGERS.has(part);
    const isAllowed =
      MAY_IMPORT[part]?.some((allowed) => isIn(imported, allowed)) ||
      (part === IN_NODE ? /^node:/ : PLATFORM).test(imported);
    if (!isOwn && !isAllowed) problems.push(`src/${file}: ${part} may not import ${imported}`);
  }
}
for (const [layer, folders] of Object.entries(LAYERS)) {
  const placeOf = (path: string): number => folders.indexOf(folders.includes(path) ? path : dirname(path));
  for (const file of filesOf(layer)) {
    const place = placeOf(file);
    if (place < 0) problems.push(`${layer}/${file}: its folder is not in the list of scripts/check-layers.ts`);
    for (const imported of importsOf(relative("src", `${layer}/${file}`))) {
      const path = relative(relative("src", layer), imported);
      if (placeOf(path) > place)
        problems.push(`${layer}/${file}: imports ${dirname(path)}, which comes after its own folder`);
    }
  }
}
for (const file of filesOf("src/engines")) {
  const text = readFileSync(join(root, "src/engines", file), "utf8");
  for (const { shows, files, problem } of OWNERS)
    if (shows.test(text) && !files.test(file)) problems.push(`src/engines/${file}: ${problem}`);
}
for (const file of filesOf("src/engines").filter((name) => name.startsWith("pdf/"))) {
  const text = readFileSync(join(root, "src/engines", file), "utf8");
  if (CHARACTERS.test(text) && !MAY_LIST_CHARACTERS.test(file))
    problems.push(
      `src/engines/${file}: lists the characters of PDF syntax, as src/engines/pdf/syntax/characters.ts does`,
    );
  const matched = MAY_MATCH_BYTES.test(file) ? undefined : matchedBytes(text);
  if (matched !== undefined)
    problems.push(`src/engines/${file}: matches bytes as text, not with src/engines/pdf/syntax/: ${matched}`);
}
/** What the engines export, and where: a name means one thing. */
const exported = filesOf("src/engines").flatMap((file) => {
  const text = readFileSync(join(root, "src/engines", file), "utf8");
  return Array.from(text.matchAll(EXPORT), ([, name = ""]) => ({ name, file }));
});
for (const [name, places] of Map.groupBy(exported, (one) => one.name)) {
  // A function with overloads is exported once for each.
  const files = new Set(places.map(({ file }) => file));
  if (files.size > 1) problems.push(`src/engines: ${name} is exported by ${[...files].join(" and ")}`);
}
for (const [folder, inside] of Map.groupBy(filesOf("src"), (file) => dirname(file))) {
  // One file for each operation, and the registry: a list, however long.
  if (folder === "operations") continue;
  if (inside.length > MOST_FILES) problems.push(`src/${folder}: has ${inside.length} files, more than ${MOST_FILES}`);
}
/** The functions that refuse anything over a limit. */
const limitErrors = filesOf("src").flatMap((file) => {
  if (!/(?:^|\/)limit-errors\.ts$/.test(file)) return [];
  const text = readFileSync(join(root, "src", file), "utf8");
  const [number] = /(?<![\w.])\d[\d_]+(?!\w)/.exec(text.replaceAll(/\/\*[\s\S]*?\*\//g, "")) ?? [];
  if (number !== undefined) problems.push(`src/${file}: has the number ${number}, which belongs into src/limits.ts`);
  return Array.from(text.matchAll(/^export (?:const|function) (\w+)/gm), ([, name = ""]) => name);
});
/** A condition with a number or a constant of its file, and the function that refuses. */
const OWN_LIMIT = /\bif \([^\n]*[<>]=? (?:\d|[A-Z][A-Z\d_]+\b)[^\n]*\)\s*\{?\s*throw (\w+)\(/g;
for (const file of filesOf("src")) {
  const text = readFileSync(join(root, "src", file), "utf8");
  for (const [condition, name = ""] of text.matchAll(OWN_LIMIT))
    if (limitErrors.includes(name))
      problems.push(`src/${file}: has a limit that is not in src/limits.ts: ${condition}`);
  for (const { makes, files } of SENTENCES) {
    const made = files.test(file) ? undefined : makes.exec(text)?.[0];
    if (made !== undefined) problems.push(`src/${file}: makes the sentence of an error itself: ${made}`);
  }
}
for (const [folder, inside] of Map.groupBy(filesOf("test/harness"), (file) => dirname(file))) {
  const path = join("test/harness", folder);
  if (inside.length > MOST_FILES) problems.push(`${path}: has ${inside.length} files, more than ${MOST_FILES}`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

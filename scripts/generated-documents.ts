import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { issue, pkcs12 } from "../test/harness/signatures/certificates.ts";
import { handSigned } from "../test/harness/signatures/updates.ts";
import { describedApi, describedOperations } from "./described-api.ts";
import { root } from "./root.ts";
import { formRoutesOf } from "../client/description.ts";
import { type Parser, PARSERS } from "../src/engines/parse-meter.ts";
import { plans, UNLIMITED } from "../src/accounts/plans.ts";
import { errorRows } from "../src/http/errors/error-table.ts";
import { retention } from "../src/http/openapi/retention.ts";
import { defaultSizes, limits, MiB } from "../src/limits.ts";
import { inWords } from "../src/operations/definition/modes.ts";

/** The generated documents, in whole or in part: their paths and texts. */
export async function generatedDocuments(): Promise<Map<string, string | Uint8Array>> {
  const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
  const limitsText = await read("src/limits.ts");
  /** The generated parts, by the names in their comments. */
  const parts = {
    errors: errorTable(),
    scopes: await scopeTable(),
    operations: `${await operationTable()}\n`,
    "operation-count": String((await describedOperations()).filter(({ name }) => name !== PIPELINE).length),
    "page-fields": `${await pageFieldTable()}\n`,
    prices: `${await priceTable()}\n`,
    retention: `${retention}\n`,
    parsers: `${parserTable()}\n`,
    internals: `${internals(limitsText)}\n`,
    licenses: `${await licenseTable()}\n`,
  };
  const withParts = async (path: string): Promise<[string, string]> => {
    const document = await read(path);
    const made = Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part), document);
    return [join(root, path), made];
  };
  return new Map<string, string | Uint8Array>([
    [join(root, "docs/limits.md"), limitsDocument(limitsText)],
    ...(await Promise.all(
      [
        "README.md",
        "SECURITY.md",
        "docs/api.md",
        "docs/architecture.md",
        "docs/license.md",
        "docs/mcp.md",
        "docs/operating.md",
      ].map(withParts),
    )),
    [join(root, "examples/damaged.pdf"), withoutEnd(await readFile(join(root, "examples/letter.pdf")))],
    await exampleSigner(),
    await exampleSigned(),
  ]);
}

/** A key and its certificate for ten years, made once: each key is another one. Its password is `example`. */
async function exampleSigner(): Promise<[string, Uint8Array]> {
  const path = join(root, "examples/signer.p12");
  if (existsSync(path)) return [path, await readFile(path)];
  const issuer = await issue({ subject: "Example CA", isAuthority: true, valid: [-1, 3650] });
  const signer = await issue({ subject: "Ada Lovelace", issuer, valid: [-1, 3650] });
  return [path, await pkcs12(signer, "example", [issuer])];
}

/** A signed page, made once, too. */
async function exampleSigned(): Promise<[string, Uint8Array]> {
  const path = join(root, "examples/signed.pdf");
  if (existsSync(path)) return [path, await readFile(path)];
  const signer = await issue({ subject: "Ada Lovelace", kind: "RSA-2048", isAuthority: true, valid: [-1, 3650] });
  const lines = ["Agreement", "The parties agree to verify what they sign.", "Signed by Ada Lovelace"];
  return [path, await handSigned({ signer, lines })];
}

/** As a transfer that stopped early leaves a file: without its cross-references and trailer, which come last. */
function withoutEnd(bytes: Buffer): Uint8Array {
  const [, xref] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(bytes.toString("latin1")) ?? [];
  if (xref === undefined) throw new Error("the file does not say where its cross-references are");
  return bytes.subarray(0, Number(xref));
}

/** Replaces the text between the comment that names a part and the next end: lines after a comment that explains it, or words within a line. */
function withPart(document: string, name: string, made: string): string {
  const lines = new RegExp(`(<!-- ${name}:[^>]*-->\\n).*?(<!-- end -->)`, "s");
  return document
    .replace(lines, (_, start: string, end: string) => `${start}\n${made}\n${end}`)
    .replace(
      new RegExp(`(<!-- ${name} -->).*?(<!-- end -->)`, "s"),
      (_, start: string, end: string) => start + made + end,
    );
}

/** It combines operations, and is in no table of them. */
const PIPELINE = "pipeline";

/** The operations by group, each with a link to its source. */
async function operationTable(): Promise<string> {
  const operations = (await describedOperations()).filter(({ name }) => name !== PIPELINE);
  const groups = Map.groupBy(operations, ({ group }) => group);
  const rows = Array.from(groups, ([group, members]) => [
    group,
    members
      .map(({ name, aside }) =>
        [`[${name}](src/operations/${name}.ts)`, ...(aside === undefined ? [] : [aside])].join(" "),
      )
      .join(", "),
  ]);
  return table(["Group", "Operations"], rows);
}

/** The dependencies by the licenses that their packages declare. */
async function licenseTable(): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly dependencies: object;
  };
  const packages = await Promise.all(
    Object.keys(dependencies).map(async (name) => {
      const text = await readFile(join(root, "node_modules", name, "package.json"), "utf8");
      const { license } = JSON.parse(text) as { readonly license?: unknown };
      if (typeof license !== "string") throw new Error(`${name} declares no license`);
      return { name, license };
    }),
  );
  const rows = Array.from(
    Map.groupBy(packages, ({ license }) => license),
    ([license, members]) => [license, members.map(({ name }) => `\`${name}\``).join(", ")],
  );
  return table(
    ["License", "Packages"],
    rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}

/** The fields that name pages, by how they are read. */
async function pageFieldTable(): Promise<string> {
  const found = formRoutesOf(await describedApi()).flatMap(({ name: operation, members }) =>
    members.map(({ property, schema, required }) => ({ operation, property, schema, required })),
  );
  const code = (text: string): string => `\`${text}\``;
  const rows = Object.entries(PAGE_FORMATS).map(([format, explain]) => {
    const fields = found.filter(({ schema }) => schema.format === format);
    const operations = fields.map(({ operation, schema }) => {
      const conditions = Object.entries(schema["x-when"] ?? {}).flatMap(([name, [only, ...others]]) =>
        only === undefined || others.length > 0 ? [] : [code(`${name}=${only}`)],
      );
      return [code(operation), ...conditions].join(" with ");
    });
    const needed = fields.filter(({ required }) => required).map(({ operation }) => code(operation));
    const names = new Set(fields.map(({ property }) => code(property)));
    return [[...names].join(", "), operations.join(", "), explain(needed)];
  });
  return table(["Field", "Of", "Meaning"], rows);
}

/** The formats of fields that name pages. \`needed\`: the operations that require the field. */
const PAGE_FORMATS: Readonly<Record<string, (needed: readonly string[]) => string>> = {
  "page-range": (needed) =>
    `The pages that the operation works on, in the order of the document. Default: all${needed.length === 0 ? "" : ` (required by ${needed.join(", ")})`}`,
  "page-order": () => "The pages of the result, in this order. A page can be listed more than once",
  "page-groups": () => "Several ranges, separated by `\\|`: each becomes a document",
};

async function scopeTable(): Promise<string> {
  const { paths } = await describedApi();
  const withScope = (scope: string): string =>
    Object.entries(paths)
      .flatMap(([path, { post }]) => {
        const condition = post?.["x-scopes"]?.[scope];
        return condition ? [`${path.slice(path.lastIndexOf("/") + 1)}${inWords(condition)}`] : [];
      })
      .join(", ");
  return table(
    ["Scope", "Allows"],
    [
      ["`pdf:read`", withScope("pdf:read")],
      ["`pdf:write`", withScope("pdf:write")],
      ["`files:read`", "Listing files, and reading them"],
      ["`files:write`", "Uploading and deleting files"],
      ["`keys:manage`", "`/keys`"],
      ["`billing:read`", "`GET /usage`"],
      ["`webhooks:read`", "Listing webhooks and their deliveries"],
      ["`webhooks:write`", "Creating, changing, and deleting webhooks; tests and replays"],
    ],
  );
}

/** Each operation once, by its price. */
async function priceTable(): Promise<string> {
  const { paths } = await describedApi();
  const priced = Object.entries(paths).flatMap(([path, { post }]) => {
    const credits = post?.["x-credits"];
    return credits === undefined ? [] : [{ credits, name: `\`${path.slice(path.lastIndexOf("/") + 1)}\`` }];
  });
  const byPrice = [...Map.groupBy(priced, ({ credits }) => credits)].toSorted(([a], [b]) => a - b);
  const { pagesPerPrice, pagesPerPriceOfOcr } = limits.jobs;
  return table(
    ["Credits", "For"],
    [
      ...byPrice.map(([credits, operations]) => [String(credits), operations.map(({ name }) => name).join(", ")]),
      ["The sum of its steps", "`pipeline`"],
      [
        `The same, for each started ${pagesPerPrice} pages, or ${pagesPerPriceOfOcr} pages with text recognition`,
        "A [job](#jobs)",
      ],
      ["Nothing", "Everything else: files, jobs, keys, webhooks, usage, and requests that fail"],
    ],
  );
}

function errorTable(): string {
  const rows = errorRows.map(([code, { status, title, when }]) => [`${status}`, `\`${code}\``, `${title}. ${when}`]);
  return table(["Status", "`code`", "Meaning"], rows);
}

/** The parsers of a client's bytes outside MuPDF, and what bounds each. */
function parserTable(): string {
  const rows = Object.values<Parser>(PARSERS).map(({ reads, elements, byte, element, most, bounds }) => [
    reads,
    `${byte}`,
    `${element} (${elements})`,
    most === Infinity ? "By fuel" : most.toLocaleString("en-US"),
    bounds ?? "",
  ]);
  return table(["Reads", "Fuel per byte", "Fuel per element", "Most elements", "Also"], rows);
}

const INTRODUCTION = `# Limits

<!-- Made by \`npm run generate -- docs\` from src/limits.ts and src/accounts/plans.ts. Change those, then run it again. -->`;

/** The answers that most people look for. */
function asked(): string {
  const all = Object.values(plans);
  const between = (values: readonly number[], written: (value: number) => string = number): string => {
    const limited = values.filter((value) => value !== UNLIMITED);
    return `${written(Math.min(...limited))} to ${written(Math.max(...limited))}`;
  };
  const bodies = all.map(({ maxBodyBytes }) => Math.min(maxBodyBytes, defaultSizes.heldBytes) / MiB);
  const { admission, form, jobs, ocr, references, storage, files, pages, timestamps, work } = limits;
  const rows = [
    [
      "How large can a file be?",
      `${between(
        all.map(({ largestFileBytes }) => largestFileBytes),
        size,
      )} if you [upload](api.md#files) it and send its ID, depending on your plan. Without an upload, the limit for requests applies`,
    ],
    [
      "How large can a request be?",
      `${between(bodies)} MiB, depending on your plan. Documents from URLs count; files that you send by ID do not, but together with the body they can have up to ${size(references.heldBytes)}, except for one PDF where the operation reads it in ranges. A server of your own with a larger [\`MEMORY_BUDGET_MIB\`](operating.md#sizes-and-memory) takes more: \`GET /api/v1/limits\` has its figures`,
    ],
    [
      "How many pages can a document have?",
      `${number(pages)}, in a request and in a [job](api.md#jobs). Text recognition (OCR): ${number(ocr.pages)} in a request, ${number(jobs.pages)} in a job`,
    ],
    ["How many files can a request have?", number(files)],
    [
      "How long can a request take?",
      `As long as its work takes, up to about 5 minutes of CPU time (${number(work.most)} units of [fuel](#work)). An upload that sends nothing for ${duration(form.graceMilliseconds / 1_000)} gets 408; a time-stamp service has ${duration(timestamps.milliseconds / 1_000)}. A job can take ${duration(jobs.longestSeconds)}`,
    ],
    [
      "How many requests can I send?",
      `${between(all.map(({ requestsPerMinute }) => requestsPerMinute))} per minute, depending on your plan; any number on the \`unlimited\` plan. More get 429 with \`Retry-After\``,
    ],
    [
      "How many requests can run at once?",
      `As many as memory allows: a request waits up to ${duration(admission.waitMilliseconds / 1_000)} for memory, then gets 503 with \`Retry-After\`. [Operating](operating.md#memory-and-waiting) has the details`,
    ],
    [
      "How many credits do I have?",
      `${between(all.map(({ credits }) => credits))} per month, depending on your plan; any number on the \`unlimited\` plan. [Credits](api.md#credits) lists the prices`,
    ],
    [
      "How many jobs can run at once?",
      `${between(all.map(({ liveJobs }) => liveJobs))} unfinished jobs per mode, depending on your plan. More get 409 \`limit_reached\``,
    ],
    [
      "How long is a file kept?",
      `${duration(storage.shortestSeconds)} to ${duration(storage.longestSeconds)}, ${duration(storage.defaultSeconds)} by default`,
    ],
  ];
  return table(["Question", "Answer"], rows);
}

const number = (value: number): string => (value === UNLIMITED ? "Unlimited" : value.toLocaleString("en-US"));

const EVERY = `## All limits

A request over a limit gets 413 with \`"details": { "limit", "actual" }\` unless the tables say otherwise, and is not charged. The code is \`limit_exceeded\`, or
\`file_too_large\` for the size of a body. Numbers and choices that a parameter accepts are listed with the parameter in the API reference; other values get 400.
Every other number that can reject a request is defined in [\`src/limits.ts\`](../src/limits.ts) and listed here, or with the internals of the service in
[Operating](operating.md#memory-and-waiting).

An isolate of Cloudflare Workers has 128 MB of memory, and no timer can interrupt WebAssembly. So memory is limited by sizes, and time
by counts and by fuel; [architecture](architecture.md) explains both. The numbers come from measurements: \`npm run measure -- memory\`, \`npm run measure -- turns\`,
\`npm run corpus\`, and \`npm run measure -- fuzz\` repeat them.`;

/** docs/limits.md, from the text of src/limits.ts. */
function limitsDocument(source: string): string {
  const sections = sectionsOf(source).flatMap(({ title, introduction, rows }) => {
    const shown = rows.filter(({ isInternal }) => !isInternal);
    if (shown.length === 0) return [];
    const heading = [`## ${title}`, introduction].filter((part) => part !== "").join("\n\n");
    return [`${heading}\n\n${limitTable(shown)}`];
  });
  return `${[INTRODUCTION, asked(), `## Plans\n\n${planTable()}`, EVERY, ...sections].join("\n\n")}\n`;
}

/** The limits that only operators need. */
const internals = (source: string): string =>
  limitTable(sectionsOf(source).flatMap(({ rows }) => rows.filter(({ isInternal }) => isInternal)));

const limitTable = (rows: readonly Row[]): string =>
  table(
    ["Limit", "Value", "Description"],
    rows.map(({ name, value, text }) => [`\`${name}\``, value, text]),
  );

interface Row {
  readonly name: string;
  readonly value: string;
  readonly text: string;
  /** Marked with `@operating`, or in a group that is. */
  readonly isInternal: boolean;
}

interface Section {
  readonly title: string;
  readonly introduction: string;
  readonly isInternal: boolean;
  readonly rows: Row[];
}

/** The groups of `limits` with their comments; the first has the entries that belong to no group. */
function sectionsOf(source: string): Section[] {
  const body = source.slice(source.indexOf("export const limits"));
  const general: Section = { title: "Documents and requests", introduction: "", isInternal: false, rows: [] };
  const sections = [general];
  const entry =
    /\/\*\*(?<comment>(?:(?!\*\/).)*)\*\/\s*(?<name>\w+): (?:(?<group>\{\n)|(?<value>[^\n]+),\n)|\n {2}\},/gs;
  let group: string | undefined;
  let values: Readonly<Record<string, unknown>> = limits;
  for (const { groups } of body.matchAll(entry)) {
    const { name, comment = "" } = groups ?? {};
    const [, mark, text = ""] =
      /^(@operating )?(.*)$/.exec(
        comment
          .replaceAll(/\n\s*\*/g, " ")
          .replaceAll(/\s+/g, " ")
          .trim(),
      ) ?? [];
    const isMarked = mark !== undefined;
    if (name === undefined) {
      [group, values] = [undefined, limits];
    } else if (groups?.["group"] === undefined) {
      const section = (group === undefined ? undefined : sections.at(-1)) ?? general;
      const full = group === undefined ? name : `${group}.${name}`;
      const isInternal = section.isInternal || isMarked;
      section.rows.push({ name: full, value: valueOf(name, values[name]), text, isInternal });
    } else {
      const [, title = text, introduction = ""] = /^(.*?)\.(?:\s|$)(.*)$/s.exec(text) ?? [];
      sections.push({ title, introduction, isInternal: isMarked, rows: [] });
      group = name;
      values = Object.fromEntries(Object.entries(Object(Reflect.get(limits, name))));
    }
  }
  const count = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const all = Object.values(limits).flatMap((value) => (typeof value === "number" ? [value] : Object.values(value)));
  if (count !== all.length) throw new Error(`src/limits.ts: ${all.length - count} limits have no comment of their own`);
  return sections;
}

/** How long the fuel of a stage lasts. */
const KINDS: Readonly<Record<string, string>> = {
  request: "for the request",
  untilNext: "until the next",
  own: "of its own",
  alone: "of its own, alone",
};

function valueOf(name: string, value: unknown): string {
  if (isStage(value)) {
    if (value.kind === "asNeeded") return "As needed";
    return `${value.fuel.toLocaleString("en-US")} ${KINDS[value.kind]}`;
  }
  if (typeof value !== "number") throw new Error(`${name} is no number`);
  if (name.endsWith("BytesPerSecond")) return `${size(value)} per second`;
  if (/bytes$/i.test(name)) return size(value);
  if (name.endsWith("Milliseconds")) return value < 1_000 ? `${value} ms` : duration(value / 1_000);
  if (name.endsWith("Seconds")) return duration(value);
  return value.toLocaleString("en-US");
}

const isStage = (value: unknown): value is { readonly fuel: number; readonly kind: string } =>
  typeof value === "object" && value !== null && "fuel" in value && "kind" in value;

function size(bytes: number): string {
  if (bytes === limits.zipBytes) return "4 GiB";
  if (bytes % (1024 * MiB) === 0) return `${bytes / (1024 * MiB)} GiB`;
  if (bytes % 1024 !== 0) return `${bytes} bytes`;
  return bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${bytes / 1024} KiB`;
}

function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? "24 hours" : `${seconds / 86_400} days`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function planTable(): string {
  const rows = Object.entries(plans).map(([name, plan]) => [
    name,
    number(plan.credits),
    number(plan.testCredits),
    number(plan.requestsPerMinute),
    size(Math.min(plan.maxBodyBytes, defaultSizes.heldBytes)),
    size(plan.largestFileBytes),
    size(plan.storedBytes),
    number(plan.liveJobs),
    number(plan.jobLanes),
  ]);
  return table(
    [
      "Plan",
      "Credits per month (UTC)",
      "With test keys",
      "Requests per minute",
      "Largest request body",
      "Largest file",
      "All files, per mode",
      "Unfinished jobs, per mode",
      "Job parts at once",
    ],
    rows,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

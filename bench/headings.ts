/** How many of a document's headings extract-text finds: the titles of its outline, which is cut off first. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pdfPart, type Service } from "../test/harness/requests/client.ts";
import { prepareCall, send } from "./call.ts";

export interface HeadingsRow {
  readonly name: string;
  /** Titles of the outline that are on the pages, too. */
  readonly titles: number;
  readonly found: number;
  readonly headings: number;
}

interface Entry {
  readonly title: string;
  readonly children?: readonly Entry[];
}

/** The documents below `folder` that have an outline whose titles are on their pages; none without a folder. */
export async function benchHeadings(service: Service, folder: string): Promise<HeadingsRow[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".pdf"));
  const rows: HeadingsRow[] = [];
  for (const file of files.toSorted()) {
    const row = await headingsOf(service, join(folder, file));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

async function headingsOf(service: Service, path: string): Promise<HeadingsRow | undefined> {
  const file = pdfPart(new Uint8Array(readFileSync(path)));
  const got = await text(service, "outline", { file, action: "get" });
  if (got === undefined) return undefined;
  const all = titlesIn((JSON.parse(got) as { outline: Entry[] }).outline);
  if (all.length === 0) return undefined;
  const steps = (format: "text" | "markdown"): string =>
    JSON.stringify([
      { operation: "outline", action: "set", outline: [] },
      { operation: "extract-text", format },
    ]);
  const plain = await text(service, "pipeline", { file, steps: steps("text") });
  const markdown = await text(service, "pipeline", { file, steps: steps("markdown") });
  if (plain === undefined || markdown === undefined) return undefined;
  const said = compared(plain);
  const titles = all.map(compared).filter((title) => title !== "" && said.includes(title));
  if (titles.length === 0) return undefined;
  const left = [...markdown.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => compared(heading));
  const headings = left.length;
  let found = 0;
  for (const title of titles) {
    const at = left.findIndex((heading) => heading === title || heading.replace(/^(?:\p{L}+)?\d+/u, "") === title);
    if (at < 0) continue;
    found++;
    left.splice(at, 1);
  }
  return { name: basename(path), titles: titles.length, found, headings };
}

/** The text of a response; undefined if the document is one that the service refuses. */
async function text(service: Service, operation: string, parts: Parameters<typeof prepareCall>[1]) {
  const { status, body } = await send(service, await prepareCall(operation, parts));
  return status === 200 ? new TextDecoder().decode(body) : undefined;
}

const titlesIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ title, children = [] }) => [title, ...titlesIn(children)]);

/** Letters and digits only. */
const compared = (said: string): string =>
  said
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

export function printHeadings(rows: readonly HeadingsRow[]): void {
  const cells = (row: readonly (string | number)[]): string =>
    row.map((cell, index) => (index === 0 ? String(cell).padEnd(40) : String(cell).padStart(12))).join("");
  console.log(cells(["Outline cut off", "titles", "found", "headings"]));
  console.log(cells(["  at least 85 %, at most 160 %", "", "85 %", "160 %"]));
  const total = (pick: (row: HeadingsRow) => number): number => rows.reduce((sum, row) => sum + pick(row), 0);
  for (const { name, titles, found, headings } of rows) console.log(cells([name, titles, found, headings]));
  console.log(cells(["all", total((row) => row.titles), total((row) => row.found), total((row) => row.headings)]));
}

/** Lists and the account's usage as tables of 80 columns. `--json` has everything that they leave out. */
import type { PdfService } from "../service.ts";
import { columns, definitions, WIDTH } from "./layout.ts";
import { sizeWords } from "./progress.ts";

type Usage = Awaited<ReturnType<PdfService["getUsage"]>>;
type Jobs = Awaited<ReturnType<PdfService["listJobs"]>>;
type Files = Awaited<ReturnType<PdfService["listFiles"]>>;

export function usageTable({ plan, limit, used, remaining, perOperation, ...period }: Usage): string {
  const facts = definitions([
    ["Plan", plan],
    ["Credits used", limit === null ? number(used) : `${number(used)} of ${number(limit)}`],
    ["Credits left", remaining === null ? "unlimited" : number(remaining)],
    ["Month", `${day(period.currentPeriodStart)} to ${day(period.currentPeriodEnd)} (UTC)`],
  ]).replaceAll(/^ {2}/gm, "");
  const rows = Object.entries(perOperation).toSorted(([, a], [, b]) => b - a);
  return rows.length === 0 ? facts : `${facts}\n${columns(["OPERATION", "CREDITS"], rows)}`;
}

export function jobsTable({ data, nextCursor }: Jobs): string {
  if (data.length === 0) return "There are no jobs.\n";
  const rows = data.map(({ id, operation, status, progress: { done, failed, total }, createdAt }) => [
    id,
    operation,
    status,
    `${done + failed}/${total}`,
    minute(createdAt),
  ]);
  return columns(["ID", "OPERATION", "STATUS", "PAGES", "CREATED UTC"], rows) + more(nextCursor);
}

export function filesTable({ data, nextCursor }: Files): string {
  if (data.length === 0) return "There are no files.\n";
  const rows = data.map(({ id, name, size, expiresAt }) => [id, sizeWords(size), minute(expiresAt), shortened(name)]);
  return columns(["ID", "SIZE", "EXPIRES UTC", "NAME"], rows) + more(nextCursor);
}

/** The columns that are left for the name of a file. */
const NAME = WIDTH - 54;

/** On one line, whatever characters a file's name has. */
function shortened(name: string): string {
  const characters = Array.from(name.replaceAll(/\p{Cc}/gu, "?"));
  return characters.length <= NAME ? characters.join("") : `${characters.slice(0, NAME - 3).join("")}...`;
}

const more = (cursor: string | null): string => (cursor === null ? "" : `\nMore: --cursor ${cursor}\n`);
const number = (value: number): string => value.toLocaleString("en-US");
const day = (time: string): string => time.slice(0, 10);
/** `11-25 14:40`, of an ISO 8601 time. */
const minute = (time: string): string => time.slice(5, 16).replace("T", " ");

/** What must hold for a response, whatever was sent. */
import type { ApiResponse } from "../requests/client.ts";
import type { Form } from "./fuzz-forms.ts";
import type { Markers } from "./markers.ts";
import { countPages } from "../engines/pdfjs.ts";
import { runQpdf } from "../engines/qpdf.ts";
import { documentsOf } from "../requests/parts.ts";
import { errorRows } from "../../../src/http/errors/error-table.ts";

/** Documents of a ZIP that are opened, evenly taken, the first and last among them. */
const OPENED = 3;

/** First bytes of an image, by its type. */
const SIGNATURES: Readonly<Record<string, string>> = {
  "image/png": "\u0089PNG",
  "image/jpeg": "\u00ff\u00d8\u00ff",
  "image/webp": "RIFF",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "PK",
};

/** Everything that is wrong with the response to call `call`, in words. */
export async function faultsOf(response: ApiResponse, form: Form, call: number, markers: Markers): Promise<string[]> {
  const faults = response.status === 200 ? await outputFaults(response, form) : refusalFaults(response);
  const foreign = (bytes: Uint8Array, where: string): void => {
    for (const other of markers.callsIn(bytes)) {
      if (other !== call) faults.push(`${where} shows bytes of call ${other}`);
    }
  };
  foreign(new TextEncoder().encode(JSON.stringify([...response.headers])), "a header");
  for (const { name, bytes } of await readableParts(response, form)) foreign(bytes, name);
  return faults;
}

/** A refusal is one of the table, with the table's status, and no failure of the service. */
function refusalFaults({ status, code, headers }: ApiResponse): string[] {
  const row = errorRows.find(([name]) => name === code)?.[1];
  if (row === undefined || row.status !== status)
    return [`${status} ${code ?? "without a code"} is no documented refusal`];
  // 501: this server has no browser or no office converter, which is no failure either.
  if (status < 500 || status === 501) return [];
  // Full for a moment is no failure; whoever calls asks again.
  return code === "overloaded" && headers.has("Retry-After") ? [] : [`${status} ${code ?? ""} is a failure`];
}

async function outputFaults(response: ApiResponse, form: Form): Promise<string[]> {
  const type = response.headers.get("Content-Type") ?? "";
  if (type === "application/json") {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(response.body);
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? [] : ["the JSON is no object"];
  }
  if (type.startsWith("text/")) {
    new TextDecoder("utf-8", { fatal: true }).decode(response.body);
    return [];
  }
  const signature = SIGNATURES[type];
  if (signature !== undefined) {
    const start = Buffer.from(response.body.subarray(0, signature.length)).toString("latin1");
    return start === signature ? [] : [`the body is not ${type}`];
  }
  // Sent back as it came, damaged as it may be.
  const isSent = Object.values(form).some(
    (part) => typeof part !== "string" && Buffer.compare(part.bytes, response.body) === 0,
  );
  if (isSent) return [];
  const documents = documentsOf(response);
  if (documents.length === 0) return ["the ZIP is empty"];
  const claimed = type === "application/pdf" ? Number(response.headers.get("X-Page-Count")) : undefined;
  const faults: string[] = [];
  for (const { name, bytes } of evenly(documents, OPENED)) {
    if (!/\.pdf$|^$/.test(name)) continue;
    const pages = await pagesSeen(bytes, passwordsOf(form));
    if (typeof pages === "string") faults.push(`${name || "the PDF"} does not open: ${pages}`);
    else if (pages < 1 || (claimed !== undefined && !Number.isNaN(claimed) && pages !== claimed)) {
      faults.push(`${name || "the PDF"} has ${pages} pages${claimed === undefined ? "" : `, not ${claimed}`}`);
    }
  }
  return faults;
}

/** Pages as pdf.js sees them, or else qpdf; why neither does. */
async function pagesSeen(bytes: Uint8Array, passwords: readonly string[]): Promise<number | string> {
  let reason = "";
  for (const password of [undefined, ...passwords]) {
    try {
      return await countPages(bytes, password);
    } catch (error) {
      reason = String(error);
    }
  }
  for (const password of ["", ...passwords]) {
    const run = await runQpdf([`--password=${password}`, "--show-npages", "/in.pdf"], { "/in.pdf": bytes });
    const pages = /^\d+$/m.exec(run.stdout)?.[0];
    if (pages !== undefined) return Number(pages);
    reason += `; ${run.stderr.split("\n")[0]}`;
  }
  return reason;
}

/** The response's files as they are, and those that are encrypted in plain, too. */
async function readableParts(response: ApiResponse, form: Form): Promise<{ name: string; bytes: Uint8Array }[]> {
  const whole = { name: "the body", bytes: response.body };
  const type = response.headers.get("Content-Type") ?? "";
  if (response.status !== 200 || !/pdf|zip/.test(type)) return [whole];
  const parts = type === "application/zip" ? documentsOf(response) : [whole];
  const encrypted = evenly(parts, 2).filter(({ bytes }) => Buffer.from(bytes).includes("/Encrypt"));
  for (const { name, bytes } of encrypted) {
    for (const password of ["", ...passwordsOf(form)]) {
      const args = [`--password=${password}`, "--decrypt", "--stream-data=uncompress", "/in.pdf", "/out.pdf"];
      const { output } = await runQpdf(args, { "/in.pdf": bytes });
      if (output === undefined) continue;
      parts.push({ name: `${name}, decrypted,`, bytes: output });
      break;
    }
  }
  return parts;
}

const passwordsOf = (form: Form): string[] =>
  Object.entries(form).flatMap(([name, part]) =>
    /^(password\d*|userPassword|ownerPassword)$/.test(name) && typeof part === "string" ? [part] : [],
  );

function evenly<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, (list.length - 1) / Math.max(1, count - 1));
  return list.filter((_, index) => Math.round(Math.round(index / step) * step) === index);
}

/** Files that are kept: how fast a large one is uploaded, read, and processed, and how much memory that takes. */
import { createHash, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { peakDuring, residentBytes } from "./server-process.ts";
import type { Service } from "../test/harness/requests/client.ts";
import { largeDocument } from "../test/harness/bombs/large-document.ts";

const MiB = 1024 * 1024;
const [SIZE, PIECE] = [1024 * MiB, MiB];
const PARTS_AT_ONCE = 3;
const READS = 200;

interface FilesRow {
  readonly what: string;
  readonly seconds: number;
  /** 0 if bytes do not matter. */
  readonly bytes: number;
  /** The largest growth of the process; undefined if unknown. */
  readonly growth: number | undefined;
}

/** One MiB at random, sent over and over: nothing on the way can compress it. */
const piece = randomFillSync(new Uint8Array(PIECE));

/** Uploads 1 GiB in one request and in parts, reads it as a whole and in ranges of one chunk, and processes a document of that size. */
export async function benchFiles(service: Service & { readonly pid?: number }): Promise<FilesRow[]> {
  const rows: FilesRow[] = [];
  async function measure<T>(what: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const { pid } = service;
    const before = pid === undefined ? 0 : await residentBytes(pid);
    const start = performance.now();
    const { peak, result } = pid === undefined ? { peak: 0, result: await work() } : await peakDuring(pid, work);
    const seconds = (performance.now() - start) / 1_000;
    rows.push({ what, seconds, bytes, growth: pid === undefined ? undefined : peak - before });
    return result;
  }
  // The very first request compiles its code.
  await remove(service, (await uploadForm(service, MiB)).id);
  const whole = await measure("upload, one request", SIZE, () => uploadForm(service, SIZE));
  await remove(service, whole.id);
  const pending = await json(service, "POST", "/files", { name: "large.pdf", size: SIZE });
  await measure(`upload, ${PARTS_AT_ONCE} parts at once`, SIZE, () => uploadParts(service, pending));
  const { id, sha256 } = await measure("complete", SIZE, () => json(service, "POST", `/files/${pending.id}/complete`));
  const read = await measure("download", SIZE, () => download(service, id));
  if (read !== sha256) throw new Error("the download is not what was uploaded");
  await measure(`${READS} ranges of 64 KiB`, READS * 65_536, async () => {
    for (let number = 0; number < READS; number++) {
      const start = Math.floor((SIZE / 65_536) * Math.random()) * 65_536;
      await download(service, id, `bytes=${start}-${start + 65_535}`);
    }
  });
  await remove(service, id);
  const document = await uploadForm(service, lengthOf(largeDocument(ARCHIVE)), largeDocument(ARCHIVE));
  for (const [operation, fields] of OPERATIONS) {
    const what = `${operation} ${JSON.stringify(fields)}`;
    await measure(what, 0, () => operate(service, operation, { file: document.id, ...fields }));
  }
  await measure("two at once: to-images, watermark", 0, () =>
    Promise.all(
      [
        ["to-images", { pages: "500" }] as const,
        ["watermark", { kind: "text", text: "DRAFT", pages: "1-20" }] as const,
      ].map(([operation, fields]) => operate(service, operation, { file: document.id, ...fields })),
    ),
  );
  await remove(service, document.id);
  return rows;
}

/** 1 GiB, of which each page draws 1 MiB. */
const ARCHIVE = { pages: 1_000, pictureBytes: MiB };

/** The operations on it: pages spread over it are read, drawn, and changed. */
const SPREAD = Array.from({ length: 50 }, (_, index) => index * 20 + 1).join(",");
const OPERATIONS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["metadata", { action: "get" }],
  ["to-images", { pages: "500" }],
  ["extract-text", { pages: "500" }],
  ["extract-text", { pages: SPREAD }],
  ["ocr", { pages: "500" }],
  ["extract-pages", { range: "500,2" }],
  ["split", { mode: "ranges", ranges: "1|500|1000" }],
  ["rotate", { angle: "90", pages: "500" }],
  ["watermark", { kind: "text", text: "DRAFT", pages: "1-20" }],
  ["add-page-numbers", {}],
  ["metadata", { action: "set", metadata: '{"title":"Renamed"}' }],
  ["sign", { mode: "type", typedName: "Ada", field: '{"page":500,"x":90,"y":90,"width":200,"height":60}' }],
];

/** Reads the response to its end, without keeping it. */
async function operate(service: Service, operation: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const headers = { Authorization: `Bearer ${service.key}` };
  const response = await fetch(`${service.baseUrl}/api/v1/${operation}`, { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
  for await (const _ of response.body ?? []);
}

const lengthOf = (parts: Iterable<Uint8Array>): number => {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
};

export function printFiles(rows: readonly FilesRow[]): void {
  console.log("\n| File of 1 GiB | s | MB/s | Growth of workerd |\n|---|---|---|---|");
  for (const { what, seconds, bytes, growth } of rows) {
    const memory = growth === undefined ? "" : `${(growth / MiB).toFixed(0)} MiB`;
    const rate = bytes === 0 ? "" : (bytes / seconds / 1e6).toFixed(0);
    console.log(`| ${what} | ${seconds.toFixed(1)} | ${rate} | ${memory} |`);
  }
}

interface FileBody {
  readonly id: string;
  readonly sha256: string;
  readonly parts: { readonly size: number; readonly count: number };
}

const begin = ({ baseUrl, key }: Service, method: string, path: string, headers: Record<string, string | number>) =>
  request(`${baseUrl}/api/v1${path}`, { method, headers: { Authorization: `Bearer ${key}`, ...headers } });

async function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

async function jsonOf(response: Promise<IncomingMessage>): Promise<FileBody> {
  const { statusCode = 0 } = await response;
  let text = "";
  for await (const chunk of await response) text += String(chunk);
  if (statusCode >= 300) throw new Error(`${statusCode} ${text}`);
  return JSON.parse(text) as FileBody;
}

function json(service: Service, method: string, path: string, body: object = {}): Promise<FileBody> {
  const sent = begin(service, method, path, { "Content-Type": "application/json" });
  sent.end(JSON.stringify(body));
  return jsonOf(responseOf(sent));
}

const remove = async (service: Service, id: string): Promise<void> => {
  const sent = begin(service, "DELETE", `/files/${id}`, {});
  sent.end();
  await jsonOf(responseOf(sent));
};

/** Writes as fast as the socket takes it. */
async function write(sent: ClientRequest, parts: Iterable<Uint8Array>): Promise<void> {
  // A copy: sent bytes wait in a queue, and their owner may overwrite them.
  for (const part of parts) if (!sent.write(part.slice())) await once(sent, "drain");
}

function* randomBytes(bytes: number): Generator<Uint8Array> {
  for (let left = bytes; left > 0; left -= PIECE) yield piece.subarray(0, Math.min(left, PIECE));
}

async function uploadForm(
  service: Service,
  bytes: number,
  parts: Iterable<Uint8Array> = randomBytes(bytes),
): Promise<FileBody> {
  // As long as curl's: the search for it skips by its length.
  const boundary = "------------------------0123456789abcdefghijkl";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.pdf"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const sent = begin(service, "POST", "/files", {
    "Content-Type": `multipart/form-data; boundary=${boundary}`,
    "Content-Length": head.length + bytes + tail.length,
  });
  const response = jsonOf(responseOf(sent));
  sent.write(head);
  await write(sent, parts);
  sent.end(tail);
  return response;
}

async function uploadParts(service: Service, { id, parts }: FileBody): Promise<void> {
  const numbers = Array.from({ length: parts.count }, (_, index) => index + 1).values();
  const sendSome = async (): Promise<void> => {
    for (const number of numbers) {
      const length = Math.min(parts.size, SIZE - (number - 1) * parts.size);
      const sent = begin(service, "PUT", `/files/${id}/parts/${number}`, { "Content-Length": length });
      const response = jsonOf(responseOf(sent));
      await write(sent, randomBytes(length));
      sent.end();
      await response;
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendSome));
}

/** The SHA-256 of what comes. */
async function download(service: Service, id: string, range?: string): Promise<string> {
  const sent = begin(service, "GET", `/files/${id}/content`, range === undefined ? {} : { Range: range });
  sent.end();
  const hash = createHash("sha256");
  for await (const chunk of await responseOf(sent)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

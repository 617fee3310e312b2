import { newKey, senderTo } from "../http/echo-service.ts";
import { chainPem, issue, keyPem } from "../harness/signatures/certificates.ts";
import { ciiInvoice } from "../harness/fixtures/invoice-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import type { Operation } from "../../src/operations/definition/define.ts";
import { operations } from "../../src/operations/index.ts";

const send = senderTo(...operations);
// The plan with the most requests per minute: a file of tests sends several hundred.
const key = await newKey("enterprise");

export const pdf = document({ name: "letter", pages: 2 });
const invoice = new TextEncoder().encode(ciiInvoice());
/** No more than an image's signature: recognized, but not readable. */
const image = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

const issued = await issue({ subject: "Signer" });

/** What each operation needs beside its files, where it is not what its example has. */
const needed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  split: { mode: "pages" },
  "extract-pages": { range: "1" },
  rotate: { angle: "90" },
  crop: { margins: "9" },
  "n-up": { pagesPerSheet: "2" },
  attachments: { action: "list" },
  outline: { action: "get" },
  protect: { userPassword: "open" },
  watermark: { kind: "text", text: "DRAFT" },
  sign: { mode: "type", typedName: "Ada", field: '{"page":1,"x":9,"y":9,"width":90,"height":40}' },
  seal: { privateKey: await keyPem(issued), chain: chainPem(issued) },
  "fill-form": { values: "{}" },
  redact: { terms: '["letter"]' },
  metadata: { action: "get" },
};

/** Parameters that are as good as they can be, and the names of the files. */
function wellFormed({ name, fields, example = {}, oneOf }: Operation): {
  texts: Readonly<Record<string, string>>;
  files: string[];
} {
  const files = Object.entries(fields).flatMap(([field, declared]) => {
    if (declared.kind === "files")
      return Array.from({ length: declared.min }, (_, index) => `${declared.prefix}${index}`);
    const isNeeded = declared.kind === "file" && (declared.optional !== true || oneOf?.fields.includes(field) === true);
    return isNeeded ? [field] : [];
  });
  const texts = Object.entries(example).filter(([field]) => fields[field]?.kind === "text");
  return { texts: needed[name] ?? Object.fromEntries(texts), files };
}

export interface Sent {
  /** Parameters beside, or in place of, those of `wellFormed`. */
  readonly texts?: Readonly<Record<string, string>>;
  /** In place of every file. */
  readonly file?: Uint8Array;
  /** Optional files. */
  readonly optional?: Readonly<Record<string, Uint8Array>>;
  readonly key?: string;
  readonly method?: string;
  readonly contentType?: string;
}

export async function call(operation: Operation, sent: Sent = {}): Promise<Response> {
  const { texts, files } = wellFormed(operation);
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...texts, ...sent.texts })) form.append(name, value);
  const isXml = operation.name === "invoice";
  const own = files.some((name) => name.startsWith("image")) ? image : isXml ? invoice : pdf;
  for (const name of files) form.append(name, new Blob([(sent.file ?? own).slice()]), `${name}.bin`);
  for (const [name, bytes] of Object.entries(sent.optional ?? {})) form.append(name, new Blob([bytes.slice()]), name);
  const method = sent.method ?? "POST";
  const headers = {
    Authorization: `Bearer ${sent.key ?? key}`,
    ...(sent.contentType !== undefined && { "Content-Type": sent.contentType }),
  };
  return send(`/api/v1/${operation.name}`, { method, headers, ...(method === "POST" && { body: form }) });
}

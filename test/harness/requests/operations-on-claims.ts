import { encode } from "fast-png";
import { latin1 } from "../fixtures/pdf-writer.ts";
import { chainPem, issue, keyPem } from "../signatures/certificates.ts";

/** Text parameters, and files. */
export type Parts = Readonly<Record<string, string | Uint8Array>>;

const issued = await issue({ subject: "Signer" });
const seal = { privateKey: await keyPem(issued), chain: chainPem(issued) };
export const transparentImage = (): Uint8Array => png(90);
const box = '{"page":1,"x":20,"y":20,"width":60,"height":20}';
const png = (alpha: number): Uint8Array =>
  encode({ width: 2, height: 1, channels: 4, data: Uint8Array.of(200, 0, 0, alpha, 0, 0, 200, alpha) });
export const invoice = latin1("<Invoice/>");

/** By parts of PDF/A whose claim an operation ends: the rules that the header names. */
export type Lost = Readonly<Partial<Record<string, string>>>;
const OF_ALL: Lost = { 1: "6.1.3-2", 2: "6.1.3-2", 3: "6.1.3-2", 4: "6.1.3-2" };

/** The operations that make a PDF of any PDF. */
export const operationsOnClaims: Readonly<Record<string, readonly [operation: string, parts: Parts, lost: Lost]>> = {
  rotate: ["rotate", { angle: "90" }, {}],
  crop: ["crop", { margins: "9" }, {}],
  "crop, and remove": ["crop", { margins: "60", remove: "true" }, {}],
  watermark: ["watermark", { kind: "text", text: "DRAFT", opacity: "1" }, {}],
  "watermark, transparent": ["watermark", { kind: "text", text: "DRAFT" }, { 1: "6.4-3,6.4-5" }],
  "watermark, image": ["watermark", { kind: "image", image: png(255), opacity: "1" }, {}],
  "watermark, transparent image": [
    "watermark",
    { kind: "image", image: transparentImage() },
    { 1: "6.4-1,6.4-3,6.4-5" },
  ],
  "add-page-numbers": ["add-page-numbers", { color: "#c00" }, {}],
  sign: ["sign", { mode: "type", typedName: "Ada", timestamp: "true", field: box }, {}],
  seal: ["seal", seal, {}],
  "seal, visibly": ["seal", { ...seal, field: box }, {}],
  flatten: ["flatten", {}, {}],
  "metadata, title": ["metadata", { action: "set", metadata: '{"title":"New","creationDate":"2026-01-02"}' }, {}],
  "metadata, replaced": ["metadata", { action: "set", metadata: '{"author":"Ada"}', replace: "true" }, {}],
  "metadata, custom": ["metadata", { action: "set", metadata: '{"custom":{"Reviewed":"yes"}}' }, { 4: "6.1.3-4" }],
  outline: ["outline", { action: "set", outline: '[{"title":"New","page":1}]' }, {}],
  "n-up": ["n-up", { pagesPerSheet: "2", border: "true" }, {}],
  compress: ["compress", { level: "high" }, {}],
  "compress, stripped": ["compress", { stripMetadata: "true" }, {}],
  redact: ["redact", { regions: '[{"page":1,"x":10,"y":10,"width":40,"height":40}]', label: "X" }, {}],
  protect: ["protect", { ownerPassword: "secret" }, OF_ALL],
  unlock: ["unlock", {}, {}],
  repair: ["repair", {}, {}],
  "attachments, add": [
    "attachments",
    { action: "add", attachment: invoice, name: "invoice.xml" },
    { 1: "6.1.11-1,6.1.11-2", 2: "6.8-5", 4: "6.9-5" },
  ],
  "extract-pages": ["extract-pages", { range: "1" }, {}],
  split: ["split", { mode: "pages" }, {}],
};

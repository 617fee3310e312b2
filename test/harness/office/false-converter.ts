/** A server that looks like an office converter, and responds in the way that the first part of its path names. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { encrypt } from "../fixtures/encrypted-fixtures.ts";
import { concatenate, latin1, noise, pdf, pdfString } from "../fixtures/pdf-writer.ts";
import { readForm } from "./gotenberg-form.ts";

/** A form as tests see it. */
export interface SeenForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly fileName: string;
  readonly length: number;
  readonly sha256: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Of two pages, with a title and an author. */
const converted = (): Uint8Array =>
  pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 300 200] >>",
      "<< /Type /Page /Parent 2 0 R >>",
      "<< /Type /Page /Parent 2 0 R >>",
      `<< /Title ${pdfString("The deck")} /Author ${pdfString("Its author")} /Producer ${pdfString("LibreOffice")} >>`,
    ],
    "/Root 1 0 R /Info 5 0 R",
  );

const send = (response: ServerResponse, bytes: Uint8Array): void =>
  void response.writeHead(200, { "Content-Type": "application/pdf", "Content-Length": bytes.length }).end(bytes);

const RESPONSES: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  pdf: (response) => send(response, converted()),
  garbage: (response) => send(response, latin1("no PDF at all")),
  empty: (response) => send(response, new Uint8Array()),
  /** The end is missing, which MuPDF repairs. */
  truncated: (response) => send(response, converted().slice(0, -150)),
  /** The connection ends before the PDF does. */
  short(response) {
    response.writeHead(200, { "Content-Length": 10_000 }).write(converted());
    setTimeout(() => response.destroy(), 50);
  },
  encrypted: async (response) =>
    send(response, await encrypt(converted(), { cipher: "aes-128", userPassword: "x", ownerPassword: "y" })),
  redirect: (response) => response.writeHead(307, { Location: "/office/pdf/forms/libreoffice/convert" }).end(),
  hang: () => undefined,
  /** Begins, and then sends nothing. */
  stall: (response) => response.writeHead(200, { "Content-Type": "application/pdf" }).write("%PDF-1.7\n"),
  /** Declares a length that is too large. */
  huge: (response) => response.writeHead(200, { "Content-Length": 1e9 }).write("%PDF-1.7\n"),
  endless(response) {
    const block = concatenate([latin1("%PDF-1.7\n"), noise(64 * 1024, 1)]);
    const more = (): void => {
      while (!response.destroyed && response.write(block));
    };
    response.on("drain", more).writeHead(200, { "Content-Type": "application/pdf" });
    more();
  },
};

/** The forms that have arrived, by the first part of the path. */
const seen: Record<string, SeenForm[]> = {};

/** `/office/pdf/forms/libreoffice/convert`, `/office/400/health`, and `/office/pdf/seen` for the forms. `pdf~x` is as `pdf`, with forms of its own. */
export async function respondAsConverter(response: ServerResponse, request: IncomingMessage): Promise<void> {
  const [, , how = "", ...rest] = (request.url ?? "").split("/");
  const path = rest.join("/");
  if (path === "seen") return void response.end(JSON.stringify(seen[how] ?? []));
  const status = /^\d+$/.test(how) ? Number(how) : undefined;
  if (path === "health" && how !== "hang") return void response.writeHead(status ?? 200).end('{"status":"up"}');
  if (path !== "forms/libreoffice/convert") return void (path === "health" || response.writeHead(404).end());
  const form = await readForm(request).catch((error: unknown) => {
    if (request.complete) throw error;
  });
  // The client has left.
  if (form === undefined) return;
  const { fields, fileName, bytes, headers } = form;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  (seen[how] ??= []).push({ fields, fileName, length: bytes.length, sha256, headers });
  if (status !== undefined) return void response.writeHead(status).end("a secret of the converter");
  await RESPONSES[how.split("~")[0] ?? ""]?.(response);
}

/** LibreOffice behind the form of Gotenberg 8: a converter for tests. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../engines/find-program.ts";
import { FORM_PATH, readForm, type ReceivedForm } from "./gotenberg-form.ts";

/** The LibreOffice of this machine: that of SOFFICE_PATH, else the first on PATH. Undefined if this machine has none. */
export const sofficePath: string | undefined =
  process.env["SOFFICE_PATH"] || findProgram(["soffice", "libreoffice", "soffice.bin"]);

const run = promisify(execFile);

/** The module that exports a format. */
function exportFilter(extension: string): string {
  if (/^\.(?:f?od[pg]|ppt|pptx|vsdx?)$/.test(extension)) return "impress_pdf_Export";
  return /^\.(?:f?ods|xls|xls[xb])$/.test(extension) ? "calc_pdf_Export" : "writer_pdf_Export";
}

export class LibreOffice {
  readonly #folder: string;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<LibreOffice> {
    return new LibreOffice(await mkdtemp(join(tmpdir(), "pdf-service-office-")));
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** The file in another format: an extension, or one with a filter and its options. Undefined if LibreOffice cannot read it. One at a time. */
  convert(name: string, bytes: Uint8Array | string, to: string): Promise<Uint8Array | undefined> {
    const converting = this.#last.then(() => this.#convert(name, bytes, to));
    this.#last = converting.catch(() => undefined);
    return converting;
  }

  async #convert(name: string, bytes: Uint8Array | string, to: string): Promise<Uint8Array | undefined> {
    if (sofficePath === undefined) throw new Error("LibreOffice is needed, on PATH or in SOFFICE_PATH.");
    const folder = await mkdtemp(join(this.#folder, "run-"));
    const input = join(folder, name);
    await writeFile(input, bytes);
    const profile = `-env:UserInstallation=file://${this.#folder}/profile`;
    const out = join(folder, "out");
    await run(sofficePath, ["--headless", profile, "--convert-to", to, "--outdir", out, input]).catch(() => undefined);
    const [extension] = to.split(":");
    return readFile(join(out, name.replace(/\.[^.]*$/, `.${extension}`))).catch(() => undefined);
  }

  async #toPdf({ fields, fileName, bytes }: ReceivedForm): Promise<Uint8Array | undefined> {
    const option = (name: string, type: string, value: string | undefined): readonly (readonly [string, object])[] =>
      value === undefined ? [] : [[name, { type, value }]];
    const options = Object.fromEntries([
      ...option("PageRange", "string", fields["nativePageRanges"]),
      ...option("ExportBookmarks", "boolean", fields["exportBookmarks"]),
      ...option("SinglePageSheets", "boolean", fields["singlePageSheets"]),
    ]);
    return this.convert(fileName, bytes, `pdf:${exportFilter(extname(fileName))}:${JSON.stringify(options)}`);
  }

  /** Starts a server on loopback. */
  async serve(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (request.url === "/health") return void response.end('{"status":"up"}');
      if (request.url !== FORM_PATH) return void response.writeHead(404).end();
      const pdf = await this.#toPdf(await readForm(request));
      if (pdf === undefined) return void response.writeHead(400).end("LibreOffice failed to process a document");
      response.writeHead(200, { "Content-Type": "application/pdf", "Content-Length": pdf.length }).end(pdf);
    };
    const server = createServer((request, response) => {
      respond(request, response).catch(() => response.writeHead(500).end());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      },
    };
  }
}

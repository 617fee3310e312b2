import { openPdf } from "../engines/pdfjs.ts";
import { readPdfiumPage } from "../engines/pdfium.ts";
import { runQpdf } from "../engines/qpdf.ts";

/** The file as it is, and as qpdf writes it with all of its streams decoded. */
export async function decoded(bytes: Uint8Array, password = ""): Promise<string> {
  const how = ["--qdf", "--object-streams=disable", "--decode-level=all", "--preserve-unreferenced"];
  const args = [...how, ...(password === "" ? [] : [`--password=${password}`, "--decrypt"]), "/in.pdf", "/out.pdf"];
  const { output } = await runQpdf(args, { "/in.pdf": bytes });
  return Buffer.concat([Buffer.from(bytes), Buffer.from(output ?? [])]).toString("latin1");
}

/** In each encoding that a file may have it in, in lower case. */
export function formsOf(secret: string): string[] {
  const utf16 = Buffer.from(secret, "utf16le");
  const plain = [
    Buffer.from(secret).toString("latin1"),
    utf16.toString("latin1"),
    Buffer.from(utf16).swap16().toString("latin1"),
  ];
  return [...plain, ...plain.map((form) => Buffer.from(form, "latin1").toString("hex"))].map((form) =>
    form.toLowerCase(),
  );
}

/** A file as other engines read it. */
export interface Readings {
  /** All of its bytes, and what its streams have, in lower case. */
  readonly raw: string;
  /** The text of all pages, without white space. */
  readonly pdfjs: string;
  readonly pdfium: string;
}

export async function readAll(bytes: Uint8Array, password?: string): Promise<Readings> {
  const { pages } = await openPdf(bytes, password === undefined ? {} : { password });
  const size = { width: 60, height: 80, password };
  let pdfium = "";
  for (const index of pages.keys()) pdfium += (await readPdfiumPage(bytes, index, size)).text;
  const squeezed = (text: string): string => text.normalize("NFKC").replaceAll(/[\s\u200e\u200f\u202a-\u202e]/g, "");
  return {
    raw: (await decoded(bytes, password)).toLowerCase(),
    pdfjs: squeezed(pages.map(({ text }) => text).join("")),
    pdfium: squeezed(pdfium),
  };
}

/** The tools that find a secret. */
export function whoFinds({ raw, pdfjs, pdfium }: Readings, secret: string): string[] {
  return [
    ...(formsOf(secret).some((form) => raw.includes(form)) ? ["qpdf"] : []),
    ...(pdfjs.includes(secret) ? ["pdf.js"] : []),
    ...(pdfium.includes(secret) ? ["PDFium"] : []),
  ];
}

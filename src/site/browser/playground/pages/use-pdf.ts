import { useEffect, useState } from "preact/hooks";
import type { ChosenFile } from "../../../description/form-values.ts";
import { FILES, isFileId } from "../../api/stored-files.ts";
import { openPdf, type PDFDocumentProxy } from "./pdfjs.ts";

/** Larger files are not read into the page: bytes. */
const LARGEST = 300_000_000;

/** What the pages of a file are drawn from. The policy of this page lets it load nothing from other hosts. */
export function sourceOf(file: ChosenFile | undefined): Blob | string | undefined {
  if (file === undefined) return undefined;
  if ("blob" in file) return file.blob.size > LARGEST ? undefined : file.blob;
  return isFileId(file.reference) ? `${FILES}/${encodeURIComponent(file.reference)}/content` : undefined;
}

export type OpenPdf =
  /** There is no file, or none that can be shown. */
  | { readonly state: "none" }
  | { readonly state: "opening" }
  | { readonly state: "locked" }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "open"; readonly document: PDFDocumentProxy };

/** Keeps a PDF, or one at a path of the API, open while it is shown. `locked`: none of the passwords works. */
export function usePdf(file: Blob | string | undefined, passwords: readonly string[]): OpenPdf {
  const [open, setOpen] = useState<OpenPdf>({ state: file === undefined ? "none" : "opening" });
  useEffect(() => {
    let gone = false;
    let opened: PDFDocumentProxy | undefined;
    setOpen({ state: file === undefined ? "none" : "opening" });
    if (file === undefined) return;
    openPdf(file, passwords).then(
      (document) => {
        opened = document;
        if (gone) void document?.loadingTask.destroy();
        else setOpen(document ? { state: "open", document } : { state: "locked" });
      },
      (error: unknown) => {
        if (!gone) setOpen({ state: "failed", message: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      gone = true;
      void opened?.loadingTask.destroy();
    };
  }, [file, passwords.join("\n")]);
  return open;
}

import type { InputBytes } from "../../memory/heap.ts";
import type { Archive } from "../source/archive.ts";
import type { Conversion } from "../source/document.ts";
import type { DocumentParts } from "../source/document-parts.ts";

/** How sure it is that a file has a format: by how it begins, or by how it looks. The first that is certain wins, then the first that is likely. */
export type Likelihood = "certain" | "likely" | undefined;

interface Common {
  /** In the parameter `format` and in `X-Converted-From`. */
  readonly name: string;
  /** In documents. */
  readonly title: string;
  /** The parts of a document that a PDF keeps, in Markdown. */
  readonly keeps: string;
  /** The parts that it lacks, with the names in `X-Not-Converted`, in Markdown. */
  readonly drops: string;
}

/** The beginning of a text. */
export interface TextSample {
  readonly text: string;
  /** Whether the text continues. */
  readonly isCut: boolean;
  /** The first characters without comments and the declaration of XML before them. */
  readonly start: string;
}

/** A format of text. The client can choose one for any text. */
export interface TextFormat extends Common {
  readonly kind: "text";
  /** Whether its documents refer to files, which the client sends in `assets`. */
  readonly takesAssets?: boolean;
  detect(sample: TextSample): Likelihood;
  /** @throws Refusal `invalid_file`, `invalid_parameters`, `limit_exceeded` */
  read(text: string, parts: DocumentParts): Promise<Conversion>;
}

/** What identifies a package (ECMA-376, part 2). */
export interface PackageSample {
  readonly names: readonly string[];
  /** The content of `[Content_Types].xml`; undefined until the names did not decide. */
  readonly contentTypes?: string;
  /** The content of the entry `mimetype`, which OpenDocument (part 2, 3.3) and EPUB (OCF, 4.3) have. */
  readonly mediaType?: string | undefined;
  /** The name of the main part, which programs choose. */
  readonly main?: string | undefined;
}

/** A format of files in a ZIP archive. */
export interface PackageFormat extends Common {
  readonly kind: "package";
  detect(sample: PackageSample): Likelihood;
  /** @throws Refusal `invalid_file`, `limit_exceeded` */
  read(archive: Archive, parts: DocumentParts): Promise<Conversion>;
}

/** A format that is neither text in one encoding nor an archive. */
export interface BytesFormat extends Common {
  readonly kind: "bytes";
  /** `head`: the first bytes, a character for each. */
  detect(head: string): Likelihood;
  /** @throws Refusal `invalid_file`, `limit_exceeded` */
  read(bytes: InputBytes, parts: DocumentParts): Promise<Conversion>;
}

/** A format of text that only a browser reads. */
export interface DrawingFormat extends Common {
  readonly kind: "drawing";
  detect(sample: TextSample): Likelihood;
  /** Adds the namespaces that a drawing may lack in HTML (HTML Standard, 13.1.2), where it was taken from. */
  prepare(text: string): string;
}

export type SourceFormat = TextFormat | DrawingFormat | PackageFormat | BytesFormat;

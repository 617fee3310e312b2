/** A document that becomes PDF/A (ISO 19005), as the steps of the conversion see it. */
import type { LoadFont } from "../../fonts.ts";
import type { ModelDocument } from "../conformance/model/document.ts";
import type { Survey } from "../conformance/validate.ts";
import type { OpenPdf } from "../document/document.ts";

export const ARCHIVE_PROFILES = ["2b", "2u", "3b", "3u"] as const;

export type ArchiveProfile = (typeof ARCHIVE_PROFILES)[number];

/** A property of an extension schema (ISO 19005-2, 6.6.2.3), and its value, which is text. */
export interface XmpSchemaProperty {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

/** Properties that PDF/A has not predefined, and their descriptions. */
export interface XmpSchema {
  readonly namespace: string;
  readonly prefix: string;
  /** The name of the schema in words. */
  readonly name: string;
  readonly properties: readonly XmpSchemaProperty[];
}

/** What of a document is removed, by kinds of changes. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ["scripts_removed", "scripts"],
  ["actions_removed", "actions"],
  ["signatures_removed", "signatures"],
  ["permissions_removed", "permissions"],
  ["encryption_removed", "encryption"],
  ["xfa_removed", "xfa"],
  ["annotations_removed", "annotations"],
  ["hidden_annotations_removed", "annotations"],
  ["presentations_removed", "presentations"],
  ["requirements_removed", "requirements"],
  ["external_streams_removed", "external-streams"],
  ["metadata_properties_removed", "metadata"],
  ["object_metadata_removed", "metadata"],
  ["private_data_removed", "private-data"],
  ["postscript_removed", "postscript"],
]);

/** The number of changes of each kind, such as `fonts_embedded`. */
export class ArchiveChanges {
  /** The names of fonts that the document lacks, and that other fonts replace. */
  readonly substitutedFonts = new Set<string>();
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  /** In the order in which the kinds first occurred. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** What the output no longer has, such as `scripts`. */
  get removed(): ReadonlySet<string> {
    return new Set([...this.#counts.keys()].flatMap((kind) => REMOVED.get(kind) ?? []));
  }
}

export interface ArchiveTarget {
  readonly open: OpenPdf;
  readonly profile: ArchiveProfile;
  /** The part of ISO 19005. */
  readonly part: 2 | 3;
  /** Level u: every code that is shown has a meaning in Unicode. */
  readonly isUnicode: boolean;
  readonly schemas: readonly XmpSchema[];
  readonly loadFont: LoadFont;
  readonly changes: ArchiveChanges;
}

/** The same with its objects, read when its annotations and forms were done. */
export interface SurveyedTarget extends ArchiveTarget {
  readonly model: ModelDocument;
  /** The elements that break rules. */
  readonly survey: Survey;
}

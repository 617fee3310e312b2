/**
 * Makes a document PDF/A (ISO 19005) by the least change of its objects. Pages are not drawn anew: text, tags, links, forms, and layers stay. Only
 * validation shows whether the result conforms (prove.ts).
 */
import type { LoadFont } from "../../fonts.ts";
import { profileFacts } from "../conformance/model/profiles.ts";
import { readChangedDocument } from "../conformance/model/document.ts";
import { surveyObjects } from "../conformance/validate.ts";
import type { OpenPdf } from "../document/document.ts";
import { changeMetadata } from "../metadata/metadata.ts";
import { textString } from "../objects/text-string.ts";
import { archiveAnnotations } from "./annotations.ts";
import { archiveCatalog } from "./catalog.ts";
import { archiveColors } from "./colors.ts";
import { archiveContents } from "./content.ts";
import { archiveFonts } from "./fonts/archive-fonts.ts";
import { findShownFonts, makeFontsIndirect, ShownFonts } from "./fonts/shown-fonts.ts";
import { archiveJpx } from "./jpx.ts";
import { archiveLongStrings } from "./long-strings.ts";
import { archiveMetadata } from "./metadata.ts";
import { archiveObjects } from "./objects.ts";
import { archiveBoxes } from "./page-boxes.ts";
import { archiveStreams } from "./streams.ts";
import {
  ArchiveChanges,
  type ArchiveProfile,
  type ArchiveTarget,
  type SurveyedTarget,
  type XmpSchema,
} from "./target.ts";

/** Changes of objects and contents after which the same codes are shown in the same fonts. */
const KEEP_FONTS: ReadonlySet<string> = new Set([
  "actions_removed",
  "attachments_described",
  "blend_modes_corrected",
  "form_entries_removed",
  "halftones_removed",
  "image_entries_removed",
  "images_not_interpolated",
  "numbers_corrected",
  "presentations_removed",
  "rendering_intents_corrected",
  "scripts_removed",
  "separations_unified",
  "transfer_functions_removed",
]);

export interface ArchiveOptions {
  readonly profile: ArchiveProfile;
  readonly loadFont: LoadFont;
  /** Properties that PDF/A has not predefined, with their values. */
  readonly schemas?: readonly XmpSchema[];
  /** A language tag (BCP 47) for the whole document; without one, its own stays. */
  readonly language?: string | undefined;
  /** Without one, its own stays. */
  readonly title?: string | undefined;
}

export interface ArchiveReport {
  readonly changes: ArchiveChanges;
  /** Embedded files. */
  readonly attachments: number;
}

/**
 * Changes the document in memory. The caller writes it without encryption.
 * @throws Refusal `limit_exceeded`, `overloaded`, `unsupported_text` if a field shows text that no font has
 */
export async function archive(open: OpenPdf, options: ArchiveOptions): Promise<ArchiveReport> {
  const { profile, loadFont, schemas = [], language, title } = options;
  const changes = new ArchiveChanges();
  const { part } = profileFacts(profile);
  const target: ArchiveTarget = {
    open,
    profile,
    part: part === 3 ? 3 : 2,
    isUnicode: profile.endsWith("u"),
    schemas,
    loadFont,
    changes,
  };
  if (open.encrypted) changes.add("encryption_removed");
  const { document, engine } = open;
  if (language !== undefined) {
    const root = document.getTrailer().get("Root");
    root.put("Lang", textString(root, language));
  }
  if (title !== undefined) {
    await changeMetadata(engine, document, { entries: new Map([["Title", title]]), clears: "none" });
  }
  await archiveCatalog(target);
  await archiveStreams(target);
  await archiveAnnotations(target);
  await makeFontsIndirect(open);
  using model = await readChangedDocument(open);
  const fonts = new ShownFonts(model, profile);
  const surveyed: SurveyedTarget = { ...target, model, survey: await surveyObjects(model, profile, fonts.check) };
  archiveBoxes(surveyed);
  archiveJpx(surveyed);
  await archiveLongStrings(surveyed);
  const earlier = new Map(changes.counts);
  const { attachments } = await archiveObjects(surveyed);
  await archiveContents(surveyed);
  const areSame = [...changes.counts].every(([kind, count]) => KEEP_FONTS.has(kind) || earlier.get(kind) === count);
  await archiveFonts(surveyed, areSame ? fonts.list : await findShownFonts(open, profile));
  await archiveColors(surveyed);
  await archiveMetadata(surveyed);
  return { changes, attachments };
}

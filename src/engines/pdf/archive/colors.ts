/** Output intents and default color spaces, which give device colors their meaning (ISO 19005-2, 6.2.3 and 6.2.4). */
import type { PDFDocument, PDFObject } from "mupdf";
import { srgbProfile } from "../../image/gamma-profile.ts";
import { readIcc } from "../conformance/model/icc.ts";
import { forEachContent, readStream } from "../content/streams.ts";
import { entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import type { OpenPdf } from "../document/document.ts";
import type { SurveyedTarget } from "./target.ts";

/** The rules about device colors. */
const [OF_RGB, OF_CMYK, OF_GRAY, OF_TRANSPARENCY] = ["6.2.4.3-2", "6.2.4.3-3", "6.2.4.3-4", "6.2.10-2"];
const INTENT = "GTS_PDFA1";
const COMPONENTS: Readonly<Record<string, number>> = { "RGB ": 3, CMYK: 4, GRAY: 1 };
const CLASSES = new Set(["prtr", "mntr"]);

export async function archiveColors(target: SurveyedTarget): Promise<void> {
  const { survey, changes } = target;
  const uses = (rule: string): boolean => survey.has(rule);
  const [rgb, cmyk, gray, transparency] = [uses(OF_RGB), uses(OF_CMYK), uses(OF_GRAY), uses(OF_TRANSPARENCY)];
  const present = await keepIntent(target);
  if (present === undefined && !rgb && !cmyk && !gray && !transparency) return;
  // A page whose colors are CMYK only keeps them; transparency would be blended in CMYK, which looks different.
  const space = present ?? (cmyk && !rgb && !transparency ? "CMYK" : "RGB ");
  if (present === undefined) {
    addIntent(target, space);
    changes.add("output_intents_added");
  }
  const defaults = new Map<string, PDFObject>();
  if (rgb && space !== "RGB ") defaults.set("DefaultRGB", spaceOf(target, "RGB "));
  if (cmyk && space !== "CMYK") defaults.set("DefaultCMYK", spaceOf(target, "CMYK"));
  if (defaults.size === 0) return;
  await addDefaults(target, defaults);
  if (defaults.has("DefaultCMYK")) await withoutOverprintMode(target);
}

/**
 * Keeps a profile that an output intent of the document has, if PDF/A accepts it. Returns its color space; undefined if there is none.
 */
async function keepIntent({ open, changes }: SurveyedTarget): Promise<string | undefined> {
  const { document } = open;
  const root = document.getTrailer().get("Root");
  const intents = items(root.get("OutputIntents")).filter((intent) => intent.isDictionary());
  if (intents.length === 0) return undefined;
  const ordered = [...intents].sort(
    (a, b) => Number(isNamed(b.get("S"), INTENT)) - Number(isNamed(a.get("S"), INTENT)),
  );
  for (const intent of ordered) {
    const profile = intent.get("DestOutputProfile");
    const icc = readIcc(profile.isStream() ? await readStream(open, profile) : undefined);
    const components = COMPONENTS[icc.space];
    if (!icc.isReadable || components === undefined || !CLASSES.has(icc.deviceClass) || icc.major >= 5) continue;
    if (profile.get("N").asNumber() !== components) profile.put("N", components);
    // All intents have the same profile (6.2.3).
    const condition = textOf(intent.get("OutputConditionIdentifier")) ?? "Custom";
    const list = document.newArray();
    list.push(intentOf(document, profile, condition));
    for (const other of intents) {
      if (isNamed(other.get("S"), INTENT)) continue;
      if (!other.get("DestOutputProfileRef").isNull()) other.delete("DestOutputProfileRef");
      if (!other.get("DestOutputProfile").isNull()) other.put("DestOutputProfile", profile);
      list.push(other);
    }
    root.put("OutputIntents", list);
    return icc.space;
  }
  root.delete("OutputIntents");
  changes.add("output_intents_removed", intents.length);
  return undefined;
}

const textOf = (value: PDFObject): string | undefined => (value.isString() ? value.asString() : undefined);

function intentOf(document: PDFDocument, profile: PDFObject, condition: string): PDFObject {
  return document.addObject({
    Type: "OutputIntent",
    S: INTENT,
    OutputConditionIdentifier: document.newString(condition),
    Info: document.newString(condition),
    DestOutputProfile: profile,
  });
}

function addIntent({ open }: SurveyedTarget, space: string): void {
  const { document } = open;
  const profile = profileOf(open, space);
  const list = document.newArray();
  list.push(intentOf(document, profile, space === "CMYK" ? "CMYK" : "sRGB"));
  document.getTrailer().get("Root").put("OutputIntents", list);
}

function profileOf({ document, engine }: OpenPdf, space: string): PDFObject {
  const bytes = space === "CMYK" ? engine.cmykProfile() : srgbProfile();
  return document.addStream(bytes, { N: COMPONENTS[space] });
}

function spaceOf({ open }: SurveyedTarget, space: string): PDFObject {
  const { document } = open;
  const array = document.newArray();
  array.push(document.newName("ICCBased"));
  array.push(profileOf(open, space));
  return document.addObject(array);
}

/** Adds default color spaces to the resources of all contents. Those that are there stay. */
async function addDefaults({ open, changes }: SurveyedTarget, defaults: ReadonlyMap<string, PDFObject>): Promise<void> {
  const { document, engine } = open;
  const numbers = new Map([...defaults].map(([name, space]) => [name, objectNumber(space)]));
  await forEachContent(open, async ({ kind, owner, resources: found }) => {
    await engine.work.pause();
    let resources = owner.get("Resources");
    if (!resources.isDictionary()) {
      if (kind === "page" || kind === "glyph") resources = found;
      if (!resources.isDictionary()) {
        if (kind === "glyph") return;
        resources = found.isDictionary() ? found : document.newDictionary();
        owner.put("Resources", resources);
        resources = owner.get("Resources");
      }
    }
    if (!resources.get("ColorSpace").isDictionary()) resources.put("ColorSpace", document.newDictionary());
    const spaces = resources.get("ColorSpace");
    for (const [name, number] of numbers) {
      const there = spaces.get(name);
      // A default that is a name stands for nothing.
      if (!there.isNull() && !there.isName()) continue;
      spaces.put(name, document.newIndirect(number));
      changes.add("default_color_spaces_added");
    }
  });
}

/** ICC profiles of CMYK are not painted with overprint mode 1 (6.2.4.2). */
async function withoutOverprintMode({ open, changes }: SurveyedTarget): Promise<void> {
  await eachObjectHaving(open, { keys: ["OPM", "ExtGState"] }, (object) => {
    const states = [object, ...entries(open.engine, object.get("ExtGState")).map(({ value }) => value)];
    for (const state of states) {
      if (!state.isDictionary() || state.get("OPM").asNumber() !== 1) continue;
      state.put("OPM", 0);
      changes.add("overprint_modes_changed");
    }
  });
}

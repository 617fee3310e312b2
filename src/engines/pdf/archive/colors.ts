/** Output intents and default color spaces, which give device colors their meaning (ISO 19005-2, 6.2.3 and 6.2.4). */
import type { PDFDocument, PDFObject } from "mupdf";
import { srgbProfile } from "../../image/gamma-profile.ts";
import { INPUT_CLASSES } from "../conformance/rules/graphics.ts";
import { readIcc } from "../conformance/model/icc.ts";
import { forEachContent, readStream } from "../content/streams.ts";
import { entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import type { OpenPdf } from "../document/document.ts";
import type { SurveyedTarget } from "./target.ts";

/** The rules about device colors. */
const [OF_RGB, OF_CMYK, OF_GRAY, OF_TRANSPARENCY] = ["6.2.4.3-2", "6.2.4.3-3", "6.2.4.3-4", "6.2.10-2"];
/** The rules about ICCBased spaces: their profiles, and that those of CMYK are not painted with overprint mode 1. */
const [PROFILES, OVERPRINT] = ["6.2.4.2-1", "6.2.4.2-2"];
const INTENT = "GTS_PDFA1";
const COMPONENTS: Readonly<Record<string, number>> = { "RGB ": 3, CMYK: 4, GRAY: 1 };
const CLASSES = new Set(["prtr", "mntr"]);
/** The same by number of components. */
const SPACES: Readonly<Record<number, string>> = { 1: "GRAY", 3: "RGB ", 4: "CMYK" };
const DEFAULTS: Readonly<Record<string, string>> = { "RGB ": "DefaultRGB", CMYK: "DefaultCMYK" };

export async function archiveColors(target: SurveyedTarget): Promise<void> {
  const { survey, changes } = target;
  if (survey.has(OVERPRINT)) await withoutOverprintMode(target);
  replaceProfiles(target);
  const uses = (rule: string): boolean => survey.has(rule);
  const [rgb, cmyk, gray, transparency] = [uses(OF_RGB), uses(OF_CMYK), uses(OF_GRAY), uses(OF_TRANSPARENCY)];
  const { space: present, other } = await keepIntent(target);
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
  // Readers show device colors by the profile of an intent that is removed.
  const name = other ? DEFAULTS[other.space] : undefined;
  if (other && name !== undefined && (other.space === "CMYK" ? cmyk : rgb))
    defaults.set(name, iccBased(target, other.profile));
  if (defaults.size === 0) return;
  await addDefaults(target, defaults);
  if (defaults.has("DefaultCMYK")) await withoutOverprintMode(target);
}

/** Gives ICCBased spaces profiles of our own instead of those that PDF/A forbids, or that are damaged. Readers show these by their number of components. */
function replaceProfiles({ open, survey, changes }: SurveyedTarget): void {
  for (const number of new Set((survey.get(PROFILES) ?? []).map(({ object }) => object))) {
    open.engine.scope(() => {
      const profile = open.document.newIndirect(number);
      const space = SPACES[profile.get("N").asNumber()];
      if (space === undefined) return;
      for (const key of ["Filter", "DecodeParms", "Alternate", "Range"])
        if (!profile.get(key).isNull()) profile.delete(key);
      profile.writeStream(profileBytes(open, space));
      changes.add("profiles_replaced");
    });
  }
}

interface KeptIntent {
  /** The color space of the intent; undefined if none is left. */
  readonly space?: string;
  /** A profile that an intent may not have, but other color spaces may. */
  readonly other?: { readonly space: string; readonly profile: PDFObject };
}

/** Keeps a profile that an output intent of the document has, if PDF/A accepts it. */
async function keepIntent({ open, changes }: SurveyedTarget): Promise<KeptIntent> {
  const { document } = open;
  const root = document.getTrailer().get("Root");
  const intents = items(root.get("OutputIntents")).filter((intent) => intent.isDictionary());
  if (intents.length === 0) return {};
  const ordered = [...intents].sort(
    (a, b) => Number(isNamed(b.get("S"), INTENT)) - Number(isNamed(a.get("S"), INTENT)),
  );
  let other: KeptIntent["other"];
  for (const intent of ordered) {
    const profile = intent.get("DestOutputProfile");
    const icc = readIcc(profile.isStream() ? await readStream(open, profile) : undefined);
    const components = COMPONENTS[icc.space];
    if (!icc.isReadable || components === undefined || icc.major >= 5) continue;
    if (!CLASSES.has(icc.deviceClass)) {
      if (INPUT_CLASSES.has(icc.deviceClass)) other ??= { space: icc.space, profile };
      continue;
    }
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
    return { space: icc.space };
  }
  root.delete("OutputIntents");
  changes.add("output_intents_removed", intents.length);
  return other ? { other } : {};
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

function profileOf(open: OpenPdf, space: string): PDFObject {
  return open.document.addStream(profileBytes(open, space), { N: COMPONENTS[space] });
}

const profileBytes = ({ engine }: OpenPdf, space: string): Uint8Array =>
  space === "CMYK" ? engine.cmykProfile() : srgbProfile(space === "GRAY" ? 1 : 3);

const spaceOf = (target: SurveyedTarget, space: string): PDFObject => iccBased(target, profileOf(target.open, space));

function iccBased({ open: { document } }: SurveyedTarget, profile: PDFObject): PDFObject {
  const array = document.newArray();
  array.push(document.newName("ICCBased"));
  array.push(profile);
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

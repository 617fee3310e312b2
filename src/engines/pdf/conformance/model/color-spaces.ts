/** The color spaces that content uses (ISO 32000-2, 8.6). */
import type { Device, GivenSpace, IccFacts } from "./elements.ts";
import { type Plain, PlainDictionary, PlainName, PlainReference } from "../../objects/plain-values.ts";
import type { Check } from "./check.ts";
import { isArray, type ModelDocument } from "./document.ts";
import { readIcc } from "./icc.ts";
import type { ResourceScope } from "./resources.ts";

/** Where a color space is used. */
export interface ColorPlace {
  readonly object: number;
  readonly page: number | undefined;
  readonly intent: GivenSpace | undefined;
  readonly blending: GivenSpace | undefined;
}

const DEVICES: ReadonlyMap<string, Device> = new Map([
  ["DeviceGray", "DeviceGray"],
  ["DeviceRGB", "DeviceRGB"],
  ["DeviceCMYK", "DeviceCMYK"],
  ["G", "DeviceGray"],
  ["RGB", "DeviceRGB"],
  ["CMYK", "DeviceCMYK"],
]);
const DEFAULTS: Readonly<Record<Device, string>> = {
  DeviceGray: "DefaultGray",
  DeviceRGB: "DefaultRGB",
  DeviceCMYK: "DefaultCMYK",
};
/** Spaces within each other. */
const MOST_NESTING = 8;
/** Colorants that are no spot colors. */
const PROCESS = new Set(["Cyan", "Magenta", "Yellow", "Black", "None"]);

/** Fuel per color space, and per value that is compared. */
const [SPACE_WORK, VALUE_WORK] = [200, 20];

const keyOf = (space: number, { intent, blending }: ColorPlace): string =>
  [space, intent?.space, intent?.profile?.object, blending?.space, blending?.profile?.object].join(" ");

/** The colorants of a DeviceN space, and those that it must describe and does not (ISO 19005-2, 6.2.4.4). */
export function colorantsOf(
  document: ModelDocument,
  array: readonly Plain[],
): { readonly colorants: readonly string[]; readonly missing: readonly string[] } {
  const colorants = document.items(array[1]).flatMap((item) => document.name(item) ?? []);
  const attributes = document.dictionary(array[4]);
  const described = document.dictionary(attributes, "Colorants");
  const process = new Set(document.items(attributes, "Process", "Components").map((item) => document.name(item)));
  const isDescribed = (name: string): boolean =>
    PROCESS.has(name) || process.has(name) || described?.entries.has(name) === true;
  return { colorants, missing: colorants.filter((name) => !isDescribed(name)) };
}

/** Checks the color spaces of a document. */
export class ColorSpaces {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #profiles = new Map<number, IccFacts>();
  readonly #seen = new Set<string>();
  /** Numbers of arrays. */
  readonly #arrays = new Map<readonly Plain[], number>();
  /** The results of comparisons of objects. */
  readonly #same = new Map<string, boolean>();
  /** The first space of each name of a separation. */
  readonly #separations = new Map<string, readonly Plain[]>();

  constructor(document: ModelDocument, check: Check) {
    this.#document = document;
    this.#check = check;
  }

  /** A space by the name that an operator or an image gives, or its array. */
  async use(space: Plain, resources: ResourceScope, place: ColorPlace, depth = 0): Promise<void> {
    if (depth > MOST_NESTING) return;
    const { work } = this.#document.open.engine;
    work.spend(SPACE_WORK);
    await work.pause();
    const value = this.#document.resolve(space);
    if (value instanceof PlainName) {
      await this.#useNamed(value.value, resources, place, depth);
      return;
    }
    if (!isArray(value)) return;
    // An array is the same for all that use it, but for the intent of their page. It may use itself by a name.
    const number = this.#arrays.get(value) ?? this.#arrays.size;
    this.#arrays.set(value, number);
    const key = keyOf(number, place);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const at = space instanceof PlainReference ? { ...place, object: space.number } : place;
    await this.#useArray(value, resources, at, depth);
  }

  async #useNamed(name: string, resources: ResourceScope, place: ColorPlace, depth: number): Promise<void> {
    const device = DEVICES.get(name);
    if (device === undefined) {
      const found = resources.peek("ColorSpace", name);
      const resolved = this.#document.resolve(found);
      const isItself = resolved instanceof PlainName && resolved.value === name;
      if (found !== null && !isItself) await this.use(found, resources, place, depth + 1);
      return;
    }
    const other = resources.peek("ColorSpace", DEFAULTS[device]);
    const value = this.#document.resolve(other);
    if (value !== null && !(value instanceof PlainName)) {
      await this.use(other, resources, place, depth + 1);
      return;
    }
    const { object, page, intent, blending } = place;
    const given = { intent: intent?.space, blending: blending?.space };
    this.#check("deviceColor", { space: device, ...given }, { object, page, context: device });
  }

  async #useArray(value: readonly Plain[], resources: ResourceScope, place: ColorPlace, depth: number): Promise<void> {
    const document = this.#document;
    const family = document.name(value[0]);
    const inner = (item: Plain | undefined): Promise<void> => this.use(item ?? null, resources, place, depth + 1);
    if (family === "ICCBased") await this.#useProfile(value, place);
    else if (family === "Indexed" || family === "I" || family === "Pattern") await inner(value[1]);
    else if (family === "Separation") {
      await this.#checkSeparation(value, place);
      await inner(value[2]);
    } else if (family === "DeviceN") {
      await this.#checkDeviceN(value, resources, place, depth);
      await inner(value[2]);
    } else if (family !== undefined && value.length === 1) await inner(value[0]);
  }

  /** The profile of an ICCBased space. */
  async profileOf(
    space: Plain,
  ): Promise<(IccFacts & { readonly object: number; readonly profile: PlainDictionary }) | undefined> {
    const array = this.#document.resolve(space);
    if (!isArray(array) || this.#document.name(array[0]) !== "ICCBased") return undefined;
    const stream = this.#document.stream(array[1]);
    if (!stream) return undefined;
    let facts = this.#profiles.get(stream.object);
    if (!facts) {
      facts = readIcc(await this.#document.data(stream));
      this.#profiles.set(stream.object, facts);
    }
    return { ...facts, object: stream.object, profile: stream };
  }

  async #useProfile(array: readonly Plain[], place: ColorPlace): Promise<void> {
    const stream = this.#document.stream(array[1]);
    const icc = await this.profileOf(array);
    const components = this.#document.number(stream, "N");
    if (!icc) return;
    const isGiven = (await this.#hasProfile(stream, place.intent)) || (await this.#hasProfile(stream, place.blending));
    this.#check(
      "iccSpace",
      { ...icc, components, isGiven },
      { object: icc.object, page: place.page, context: "ICCBased" },
    );
  }

  /** Whether an intent or a group has the profile, in the same stream or another with the same data. */
  async #hasProfile(profile: PlainDictionary | undefined, given: GivenSpace | undefined): Promise<boolean> {
    if (!profile || !given?.profile) return false;
    return profile === given.profile || this.#hasSameData(profile, given.profile);
  }

  async #checkSeparation(array: readonly Plain[], { object, page }: ColorPlace): Promise<void> {
    const name = this.#document.name(array[1]) ?? "";
    const first = this.#separations.get(name);
    if (!first) this.#separations.set(name, array);
    const isConsistent =
      !first || ((await this.#isSame(first[2], array[2])) && (await this.#isSame(first[3], array[3])));
    this.#check("unicodeName", { name }, { object, page });
    this.#check("separation", { name, isConsistent }, { object, page, context: name });
  }

  async #checkDeviceN(
    array: readonly Plain[],
    resources: ResourceScope,
    place: ColorPlace,
    depth: number,
  ): Promise<void> {
    const document = this.#document;
    const { object, page } = place;
    const { colorants, missing } = colorantsOf(document, array);
    const attributes = document.dictionary(array[4]);
    const described = document.dictionary(attributes, "Colorants");
    for (const name of colorants) this.#check("unicodeName", { name }, { object, page });
    this.#check("deviceN", { colorants, missing }, { object, page, context: colorants.slice(0, 4).join(", ") });
    for (const space of described?.entries.values() ?? []) await this.use(space, resources, place, depth + 1);
    if (document.has(attributes, "Process")) {
      const space = document.dictionary(attributes, "Process")?.entries.get("ColorSpace");
      if (space !== undefined) await this.use(space, resources, place, depth + 1);
    }
  }

  /** Whether two values are equal, which references to the same object are. */
  async #isSame(a: Plain | undefined, b: Plain | undefined, depth = 0): Promise<boolean> {
    const { work } = this.#document.open.engine;
    work.spend(VALUE_WORK);
    await work.pause();
    if (a instanceof PlainReference && b instanceof PlainReference) {
      if (a.number === b.number) return true;
      const key = `${a.number} ${b.number}`;
      const known = this.#same.get(key);
      if (known !== undefined) return known;
      // Until they are compared: of values that have themselves, only the rest differs.
      this.#same.set(key, true);
      const isSame = await this.#areEqual(a, b, depth);
      this.#same.set(key, isSame);
      return isSame;
    }
    return this.#areEqual(a, b, depth);
  }

  async #areEqual(a: Plain | undefined, b: Plain | undefined, depth: number): Promise<boolean> {
    const [one, other] = [this.#document.resolve(a), this.#document.resolve(b)];
    if (depth > MOST_NESTING) return false;
    if (one instanceof PlainName) return other instanceof PlainName && one.value === other.value;
    if (isArray(one)) {
      if (!isArray(other) || one.length !== other.length) return false;
      for (const [at, item] of one.entries()) if (!(await this.#isSame(item, other[at], depth + 1))) return false;
      return true;
    }
    if (!(one instanceof PlainDictionary)) return one === other;
    if (!(other instanceof PlainDictionary) || one.isStream !== other.isStream) return false;
    if (one.entries.size !== other.entries.size) return false;
    for (const [key, item] of one.entries)
      if (!(await this.#isSame(item, other.entries.get(key), depth + 1))) return false;
    return !one.isStream || this.#hasSameData(one, other);
  }

  async #hasSameData(one: PlainDictionary, other: PlainDictionary): Promise<boolean> {
    const [first, second] = [await this.#document.data(one), await this.#document.data(other)];
    if (first === undefined || first.length !== second?.length) return false;
    this.#document.open.engine.work.spend(first.length);
    return first.every((byte, at) => byte === second[at]);
  }
}

/**
 * The changes in a document after a revision of it was signed, object by object, and whether signatures may allow them (ISO 32000-2, 12.8.2.2).
 * A change is recognized only by its place: an entry of the catalog, the form, a field, or a page, found from the trailer on. An object that changes
 * there must not be used anywhere else, since that would change, too. Every other changed object is a forbidden change.
 */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { pageAt } from "../document/page-tree.ts";
import type { PageBox } from "../../geometry.ts";
import { type Box, coverageOf, shownBox } from "./covered-content.ts";
import { isWidget } from "../document/fields.ts";
import { entries, isNamed, items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import { storeProblem } from "./security-store.ts";
import {
  isAppearance,
  isDictionary,
  isFieldValue,
  isFile,
  isPlain,
  isTextValue,
  isVisible,
  isXmp,
  namesInAppearances,
  newWidgetProblem,
} from "./entry-values.ts";
import { canonical, contentOf, type Difference } from "./difference.ts";
import { keysOf, TRAILER, TRAILER_REST } from "./references.ts";

/** The permission that a change needs: none, filling in forms, changing annotations, or one that no signature gives. */
export type ChangeLevel = "always" | "form-filling" | "annotations" | "never";

export type ChangeKind = "form-field" | "signature" | "annotation" | "validation-data" | "metadata" | "other";

export interface RevisionChange {
  readonly kind: ChangeKind;
  readonly level: ChangeLevel;
  /** The number of the changed object; 0 for the trailer. */
  readonly object: number;
  /** 1-based. */
  readonly page?: number;
  /** Of a field that is seen: where, and whether it is over text or images of the page. */
  readonly box?: Box;
  readonly coversContent?: boolean;
  /** Full name. */
  readonly field?: string;
  /** A sentence. */
  readonly text: string;
}

/** A value of the earlier revision, and the number of the object that it is in. */
interface Place {
  readonly object: PDFObject;
  readonly holder: number;
}

/** Values that a field inherits from its parent. */
interface Parent {
  readonly type: PDFObject;
  readonly isFilled: boolean;
}

/** Judges an entry whose value may have changed. */
type Judge = (before: Place, after: PDFObject, isSame: boolean) => void;

/** Fuel per page, field, and annotation. */
const NODE_WORK = 500;

/** Flags that a lock sets: of a field (table 227), and of an annotation (table 167). */
const READ_ONLY_FIELD = 1;
const LOCKED_ANNOTATION = 64 | 128 | 512;

/** `Ff` of a push button, which has no value (table 229). */
const PUSH_BUTTON = 1 << 16;

/** Entries that refer to a field, an annotation, or a list of them for its role. An indirect array is a list without a name. */
const FIELD_KEYS = new Set(["Fields", "Kids", "Parent", "Annots", "CO", "Obj", "T", "IRT", "Popup", ""]);

/** Entries of the information dictionary that every writer sets. */
const WRITER_ENTRIES = new Set(["ModDate", "Producer"]);

/** Compares two revisions. Returns the changes in the order of their places. */
export async function changesBetween(difference: Difference): Promise<RevisionChange[]> {
  try {
    return await new Comparison(difference).run();
  } finally {
    difference.references?.release();
  }
}

class Comparison {
  readonly #difference: Difference;
  readonly #engine: PdfEngine;
  readonly #texts: TextReader;
  readonly #changes: RevisionChange[] = [];
  /** Numbers of objects that are judged by their role, whoever refers to them: the catalog, pages, fields, annotations. */
  readonly #judged = new Set<number>();
  /** References from judged places to judged or changeable objects: their number, by holder, by target. */
  readonly #followed = new Map<number, Map<number, number>>();
  /** Numbers of all that was followed to, and of those whose other entries were compared, so that they lead to nothing else that changed. */
  readonly #targets = new Set<number>();
  readonly #compared = new Set<number>([TRAILER]);
  /** Values that may change with all that is below them. Followed when the fields and pages, which they may lead to, are known. */
  readonly #free: { readonly place: Place; readonly change: () => void }[] = [];
  /** Numbers of forms. They are neither pages nor fields, but must not change with an object that refers to them. */
  readonly #forms = new Set<number>();
  /** Numbers of objects that were followed. */
  readonly #released = new Set<number>();
  /** Numbers of the fields and widgets of the earlier revision, and of widgets of new signature fields. */
  readonly #fields = new Set<number>();
  readonly #newWidgets = new Set<number>();
  /** Numbers of the signatures that were added. */
  readonly #signatures = new Set<number>();
  /** The widgets of the later revision that a change draws anew, by their numbers. */
  readonly #drawn = new Map<RevisionChange, ReadonlyMap<number, PageBox>>();
  /** The pages (1-based) of the later revision that a widget is on, by its number. */
  readonly #pagesOf = new Map<number, number[]>();
  /** Whether the metadata of the later revision, if they are others, are XMP. */
  #hasXmp = false;

  /** The names in the default appearances of the earlier revision. */
  #namedByFields: ReadonlySet<string> = new Set();

  constructor(difference: Difference) {
    this.#difference = difference;
    this.#engine = difference.after.engine;
    this.#texts = new TextReader(this.#engine);
  }

  async run(): Promise<RevisionChange[]> {
    const { before, after, changed, removed } = this.#difference;
    const [earlier, later] = [before.document.getTrailer(), after.document.getTrailer()];
    const pages = await this.#pairPages();
    const [old, now] = [earlier, later].map((trailer) => trailer.get("Root", "Metadata"));
    if (now && ((old && objectNumber(old)) !== objectNumber(now) || changed.has(objectNumber(now))))
      this.#hasXmp = await isXmp(this.#engine, now);
    this.#namedByFields = await namesInAppearances(before);
    this.#compareTrailers({ object: earlier, holder: TRAILER }, later);
    this.#releaseAll();
    for (const [index, number] of pages.entries()) {
      if (!this.#mayDiffer(index, number)) continue;
      await this.#engine.work.pause();
      this.#engine.scope(() => {
        const [old, now] = [before, after].map(({ document }) => document.newIndirect(number));
        if (old && now) this.#comparePage({ object: old, holder: number }, now, index + 1);
        this.#releaseAll();
      });
    }
    const reached = await this.#difference.references?.reachedFrom(
      [TRAILER_REST, ...this.#compared, ...this.#judged],
      this.#followed,
    );
    for (const number of changed) {
      await this.#engine.work.pause();
      if (removed.has(number)) this.#forbid(number, `Object ${number} was deleted.`);
      else if (!this.#isExplained(number, reached)) this.#forbid(number, `Object ${number} was changed.`);
    }
    if (reached) await this.#checkFields(reached);
    return this.#withPlaces();
  }

  /** A field that changes is used as a field alone: as a dictionary of resources, for example, its value would be a color space. */
  async #checkFields(reached: ReadonlySet<number>): Promise<void> {
    const { before, changed, users } = this.#difference;
    const fields = new Set([...changed].filter((number) => this.#fields.has(number) && reached.has(number)));
    const holders = new Set([...fields].flatMap((number) => [...(users.get(number) ?? [])]));
    const others = new Set<number>();
    await keysOf(before, holders, fields, (field, key) => {
      if (!FIELD_KEYS.has(key)) others.add(field);
    });
    for (const field of others) this.#forbid(field, `Object ${field} is a field, and something else.`);
  }

  /** The changes with the places of fields that are seen, one for each: a field may have several widgets. */
  async #withPlaces(): Promise<RevisionChange[]> {
    const places = new Map<number, { readonly change: RevisionChange; readonly box: PageBox }[]>();
    for (const [change, boxes] of this.#drawn)
      for (const [widget, box] of boxes)
        for (const page of this.#pagesOf.get(widget) ?? [])
          places.set(page, [...(places.get(page) ?? []), { change, box }]);
    const placed = new Map<RevisionChange, RevisionChange[]>();
    for (const [page, drawn] of places) {
      const coverages = await coverageOf(
        this.#difference.before,
        page - 1,
        drawn.map(({ box }) => box),
      );
      for (const [index, { change }] of drawn.entries())
        placed.set(change, [...(placed.get(change) ?? []), { ...change, page, ...coverages[index] }]);
    }
    return this.#changes.flatMap((change) => placed.get(change) ?? [change]);
  }

  /** @param field that the change draws anew, of the later revision */
  #add(change: RevisionChange, field?: PDFObject): void {
    this.#changes.push(change);
    if (field === undefined) return;
    const kids = items(field.get("Kids"));
    const widgets = (kids.length > 0 ? kids : [field]).flatMap((widget) => {
      const box = shownBox(widget);
      return box ? [[objectNumber(widget), box] as const] : [];
    });
    this.#drawn.set(change, new Map(widgets));
  }

  #forbid(object: number, text: string, page?: number): void {
    this.#add({ kind: "other", level: "never", object, text, ...(page !== undefined && { page }) });
  }

  /** Whether a page is compared: all of them, where all objects are read. */
  #mayDiffer(index: number, number: number): boolean {
    const { references, changed, pages } = this.#difference;
    return references !== undefined || changed.has(number) || pages?.includes(index) === true;
  }

  /**
   * Whether a changed object was judged in all of its places: only objects that may change with it refer to it.
   * @param reached objects that other references reach; undefined if they are not known
   */
  #isExplained(number: number, reached: ReadonlySet<number> | undefined): boolean {
    const { known, users } = this.#difference;
    const uses = users.get(number) ?? new Set<number>();
    // References to an undefined number show the new object, so it is judged as if it had existed before.
    if (!known.has(number) && [...uses].every((one) => one === TRAILER_REST))
      return uses.size === 0 || !this.#isFile(number);
    if (uses.size === 0 && reached !== undefined) return this.#isCrossReference(number);
    return this.#judged.has(number) || (this.#targets.has(number) && reached?.has(number) !== true);
  }

  /** Whether a new object is an embedded document: if only the trailer refers to its number, LibreOffice would open it. */
  #isFile(number: number): boolean {
    return this.#engine.scope(() => isFile(this.#engine, this.#difference.after.document.newIndirect(number)));
  }

  /** Whether it is a cross-reference stream in both revisions: some writers give each the number of the one before. */
  #isCrossReference(number: number): boolean {
    const { before, after } = this.#difference;
    return this.#engine.scope(() =>
      [before, after].every(({ document }) => isNamed(document.newIndirect(number).get("Type"), "XRef")),
    );
  }

  /** Follows a reference of the earlier revision from a place whose changes are judged to another one. */
  #follow(value: PDFObject, holder: number): Place {
    const place = this.#allow(value, holder);
    if (objectNumber(value) > 0) this.#compared.add(place.holder);
    return place;
  }

  /** Follows a reference to an object that may change in any way. */
  #allow(value: PDFObject, holder: number): Place {
    const number = objectNumber(value);
    if (number === 0) return { object: value, holder };
    const counts = this.#followed.get(holder) ?? new Map<number, number>();
    this.#followed.set(holder, counts.set(number, (counts.get(number) ?? 0) + 1));
    this.#targets.add(number);
    return { object: value, holder: number };
  }

  /** Compares two dictionaries: an entry that no judge is for must be the same. */
  #compareEntries(
    { object, holder }: Place,
    after: PDFObject,
    what: string,
    judges: Readonly<Record<string, Judge>>,
    page?: number,
  ): void {
    const engine = this.#engine;
    engine.work.spend(NODE_WORK);
    if (!object.isDictionary() || !after.isDictionary() || object.isStream() || after.isStream()) {
      // A stream may be in place of a dictionary, and its data are not among the entries.
      const isSame = contentOf(engine, object) === contentOf(engine, after) && !this.#difference.changed.has(holder);
      if (!isSame) this.#forbid(holder, `${what} was replaced.`, page);
      return;
    }
    const isChanged =
      objectNumber(object) === 0 || this.#difference.changed.has(holder) || objectNumber(after) !== holder;
    const [earlier, later] = [object, after].map(
      (one) =>
        new Map(
          isChanged ? entries(engine, one).map(({ key, value }) => [key.toString(true, true).slice(1), value]) : [],
        ),
    );
    const keys = isChanged ? new Set([...(earlier?.keys() ?? []), ...(later?.keys() ?? [])]) : Object.keys(judges);
    for (const key of keys) {
      const judge = Object.hasOwn(judges, key) ? judges[key] : undefined;
      // Names that are not UTF-8 are found by their written form only.
      const [one, other] = judge ? [object.get(key), after.get(key)] : [earlier?.get(key), later?.get(key)];
      const [old, now] = [one, other].map((value) => (value ? canonical(engine, value) : "null"));
      const isSame = !isChanged || old === now;
      if (judge && one && other) judge({ object: one, holder }, other, isSame);
      else if (!isSame) this.#forbid(holder, `${what} has another entry \`${key}\`.`, page);
    }
  }

  #compareTrailers(before: Place, after: PDFObject): void {
    const [one, other] = [before.object.get("Root"), after.get("Root")];
    if (objectNumber(one) === 0 || objectNumber(one) !== objectNumber(other)) {
      this.#forbid(TRAILER, "The document has another catalog.");
      return;
    }
    for (const key of ["Encrypt", "ID"] as const) {
      const [old, now] = [before.object.get(key), after.get(key)].map((value) =>
        canonical(this.#engine, key === "ID" ? value.get(0) : value),
      );
      // Writers add an identifier if a file has none: nothing depends on it but the key of an encrypted file.
      const isAdded = key === "ID" && before.object.get(key).isNull() && after.get("Encrypt").isNull();
      if (old !== now && !isAdded) this.#forbid(TRAILER, `The trailer has another \`${key}\`.`);
    }
    this.#compareInfo(this.#follow(before.object.get("Info"), TRAILER), after.get("Info"));
    this.#judged.add(objectNumber(one));
    this.#compareCatalogs(this.#follow(one, TRAILER), other);
  }

  #compareInfo(before: Place, after: PDFObject): void {
    if (contentOf(this.#engine, before.object) === contentOf(this.#engine, after)) return;
    const changed = (after.isDictionary() ? entries(this.#engine, after) : [])
      .map(({ key }) => key.asName())
      .filter((key) => canonical(this.#engine, before.object.get(key)) !== canonical(this.#engine, after.get(key)));
    const isByWriter = changed.length > 0 && changed.every((key) => WRITER_ENTRIES.has(key));
    const number = objectNumber(after);
    const text = `The document information was changed: ${changed.join(", ") || "removed"}.`;
    const change: RevisionChange = {
      kind: "metadata",
      level: isByWriter ? "always" : "form-filling",
      object: number,
      text,
    };
    this.#add(change);
  }

  #compareCatalogs(before: Place, after: PDFObject): void {
    const number = before.holder;
    const free =
      (kind: ChangeKind, text: string, problemOf: (old: PDFObject, now: PDFObject) => string | undefined): Judge =>
      (old, now, isSame) => {
        const change = (): void => {
          const problem = problemOf(old.object, now);
          const object = objectNumber(now) || number;
          if (problem === undefined) this.#add({ kind, level: "always", object, text });
          else this.#forbid(object, problem);
        };
        if (!isSame) change();
        this.#free.push({ place: old, change: isSame ? change : () => undefined });
      };
    this.#compareEntries(before, after, "The catalog", {
      AcroForm: (old, now) => this.#compareForms(this.#follow(old.object, old.holder), now),
      DSS: free("validation-data", "Certificates or revocation data for validation were added.", (one, other) =>
        storeProblem(this.#engine, one, other, (old, now) => this.#differs(old, now)),
      ),
      Metadata: free("metadata", "The XMP metadata was changed.", (_, other) =>
        other.isNull() || this.#hasXmp ? undefined : "The metadata was replaced by what is no XMP.",
      ),
      Version: (old, now, isSame) => {
        if (!isSame && !(now.isName() && now.asName() > (old.object.isName() ? old.object.asName() : "")))
          this.#forbid(number, "The catalog has a lower `Version`.");
      },
      Extensions: (old, now, isSame) => {
        const known = old.object.isDictionary() ? entries(this.#engine, old.object) : [];
        const isKept = known.every(({ key, value }) => {
          return contentOf(this.#engine, value) === contentOf(this.#engine, now.get(key.asName()));
        });
        if (!isSame && !isKept) this.#forbid(number, "The catalog has other `Extensions`.");
      },
    });
  }

  #compareForms(before: Place, after: PDFObject): void {
    const [old, now] = [before.object, after];
    if (old.isNull() && now.isNull()) return;
    const number = objectNumber(now) || before.holder;
    if (old.isNull()) {
      this.#compareFields({ object: old, holder: before.holder }, now.get("Fields"), "", 0, undefined);
      for (const { key } of entries(this.#engine, now))
        if (!["Fields", "SigFlags", "DR", "DA"].includes(key.asName()))
          this.#forbid(number, `The form was added with the entry \`${key.asName()}\`.`);
      return;
    }
    this.#forms.add(objectNumber(old));
    const bits = (value: PDFObject): number => (value.isNumber() ? value.asNumber() : 0);
    this.#compareEntries(before, now, "The form", {
      Fields: (one, other) => this.#compareFields(this.#follow(one.object, one.holder), other, "", 0, undefined),
      SigFlags: (one, other, isSame) => {
        if (!isSame && (bits(one.object) & ~bits(other)) !== 0) this.#forbid(number, "The form has fewer `SigFlags`.");
      },
      // A viewer that must draw the fields itself does not show the signed appearance.
      NeedAppearances: (_, other, isSame) => {
        if (!isSame && other.isBoolean() && other.asBoolean()) this.#forbid(number, "The form needs new appearances.");
      },
      DA: (one, _, isSame) => {
        // Fields without one of their own have this one.
        const isAdded =
          one.object.isNull() && items(old.get("Fields")).every((field) => isNamed(field.get("FT"), "Sig"));
        if (!isSame && !isAdded) this.#forbid(number, "The form has another `DA`.");
      },
      DR: (one, other) =>
        this.#compareResources(this.#follow(one.object, one.holder), other, number, this.#namedByFields),
    });
  }

  /** Resources may be added, unless something names them that did not find them before. */
  #compareResources(before: Place, after: PDFObject, number: number, named: ReadonlySet<string>): void {
    for (const { key: name, value } of after.isDictionary() ? entries(this.#engine, after) : []) {
      const old = before.object.get(name.asName());
      for (const { key } of value.isDictionary() ? entries(this.#engine, value) : [])
        if (named.has(key.asName()) && old.get(key.asName()).isNull())
          this.#forbid(number, `The form has a resource that was missing, \`${key.asName()}\`.`);
    }
    for (const { key, value } of before.object.isDictionary() ? entries(this.#engine, before.object) : []) {
      const category = this.#follow(value, before.holder);
      const now = after.get(key.asName());
      const isKept = category.object.isDictionary()
        ? entries(this.#engine, category.object).every(
            ({ key: name, value: one }) =>
              canonical(this.#engine, one) === canonical(this.#engine, now.get(name.asName())),
          )
        : contentOf(this.#engine, category.object) === contentOf(this.#engine, now);
      if (!isKept) this.#forbid(number, `The form has other resources (\`${key.asName()}\`).`);
    }
  }

  /** Compares lists of fields or widgets: those that were there must still be, and others may only be new signature fields. */
  #compareFields(before: Place, after: PDFObject, prefix: string, depth: number, parent: Parent | undefined): void {
    const later = new Map(items(after).map((one) => [canonical(this.#engine, one), one]));
    const names = new Set(items(before.object).map((one) => this.#texts.text(one.get("T"))));
    for (const one of items(before.object)) {
      const name = canonical(this.#engine, one);
      const number = objectNumber(one);
      const other = later.get(name);
      later.delete(name);
      if (other === undefined) this.#forbid(number || before.holder, "A field was removed or replaced.");
      else if (number > 0 && !this.#fields.has(number) && depth <= MAX_DEPTH)
        this.#compareField(this.#follow(one, before.holder), other, prefix, depth, parent);
    }
    for (const one of later.values()) this.#judgeNewField(one, prefix, names);
  }

  #compareField(before: Place, after: PDFObject, prefix: string, depth: number, parent: Parent | undefined): void {
    const { holder, object } = before;
    this.#fields.add(holder);
    this.#judged.add(holder);
    const partial = this.#texts.text(object.get("T"));
    const name = partial === undefined ? prefix : prefix === "" ? partial : this.#texts.joined(`${prefix}.${partial}`);
    const what = `The field ${name}`;
    const own = object.get("FT");
    const type = own.isNull() ? (parent?.type ?? own) : own;
    const [old, now] = [object.get("V"), after.get("V")];
    const isSignature = isNamed(type, "Sig");
    const bits = (value: PDFObject): number => (value.isNumber() ? value.asNumber() : 0);
    const isButton = isNamed(type, "Btn") && (bits(object.get("Ff")) & PUSH_BUTTON) !== 0;
    const hasFields = items(object.get("Kids")).some((kid) => !kid.get("T").isNull());
    const isOwnFilled = this.#differs(old, now) && (!isSignature || old.isNull()) && !isButton && !hasFields;
    // The widgets of a field show its value.
    const isWidgetOnly = partial === undefined && old.isNull() && own.isNull() && !isSignature;
    const isFilled = isOwnFilled || (parent?.isFilled === true && isWidgetOnly);
    if (isOwnFilled && !isFieldValue(now, isSignature)) this.#forbid(holder, `${what} has a value that is none.`);
    if (isOwnFilled && isSignature)
      this.#addSignature(after, now, name, "was signed", isVisible(object) ? "form-filling" : undefined);
    else if (isOwnFilled)
      this.#add(
        {
          kind: "form-field",
          level: "form-filling",
          object: holder,
          field: name,
          text: `${what} was filled in.`,
        },
        after,
      );
    const ifFilled: Judge = (one, _, isSame) => {
      if (isFilled) this.#free.push({ place: one, change: () => undefined });
      else if (!isSame) this.#forbid(holder, `The appearance of the field ${name} was changed without its value.`);
    };
    const appearance: Judge = (one, other, isSame) => {
      if (isFilled && !isSame && !one.object.isNull()) {
        if (other.isNull()) this.#forbid(holder, `The appearance of the field ${name} was removed.`);
        else if (!isAppearance(this.#engine, other)) this.#forbid(holder, `${what} has an appearance that is none.`);
        else if (this.#isUsedBeside(objectNumber(one.object), holder))
          this.#forbid(holder, `The appearance of the field ${name} was replaced, which is also used elsewhere.`);
      }
      // The state of a field names its appearance, which may be replaced but not changed in place.
      if (isFilled && !object.get("AS").isNull()) this.#followStates(one);
      else ifFilled(one, other, isSame);
    };
    const flags =
      (most: number): Judge =>
      (one, other, isSame) => {
        const [from, to] = [one.object, other].map((value) => (value.isNumber() ? value.asNumber() : 0));
        if (!isSame && ((from ?? 0) ^ (to ?? 0)) !== ((to ?? 0) & ~(from ?? 0) & most))
          this.#forbid(holder, `${what} has other flags.`);
      };
    this.#compareEntries(before, after, what, {
      V: (one, _, isSame) => {
        if (isOwnFilled) this.#free.push({ place: one, change: () => undefined });
        else if (!isSame) this.#forbid(holder, `The value of the field ${name} was replaced or removed.`);
      },
      AP: appearance,
      AS: (one, other, isSame) => {
        ifFilled(one, other, isSame);
        if (!isSame && !other.isName()) this.#forbid(holder, `${what} has a state that is no name.`);
      },
      I: (one, other, isSame) => {
        ifFilled(one, other, isSame);
        if (!isSame && !other.isNull() && !(other.isArray() && items(other).every((index) => index.isInteger())))
          this.#forbid(holder, `${what} has other indices than numbers.`);
      },
      RV: (one, other, isSame) => {
        ifFilled(one, other, isSame);
        if (!isSame && !isTextValue(other)) this.#forbid(holder, `${what} has a value that is no text.`);
      },
      M: (one, other, isSame) => {
        if (!isSame && !(isFilled && isPlain(one.object) && isPlain(other)))
          this.#forbid(holder, `${what} has another entry \`M\`.`);
      },
      Ff: flags(READ_ONLY_FIELD),
      F: flags(LOCKED_ANNOTATION),
      Kids: (one, other) =>
        this.#compareFields(this.#follow(one.object, one.holder), other, name, depth + 1, { type, isFilled }),
    });
  }

  /** Whether an object of the earlier revision is used by others than the one holder. */
  #isUsedBeside(number: number, holder: number): boolean {
    const users = this.#difference.users.get(number) ?? [];
    return number > 0 && [...users].some((one) => one !== holder);
  }

  /** Follows an appearance dictionary, and those of its states. */
  #followStates(before: Place): void {
    const { object, holder } = this.#follow(before.object, before.holder);
    for (const key of ["N", "R", "D"]) {
      const states = object.get(key);
      if (isDictionary(states)) this.#follow(states, holder);
    }
  }

  /** Whether a value is another one, or a reference to an object that changed. */
  #differs(before: PDFObject, after: PDFObject): boolean {
    return (
      canonical(this.#engine, before) !== canonical(this.#engine, after) ||
      this.#difference.changed.has(objectNumber(before))
    );
  }

  /** `names`: the partial names of its siblings. */
  #judgeNewField(field: PDFObject, prefix: string, names: Set<string | undefined>): void {
    const number = objectNumber(field);
    const partial = this.#texts.text(field.get("T"));
    if (!field.isDictionary() || partial === undefined || prefix !== "" || !isNamed(field.get("FT"), "Sig")) {
      this.#forbid(number, "A field was added.");
      return;
    }
    if (names.has(partial) || partial.includes(".")) {
      this.#forbid(number, `A field was added with the name of another one, ${partial}.`);
      return;
    }
    names.add(partial);
    const kids = items(field.get("Kids"));
    const widgets = kids.length > 0 ? kids : [field];
    const problem = [field, ...widgets]
      .map((one) => newWidgetProblem(this.#engine, one))
      .find((one) => one !== undefined);
    if (problem !== undefined) this.#forbid(number, `The signature field ${partial} was added with ${problem}.`);
    const value = field.get("V");
    const isSigned = isDictionary(value);
    if (!isSigned && (value.isIndirect() || !value.isNull()))
      this.#forbid(number, `The signature field ${partial} was added with a signature that cannot be read.`);
    if (!isSigned && widgets.some((one) => !one.get("AP").isNull() || !one.get("MK").isNull()))
      this.#forbid(number, `The signature field ${partial} was added with an appearance, and without a signature.`);
    for (const widget of widgets) this.#newWidgets.add(objectNumber(widget));
    const shown = widgets.some(isVisible);
    // As Acrobat, which lets a certified document (12.8.2.2) only have new signatures that are not seen.
    const permissions = this.#difference.before.document.getTrailer().get("Root", "Perms");
    const isRestricted = shown && permissions.get("DocMDP").isDictionary();
    const level = isRestricted ? "annotations" : shown ? "form-filling" : undefined;
    this.#addSignature(field, value, partial, "was added", level);
  }

  /** Adds a change. Time stamps that are not seen are always allowed (12.8.5); `level` is that of a visible field. */
  #addSignature(field: PDFObject, value: PDFObject, name: string, verb: string, level: ChangeLevel | undefined): void {
    const signature = objectNumber(value);
    if (value.isDictionary() && signature === 0)
      this.#forbid(objectNumber(field), `The signature in the field ${name} is no object of its own.`);
    // Otherwise it would be shown as signed by the signer of another field.
    const { document } = this.#difference.before;
    const isOld = signature > 0 && !document.newIndirect(signature).get("Contents").isNull();
    if (isOld || this.#signatures.has(signature))
      this.#forbid(objectNumber(field), `The signature in the field ${name} is that of another field.`);
    if (signature > 0) this.#signatures.add(signature);
    const isStamp = isNamed(value.get("SubFilter"), "ETSI.RFC3161");
    this.#add(
      {
        kind: isStamp ? "validation-data" : "signature",
        level: level ?? (isStamp ? "always" : "form-filling"),
        object: objectNumber(field),
        field: name,
        text: isStamp ? `A document time stamp, ${name}, was added.` : `The signature field ${name} ${verb}.`,
      },
      field,
    );
  }

  /** The numbers of the pages, if both revisions have the same ones in the same order. */
  async #pairPages(): Promise<number[]> {
    const { before, after } = this.#difference;
    if (before.pageCount !== after.pageCount) {
      this.#forbid(TRAILER, `The document had ${before.pageCount} pages, and has ${after.pageCount}.`);
      return [];
    }
    const numbers: number[] = [];
    for (let index = 0; index < before.pageCount; index++) {
      this.#engine.work.spend(NODE_WORK);
      await this.#engine.work.pause();
      const [old = 0, now = 0] = this.#engine.scope(() =>
        [before, after].map((open) => objectNumber(pageAt(open, index))),
      );
      if (old === 0 || old !== now) {
        this.#forbid(now, `Page ${index + 1} is another one.`, index + 1);
        return [];
      }
      numbers.push(old);
      this.#judged.add(old);
    }
    return numbers;
  }

  #comparePage(before: Place, after: PDFObject, page: number): void {
    this.#compareEntries(
      before,
      after,
      `Page ${page}`,
      {
        Annots: (one, other) => this.#compareAnnotations(this.#follow(one.object, one.holder), other, page),
        LastModified: (one, other, isSame) => {
          if (!isSame && !(isPlain(one.object) && isPlain(other)))
            this.#forbid(before.holder, `Page ${page} has another \`LastModified\`.`, page);
        },
      },
      page,
    );
  }

  #compareAnnotations(before: Place, after: PDFObject, page: number): void {
    const [old, now] = [items(before.object), items(after)];
    const [earlier, later] = [old, now].map((list) => new Map(list.map((one) => [canonical(this.#engine, one), one])));
    const [kept, found] = [
      old.map((one) => canonical(this.#engine, one)).filter((name) => later?.has(name)),
      now.map((one) => canonical(this.#engine, one)).filter((name) => earlier?.has(name)),
    ];
    if (kept.join(" ") !== found.join(" "))
      this.#forbid(before.holder, `The annotations of page ${page} are in another order.`, page);
    const change = (object: number, verb: string): void =>
      this.#add({
        kind: "annotation",
        level: "annotations",
        object,
        page,
        text: `An annotation on page ${page} was ${verb}.`,
      });
    for (const [name, one] of earlier ?? []) {
      const number = objectNumber(one);
      if (number > 0) this.#follow(one, before.holder);
      if (later?.has(name) !== true) {
        if (isWidget(one) || this.#fields.has(number))
          this.#forbid(number, `A field was taken off page ${page}.`, page);
        else change(number, "removed");
      } else if (this.#difference.changed.has(number) && !this.#fields.has(number)) {
        const other = later.get(name);
        if (isWidget(one) || (other && isWidget(other))) {
          // It is no field of the form, whose widgets were judged.
          this.#forbid(number, `A field of page ${page} that is not in the form was changed.`, page);
          continue;
        }
        change(number, "changed");
        this.#judged.add(number);
        for (const key of ["AP", "Popup", "RC"] as const)
          this.#free.push({ place: { object: one.get(key), holder: number }, change: () => undefined });
      }
    }
    for (const [name, one] of later ?? []) {
      const number = objectNumber(one);
      if (isWidget(one)) this.#pagesOf.set(number, [...(this.#pagesOf.get(number) ?? []), page]);
      if (earlier?.has(name) === true || (number > 0 && this.#newWidgets.has(number))) continue;
      if (isWidget(one)) this.#forbid(number, `A field was put on page ${page}.`, page);
      else change(number || before.holder, "added");
    }
  }

  #releaseAll(): void {
    for (const { place, change } of this.#free.splice(0)) if (this.#release(place)) change();
  }

  /** Allows all changes from a place of the earlier revision on. Returns whether there are any. */
  #release({ object, holder }: Place): boolean {
    let isTouched = false;
    const walk = (value: PDFObject, from: number, depth: number): void => {
      this.#engine.work.spend(NODE_WORK);
      const number = objectNumber(value);
      if (depth > MAX_DEPTH || this.#judged.has(number) || this.#forms.has(number)) return;
      const place = this.#allow(value, from);
      if (number > 0) {
        isTouched ||= this.#difference.changed.has(number);
        if (this.#released.has(number)) return;
        this.#released.add(number);
      }
      if (value.isArray()) for (const one of items(value)) walk(one, place.holder, depth + 1);
      else if (value.isDictionary())
        for (const { value: one } of entries(this.#engine, value)) walk(one, place.holder, depth + 1);
    };
    walk(object, holder, 0);
    return isTouched;
  }
}

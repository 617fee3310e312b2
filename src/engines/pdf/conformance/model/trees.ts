/** The parts of a document besides its content: catalog, annotations, fields, actions, layers, attachments (ISO 32000-2, 7.7, 12, and 14.13). */
import type { Work } from "../../../work.ts";
import { type Plain, PlainDictionary, PlainName, PlainReference, PlainString } from "../../objects/plain-values.ts";
import { decodeText } from "../../objects/text-string.ts";
import type { Check } from "./check.ts";
import { isArray, type ModelDocument, DEEPEST_NODE } from "./document.ts";

/** Fuel per node of a tree and per value. */
const [NODE_WORK, VALUE_WORK] = [100, 5];
/** Bytes of strings, and of names, that no rule is about. */
const [SHORT_STRING, SHORT_NAME] = [32_767, 127];
/** Items of arrays and entries of dictionaries that no rule is about. */
const [FEW_ITEMS, FEW_ENTRIES] = [8191, 4095];

export class Trees {
  readonly #document: ModelDocument;
  readonly #check: Check;
  readonly #conforms: (file: PlainDictionary) => Promise<boolean | undefined>;
  readonly #work: Work;
  readonly #seen = new Set<PlainDictionary>();
  /** Specifications of files that are associated with something. */
  readonly #files = new Set<PlainDictionary>();

  /** `conforms`: whether an embedded file does; undefined if that is not decided. */
  constructor(
    document: ModelDocument,
    check: Check,
    conforms: (file: PlainDictionary) => Promise<boolean | undefined>,
  ) {
    this.#document = document;
    this.#check = check;
    this.#conforms = conforms;
    this.#work = document.open.engine.work;
  }

  /** Checks the values of all objects: their sizes, and streams. */
  async values(): Promise<void> {
    for (const [number, value] of this.#document.objects) {
      await this.#work.pause();
      this.#associated(value, number);
    }
    for (const [number, value] of this.#document.objects) {
      await this.#work.pause();
      this.#value(value, number);
      if (value instanceof PlainDictionary && value.isStream)
        this.#check("stream", { dictionary: value, filters: this.#document.filters(value) }, { object: number });
      if (value instanceof PlainDictionary && isFileSpecification(this.#document, value))
        await this.#fileSpecification(value);
    }
  }

  /** Takes note of the files in AF of a dictionary. */
  #associated(value: Plain, number: number): void {
    if (!(value instanceof PlainDictionary)) return;
    this.#work.spend(VALUE_WORK);
    for (const item of value.entries.has("AF") ? this.#items(value, "AF") : []) {
      const file = this.#document.dictionary(item);
      if (file) this.#files.add(file);
    }
    const name = this.#document.name(value, "Type") === "Font" ? this.#document.name(value, "BaseFont") : undefined;
    if (name !== undefined) this.#check("unicodeName", { name }, { object: number, context: name });
  }

  #value(value: Plain, object: number): void {
    this.#work.spend(VALUE_WORK);
    const place = { object };
    if (value instanceof PlainString) {
      const size = value.mostBytes > SHORT_STRING ? value.bytes.length : 0;
      if (size > SHORT_STRING) this.#check("sizedValue", { kind: "string", size }, place);
    } else if (value instanceof PlainName) this.#sized(value.value, object);
    else if (isArray(value)) {
      if (value.length > FEW_ITEMS) this.#check("sizedValue", { kind: "array", size: value.length }, place);
      for (const item of value) this.#value(item, object);
    } else if (value instanceof PlainDictionary) {
      const { size } = value.entries;
      if (size > FEW_ENTRIES) this.#check("sizedValue", { kind: "dictionary", size }, place);
      const [text, language] = [value.entries.get("ActualText"), value.entries.get("Lang")];
      if (text !== undefined) this.#text(text, (found) => this.#check("actualText", { text: found }, place));
      if (language !== undefined)
        this.#text(language, (tag) => this.#check("language", { tag }, { object, context: tag }));
      for (const [key, item] of value.entries) {
        this.#sized(key, object);
        this.#value(item, object);
      }
    }
  }

  /** The items of an array, which any number of dictionaries may share: each pays for all. */
  #items(holder: PlainDictionary, key: string): readonly Plain[] {
    const list = this.#document.items(holder, key);
    this.#work.spend(list.length * VALUE_WORK);
    return list;
  }

  #text(value: Plain, use: (text: string) => void): void {
    const found = this.#document.resolve(value);
    if (found instanceof PlainString) use(decodeText(found.bytes));
  }

  #sized(name: string, object: number): void {
    if (name.length > SHORT_NAME)
      this.#check("sizedValue", { kind: "name", size: name.length }, { object, context: name.slice(0, 40) });
  }

  /** Checks the catalog and all that it leads to, except for pages. */
  async catalog(): Promise<void> {
    const document = this.#document;
    const { root } = document;
    if (!root) return;
    this.#check("catalog", { dictionary: root }, { object: root.object });
    await this.#action(root.entries.get("OpenAction"), undefined);
    await this.#additional(root, undefined);
    await this.#outline(root);
    await this.#form(root);
    await this.#names(document.dictionary(root, "Names", "JavaScript"), 0, (value) => this.#action(value, undefined));
    const permissions = document.dictionary(root, "Perms");
    if (permissions) this.#check("permissions", { dictionary: permissions }, { object: permissions.object });
    await this.#layers(root);
  }

  async #names(
    node: PlainDictionary | undefined,
    depth: number,
    visit: (value: Plain) => Promise<void>,
  ): Promise<void> {
    if (!node || depth > DEEPEST_NODE || this.#seen.has(node)) return;
    this.#seen.add(node);
    this.#work.spend(NODE_WORK);
    await this.#work.pause();
    const leaves = this.#items(node, "Names");
    for (let at = 1; at < leaves.length; at += 2) await visit(leaves[at] ?? null);
    for (const kid of this.#items(node, "Kids")) await this.#names(this.#document.dictionary(kid), depth + 1, visit);
  }

  async #outline(root: PlainDictionary): Promise<void> {
    const document = this.#document;
    const pending = [document.dictionary(root, "Outlines", "First")];
    for (let item = pending.pop(); item; item = pending.pop()) {
      if (this.#seen.has(item)) continue;
      this.#seen.add(item);
      this.#work.spend(NODE_WORK);
      await this.#work.pause();
      await this.#action(item.entries.get("A"), undefined);
      for (const key of ["Next", "First"]) {
        const next = document.dictionary(item, key);
        if (next) pending.push(next);
      }
    }
  }

  /** Checks an action and those after it. */
  async #action(value: Plain | undefined, page: number | undefined, depth = 0): Promise<void> {
    const document = this.#document;
    const action = document.resolve(value);
    if (!(action instanceof PlainDictionary) || depth > 1000 || this.#seen.has(action)) return;
    this.#seen.add(action);
    this.#work.spend(NODE_WORK);
    await this.#work.pause();
    const type = document.name(action, "S");
    this.#check(
      "action",
      { dictionary: action, type, named: document.name(action, "N") },
      { object: action.object, page, context: type },
    );
    const next = document.get(action, "Next");
    for (const item of isArray(next) ? this.#items(action, "Next") : [next]) await this.#action(item, page, depth + 1);
  }

  async #additional(holder: PlainDictionary, page: number | undefined): Promise<void> {
    const actions = this.#document.dictionary(holder, "AA")?.entries;
    this.#work.spend((actions?.size ?? 0) * VALUE_WORK);
    for (const value of actions?.values() ?? []) await this.#action(value, page);
  }

  /** Checks the actions and annotations of a page. */
  async page(page: PlainDictionary, number: number): Promise<void> {
    await this.#additional(page, number);
    for (const item of this.#items(page, "Annots")) {
      const annotation = this.#document.dictionary(item);
      if (annotation) await this.#annotation(annotation, number);
    }
  }

  async #annotation(annotation: PlainDictionary, page: number): Promise<void> {
    const document = this.#document;
    const isFirst = !this.#seen.has(annotation);
    this.#seen.add(annotation);
    if (!isFirst) return;
    this.#work.spend(NODE_WORK);
    await this.#work.pause();
    const subtype = document.name(annotation, "Subtype") ?? "";
    const [left = 0, bottom = 0, right = 0, top = 0] = document.numbers(annotation, "Rect");
    this.#check(
      "annotation",
      {
        dictionary: annotation,
        subtype,
        flags: document.number(annotation, "F"),
        isWidget: subtype === "Widget",
        fieldType: document.name(document.inherited(annotation, "FT")),
        width: Math.abs(right - left),
        height: Math.abs(top - bottom),
      },
      { object: annotation.object, page, context: subtype },
    );
    await this.#action(annotation.entries.get("A"), page);
    await this.#additional(annotation, page);
  }

  async #form(root: PlainDictionary): Promise<void> {
    const document = this.#document;
    const form = document.dictionary(root, "AcroForm");
    if (!form) return;
    this.#check("interactiveForm", { dictionary: form }, { object: form.object });
    const pending: PlainDictionary[] = [];
    const known = new Set<PlainDictionary>();
    const add = (holder: PlainDictionary, key: string): void => {
      for (const item of this.#items(holder, key)) {
        const field = document.dictionary(item);
        if (!field || known.has(field)) continue;
        known.add(field);
        pending.push(field);
      }
    };
    add(form, "Fields");
    for (let field = pending.pop(); field; field = pending.pop()) {
      this.#work.spend(NODE_WORK);
      await this.#work.pause();
      const isWidget = document.name(field, "Subtype") === "Widget";
      this.#check(
        "field",
        { dictionary: field, isWidget },
        { object: field.object, context: document.text(field, "T") },
      );
      await this.#action(field.entries.get("A"), undefined);
      await this.#additional(field, undefined);
      if (document.name(document.inherited(field, "FT")) === "Sig") this.#signature(document.dictionary(field, "V"));
      add(field, "Kids");
    }
  }

  #signature(signature: PlainDictionary | undefined): void {
    if (!signature) return;
    const document = this.#document;
    this.#check("signature", { dictionary: signature }, { object: signature.object });
    for (const item of this.#items(signature, "Reference")) {
      const reference = document.dictionary(item);
      if (reference) this.#check("signatureReference", { dictionary: reference }, { object: reference.object });
    }
  }

  /** Optional content (8.11). */
  async #layers(root: PlainDictionary): Promise<void> {
    const document = this.#document;
    const properties = document.dictionary(root, "OCProperties");
    if (!properties) return;
    const groups = new Set(
      document.items(properties, "OCGs").flatMap((item) => (item instanceof PlainReference ? [item.number] : [])),
    );
    const configurations = [properties.entries.get("D"), ...document.items(properties, "Configs")].flatMap(
      (item) => document.dictionary(item) ?? [],
    );
    const names = configurations.map((configuration) => document.text(configuration, "Name"));
    const named = Map.groupBy(names, (name) => name);
    for (const [at, configuration] of configurations.entries()) {
      this.#work.spend(NODE_WORK + groups.size * VALUE_WORK);
      await this.#work.pause();
      const name = names[at];
      const order = configuration.entries.get("Order");
      const listed = await this.#listed(order);
      this.#check(
        "layers",
        {
          dictionary: configuration,
          name,
          isNameUnique: name === undefined || named.get(name)?.length === 1,
          hasOrder: order !== undefined,
          ordersAll: [...groups].every((group) => listed.has(group)),
        },
        { object: configuration.object || properties.object, context: name },
      );
    }
  }

  /** The numbers of the groups in an order, which may have arrays in arrays, even in themselves. */
  async #listed(order: Plain | undefined): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    const seen = new Set<readonly Plain[]>();
    const pending = [order ?? null];
    while (pending.length > 0) {
      this.#work.spend(VALUE_WORK);
      await this.#work.pause();
      const value = pending.pop() ?? null;
      const resolved = this.#document.resolve(value);
      if (!isArray(resolved)) {
        if (value instanceof PlainReference) found.add(value.number);
      } else if (!seen.has(resolved)) {
        seen.add(resolved);
        for (const item of resolved) pending.push(item);
      }
    }
    return found;
  }

  async #fileSpecification(specification: PlainDictionary): Promise<void> {
    const document = this.#document;
    const file = document.dictionary(specification, "EF");
    const place = { object: specification.object, context: document.text(specification, "F") };
    this.#check(
      "fileSpecification",
      { dictionary: specification, isAssociated: this.#files.has(specification) },
      place,
    );
    const streams = new Set([...(file?.entries.values() ?? [])].flatMap((value) => document.stream(value) ?? []));
    for (const dictionary of streams) {
      const conforms = await this.#conforms(dictionary);
      this.#check("embeddedFile", { dictionary, conforms }, { ...place, object: dictionary.object });
    }
  }
}

/** Whether a dictionary is a file specification with an embedded file (7.11.3). */
function isFileSpecification(document: ModelDocument, value: PlainDictionary): boolean {
  const type = document.name(value, "Type");
  return type === "Filespec" || type === "F" || value.entries.has("EF");
}

import { flate, latin1, pdf, pdfString, type PdfObject } from "./pdf-writer.ts";

/** Left, bottom, right, top in units of the page. */
export type Rect = readonly [number, number, number, number];

/** A form in the making: a page of 600 x 800 units whose fields' text is red Helvetica. */
export class FormDraft {
  readonly objects: PdfObject[] = [];
  readonly #annotations: string[] = [];
  readonly #fields: string[] = [];
  /** Entries of the page, of the AcroForm and of the catalog. */
  page = "";
  form = "";
  catalog = "";
  #row = 0;

  constructor() {
    for (const object of ["catalog", "pages", "page"]) this.add(`(${object})`);
    this.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  }

  add(object: PdfObject): string {
    return `${this.objects.push(object)} 0 R`;
  }

  /** A place of its own for each call: rows from the top of the page down. */
  place(width = 200, height = 20): Rect {
    const top = 780 - this.#row;
    this.#row += height + 10;
    return [20, top - height, 20 + width, top];
  }

  /** A widget annotation of the page. */
  widget(entries: string, rect = this.place()): string {
    return this.annotation(`/Subtype /Widget /P 3 0 R ${entries}`, rect);
  }

  annotation(entries: string, rect: Rect): string {
    const ref = this.add(`<< /Type /Annot /F 4 /Rect [${rect.join(" ")}] ${entries} >>`);
    this.#annotations.push(ref);
    return ref;
  }

  /** Makes an object a field of the form; one that has fields above it is none. */
  field(ref: string): string {
    this.#fields.push(ref);
    return ref;
  }

  /** A field that is its own widget. */
  own(name: string, entries: string, rect?: Rect): string {
    return this.field(this.widget(`/T ${pdfString(name)} ${entries}`, rect));
  }

  /** The appearances of a button: a filled box for each state. */
  states(...names: readonly string[]): string {
    const box = (content: string): string =>
      this.add(flate(content, "/Type /XObject /Subtype /Form /BBox [0 0 20 20] /Resources << >>"));
    const on = names.map((name) => `/${name} ${box("1 0 0 rg 4 4 12 12 re f")}`);
    return `/AP << /N << ${on.join(" ")} /Off ${box("0.5 G 1 1 18 18 re S")} >> >>`;
  }

  bytes(): Uint8Array {
    const form = `<< /Fields [${this.#fields.join(" ")}] /DA (/Helv 0 Tf 1 0 0 rg) /DR << /Font << /Helv 4 0 R >> >> ${this.form} >>`;
    this.objects[0] = `<< /Type /Catalog /Pages 2 0 R /AcroForm ${form} ${this.catalog} >>`;
    this.objects[1] = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    const annotations = this.#annotations.length > 0 ? `/Annots [${this.#annotations.join(" ")}]` : "";
    this.objects[2] = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << >> ${annotations} ${this.page} >>`;
    return pdf(this.objects, "/Root 1 0 R /ID [<01> <01>]");
  }
}

/** A form with these fields: name and entries beside those of its widget. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  more: Partial<Pick<FormDraft, "page" | "form" | "catalog">> = {},
): Uint8Array {
  const draft = new FormDraft();
  for (const [name, entries] of Object.entries(fields)) draft.own(name, entries);
  return Object.assign(draft, more).bytes();
}

/** Every kind of field, some with more than one widget, names with and without levels. */
export function wholeForm(): FormDraft {
  const draft = new FormDraft();
  draft.own("line", "/FT /Tx");
  draft.own("lines", "/FT /Tx /Ff 4096", draft.place(200, 60));
  draft.own("comb", "/FT /Tx /Ff 16777216 /MaxLen 8 /MK << /BC [0 0 1] >>");
  draft.own("short", "/FT /Tx /MaxLen 3 /Q 1");
  draft.own("secret", "/FT /Tx /Ff 8192");
  draft.own("locked", "/FT /Tx /Ff 1");
  draft.own("agree", `/FT /Btn ${draft.states("J#E4")} /AS /Off`, draft.place(20));
  draft.own("bare", "/FT /Btn /MK << /BC [0] /CA (8) >>", draft.place(20));
  const radio = draft.add("null");
  const buttons = ["a", "b", "c"].map((state) =>
    draft.widget(`/Parent ${radio} ${draft.states(state)} /AS /Off`, draft.place(20)),
  );
  draft.objects[Number.parseInt(radio, 10) - 1] =
    `<< /FT /Btn /Ff 49152 /T (radio) /Opt [(red) (green) (blue)] /Kids [${buttons.join(" ")}] >>`;
  draft.field(radio);
  draft.own("city", "/FT /Ch /Ff 131072 /Opt [[(de) (Berlin)] [(fr) (Paris)]]");
  draft.own("free", "/FT /Ch /Ff 393216 /Opt [(one) (two)]");
  draft.own("list", "/FT /Ch /Opt [(red) (green) (blue)]", draft.place(200, 50));
  draft.own("several", "/FT /Ch /Ff 2097152 /Opt [[(r) (Red)] [(g) (Green)] [(b) (Blue)]] /TI 0", draft.place(200, 50));
  const person = draft.add("null");
  const name = draft.add("null");
  const kids = [draft.widget(`/Parent ${name}`), draft.widget(`/Parent ${name} /Q 2`)];
  draft.objects[Number.parseInt(name, 10) - 1] = `<< /T (name) /FT /Tx /Parent ${person} /Kids [${kids.join(" ")}] >>`;
  draft.objects[Number.parseInt(person, 10) - 1] = `<< /T (person) /Kids [${name}] >>`;
  draft.field(person);
  draft.own("push", "/FT /Btn /Ff 65536 /MK << /CA (Send) >>");
  draft.own("signature", "/FT /Sig");
  return draft;
}

/** A value for each of its fields that takes one. */
export const wholeValues = {
  line: "Ada Lovelace",
  lines: "12 Example Street with a long name that does not fit\nLondon",
  comb: "12345",
  short: "abc",
  secret: "swordfish",
  locked: "filled",
  agree: true,
  bare: true,
  radio: "green",
  city: "Paris",
  free: "something else",
  list: "blue",
  several: ["r", "Blue"],
  "person.name": "Grace Hopper",
};

/** An annotation that is no widget, with an appearance: a green square at the bottom right. */
export function note(draft: FormDraft): string {
  const stream = draft.add({
    entries: "/Type /XObject /Subtype /Form /BBox [0 0 20 20]",
    data: latin1("0 1 0 rg 0 0 20 20 re f"),
  });
  return draft.annotation(`/Subtype /Square /AP << /N ${stream} >>`, [560, 20, 580, 40]);
}

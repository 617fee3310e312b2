import { flate, latin1, pdf, type PdfObject, pdfString } from "../fixtures/pdf-writer.ts";
import { Random } from "../fuzz/random.ts";

/** A document with a secret in places that its seed chooses. */
export interface SecretDocument {
  readonly bytes: Uint8Array;
  readonly secret: string;
  /** Words beside the secret, each of which stays. */
  readonly neighbors: readonly string[];
  /** What hides the secret, for the message of a test that fails. */
  readonly places: readonly string[];
  /** Points, as displayed. */
  readonly size: { readonly width: number; readonly height: number };
  /** Whether the page looks the same without the secret but where it stood. */
  readonly looksTheSame: boolean;
}

const LATIN = [..."abcdefghijklmnopqrstuvwxyz"];

/** Letters of secrets. All but Latin are shown with a composite font. */
const ALPHABETS = [LATIN, LATIN, [..."бвгджзиклмнпрстфхцчшэюя"], [..."安全文件春夏秋冬山川日月"]] as const;

/** What does not look the same after its text was changed: it is drawn from elsewhere, or readers draw its value. */
const DRAWN_ELSEWHERE = ["a tiling pattern", "a soft mask", "an annotation", "a field", "replacement text"];

/** Makes the same document for the same seed. */
export function secretDocument(seed: number): SecretDocument {
  const random = new Random(seed, 21);
  const letters = random.pick(ALPHABETS);
  const isLatin = letters === LATIN;
  const word = (length: number, from: readonly string[] = LATIN): string =>
    Array.from({ length }, () => random.pick(from)).join("");
  const own = word(5 + random.below(6), letters);
  const secret = isLatin ? `Q${own}Q` : own;
  const neighbors: string[] = [];
  const neighbor = (): string => {
    const next = `N${word(3)}${neighbors.length}`;
    neighbors.push(next);
    return next;
  };
  const objects: PdfObject[] = ["", "", ""];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const helvetica = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  const three = add("null");
  const composite = add(
    "<< /Type /Font /Subtype /Type0 /BaseFont /Fixture /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2" +
      " /BaseFont /Fixture /CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600" +
      " /FontDescriptor << /Type /FontDescriptor /FontName /Fixture /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700" +
      ` /StemV 80 /FontBBox [0 -200 1000 800] >> >>] /ToUnicode ${add({ entries: "", data: latin1(allUnicode) })} >>`,
  );
  const fonts = `/Font << /F1 ${helvetica} /F2 ${composite} /F3 ${three} >>`;
  const usual = isLatin ? "F1" : "F2";
  const xobjects: string[] = [];
  const annotations: string[] = [];
  const [patterns, states]: [string[], string[]] = [[], []];
  let [catalog, info, y] = ["", "", 760];
  const line = (): number => (y -= 22);

  const spelled = (text: string, font: string): string => {
    if (font === "F2") return `<${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
    return random.once(3) ? `<${Buffer.from(text, "latin1").toString("hex")}>` : `(${text})`;
  };
  /** A word in pieces, as an operand of `TJ`. */
  const inPieces = (text: string, font: string): string => {
    let parts = "";
    for (let at = 0; at < text.length;) {
      const end = Math.min(text.length, at + 1 + random.below(4));
      parts += `${spelled(text.slice(at, end), font)} ${random.below(120) - 60} `;
      at = end;
    }
    return `[${parts}] TJ`;
  };
  /** Text after which the pen is at its end. */
  const shown = (text: string, font: string): string =>
    random.once(2) ? `${spelled(text, font)} Tj` : inPieces(text, font);
  /** A line with the secret between its neighbors, from the origin. */
  const sentence = (font = usual): string => {
    const state = random.pick(["", "1 Tc", "90 Tz", "3 Ts", "2 Tw", "2 Tr", "3 Tr"]);
    const texts = [`${neighbor()} `, secret, ` ${neighbor()}`];
    const operators = random.once(3) ? shown(texts.join(""), font) : texts.map((text) => shown(text, font)).join(" ");
    return `q BT ${state} /${font} ${8 + random.below(8)} Tf ${operators} ET Q`;
  };
  const moved = (content: string): string => `q 1 0 0 1 ${40 + random.below(60)} ${line()} cm ${content} Q`;
  const drawn = (form: string): string => `/X${xobjects.push(form) - 1} Do`;
  const formOf = (content: string, resources = "", entries = ""): string =>
    add(
      flate(
        content,
        `/Type /XObject /Subtype /Form /BBox [-600 -800 600 800] /Resources << ${fonts} ${resources} >> ${entries}`,
      ),
    );
  const string = (): string => {
    const text = `about ${secret}`;
    if (isLatin && random.once(2)) return pdfString(text);
    return !isLatin || random.once(2)
      ? `<FEFF${Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("")}>`
      : `(${Array.from(text, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`).join("")})`;
  };

  let isSlanted = false;
  const kinds: Readonly<Record<string, () => string>> = {
    text: () => moved(sentence()),
    "text at an angle": () => {
      // What crosses a redacted text goes with it, so there is only one.
      if (isSlanted) return moved(sentence());
      isSlanted = true;
      const angle = random.next() * 2 * Math.PI;
      const [cos, sin] = [Math.cos(angle).toFixed(5), Math.sin(angle).toFixed(5)];
      return `q ${cos} ${sin} ${-Number(sin)} ${cos} ${250 + random.below(80)} ${200 + random.below(80)} cm ${sentence()} Q`;
    },
    "the operators of lines": () => {
      const [top, low] = [line(), line() && line()];
      const [first, second, last] = [`${neighbor()} `, `${secret} `, neighbor()].map((text) => spelled(text, usual));
      const [x, leading] = [40 + random.below(60), (top - low) / 2];
      const ways = [
        `${x} ${top} Td ${leading} TL ${first} Tj ${second} ' 2 1 ${last} "`,
        `${x} ${top + leading} Td 0 ${-leading} TD ${first} Tj T* ${second} Tj T* ${last} Tj`,
        `1 0 0 1 ${x} ${top} Tm ${first} Tj 0 ${-leading} Td ${second} Tj ${leading} TL T* [${last}] TJ`,
        `1 0 .2 1 ${x} ${top} Tm ${leading} TL 95 Tz 1 Ts ${first} Tj 1 2 ${second} " ${last} '`,
      ];
      return `q BT /${usual} ${8 + random.below(6)} Tf ${random.pick(ways)} ET Q`;
    },
    "a clipping path": () => {
      const [top, text] = [line(), sentence()];
      return `q 30 ${top - 6} ${300 + random.below(200)} 24 re W${random.pick(["", "*"])} n 1 0 0 1 50 ${top} cm ${text} Q`;
    },
    "text that clips": () => {
      const top = line();
      const text = spelled(`${neighbor()} ${secret} ${neighbor()}`, usual);
      return `q 1 0 0 1 50 ${top} cm BT /${usual} 12 Tf 7 Tr ${text} Tj ET 0 -6 400 24 re f Q`;
    },
    "text on a shading": () => {
      const top = line();
      return `q 40 ${top - 6} 400 22 re W n /Sh sh Q q 1 0 0 1 50 ${top} cm ${sentence()} Q`;
    },
    "a tiling pattern": () => {
      const top = line();
      const cell = flate(
        `1 0 0 1 5 8 cm ${sentence()}`,
        `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 400 30] /XStep 400 /YStep 30 /Resources << ${fonts} >>`,
      );
      patterns.push(add(cell));
      // pdf.js does not read what patterns show.
      neighbors.splice(-2);
      return `q /Pattern cs /P${patterns.length - 1} scn 40 ${top - 6} 300 24 re f Q`;
    },
    "a soft mask": () => {
      const top = line();
      const group = formOf(
        `1 g 1 0 0 1 50 ${top} cm ${sentence()}`,
        "",
        "/Group << /S /Transparency /CS /DeviceGray >>",
      );
      states.push(add(`<< /Type /ExtGState /SMask << /Type /Mask /S /Luminosity /G ${group} >> >>`));
      neighbors.splice(-2);
      return `q /G${states.length - 1} gs 40 ${top - 6} 300 24 re f Q`;
    },
    "a span with its text": () => {
      const before = neighbors.length;
      const text = sentence();
      const said = `${neighbors[before]} ${secret} ${neighbors[before + 1]}`;
      return `/Span << /ActualText <FEFF${Buffer.from(said, "utf16le").swap16().toString("hex")}> >> BDC ${moved(text)} EMC`;
    },
    "a form": () => moved(drawn(formOf(sentence()))),
    "a form in a form": () => moved(drawn(formOf("/In Do", `/XObject << /In ${formOf(sentence())} >>`))),
    "a form that is drawn twice": () => {
      const form = drawn(formOf(sentence()));
      return moved(form) + moved(form);
    },
    "a Type 3 font": () => moved(sentence(isLatin ? "F3" : usual)),
    "a hidden layer": () => `/OC << /Type /OCG /Name (layer) >> BDC ${moved(sentence())} EMC`,
    "replacement text": () => `/Span << /ActualText ${string()} >> BDC ${moved("0 0 40 8 re f")} EMC`,
    "an annotation": () => {
      const top = line();
      const appearance = formOf(sentence());
      annotations.push(
        add(
          `<< /Type /Annot /Subtype /FreeText /Rect [40 ${top} 300 ${top + 20}] /Contents ${string()} /DA (/F1 9 Tf) /F 2 /AP << /N ${appearance} >> >>`,
        ),
      );
      // pdf.js does not read the appearance of a hidden annotation.
      neighbors.splice(-2);
      return "";
    },
    "a field": () => {
      const top = line();
      annotations.push(
        add(
          `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f${top}) /V ${string()} /Rect [40 ${top} 300 ${top + 18}] >>`,
        ),
      );
      return "";
    },
    Info: () => {
      info = `<< /${random.pick(["Title", "Subject", "Custom"])} ${string()} >>`;
      return "";
    },
    XMP: () => {
      const text = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${isLatin ? secret : references(secret)}</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`;
      catalog += ` /Metadata ${add({ entries: "/Type /Metadata /Subtype /XML", data: latin1(text) })}`;
      return "";
    },
    "a script": () => {
      catalog += ` /OpenAction << /S /JavaScript /JS ${string()} >>`;
      return "";
    },
    "an object that nothing uses": () => {
      add(`<< /Text ${string()} >>`);
      return "";
    },
  };
  const names = Object.keys(kinds);
  const once = new Set(["Info", "XMP", "a script"]);
  const places: string[] = ["text"];
  while (places.length < 5) {
    const name = random.pick(names);
    if (!places.includes(name) || !once.has(name)) places.push(name);
  }
  const content = places.map((name) => kinds[name]?.() ?? "");
  const glyph = add({ entries: "", data: latin1("600 0 d0 50 0 500 700 re f") });
  const codes = Array.from({ length: 127 - 32 }, (_, at) => at + 32);
  objects[Number.parseInt(three, 10) - 1] =
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 32 /LastChar 126` +
    ` /Widths [${codes.map(() => 600).join(" ")}] /Encoding << /Differences [32 ${codes.map((code) => `/g${code}`).join(" ")}] >>` +
    ` /CharProcs << ${codes.map((code) => `/g${code} ${glyph}`).join(" ")} >> /Resources << >> /ToUnicode ${add({ entries: "", data: latin1(identity) })} >>`;
  // Streams may end anywhere between two operators.
  const streams = content.map((part) => add(random.once(2) ? flate(part) : { entries: "", data: latin1(part) }));
  objects[0] = `<< /Type /Catalog /Pages 2 0 R ${catalog} /AcroForm << /Fields [] /DR << ${fonts} >> /DA (/F1 9 Tf) >> >>`;
  objects[1] = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
  const named = numbered("X", xobjects);
  const [page, width, height] = random.pick([
    ["", 600, 800],
    ["/Rotate 90", 800, 600],
    ["/Rotate 180 /UserUnit 2", 1200, 1600],
    ["/CropBox [10 10 590 790]", 580, 780],
  ] as const);
  objects[2] =
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${page} /Contents [${streams.join(" ")}]` +
    ` /Annots [${annotations.join(" ")}] /Resources << ${fonts} /XObject << ${named} >> /Pattern << ${numbered("P", patterns)} >>` +
    ` /ExtGState << ${numbered("G", states)} >> /Shading << /Sh << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [40 0 440 0]` +
    ` /Function << /FunctionType 2 /Domain [0 1] /C0 [1 .9 .8] /C1 [.8 .9 1] /N 1 >> >> >> >> >>`;
  const trailer = `/Root 1 0 R${info === "" ? "" : ` /Info ${add(info)}`}`;
  const looksTheSame = !places.some((name) => DRAWN_ELSEWHERE.includes(name));
  return { bytes: pdf(objects, trailer), secret, neighbors, places, size: { width, height }, looksTheSame };
}

/** Entries of resources. */
const numbered = (prefix: string, objects: readonly string[]): string =>
  objects.map((object, at) => `/${prefix}${at} ${object}`).join(" ");

/** A text as XML that is ASCII. */
const references = (text: string): string => Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join("");

/** A ToUnicode map in which each two bytes are UTF-16. */
const allUnicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /All def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${[0, 100, 200].map(rangesFrom).join("\n")}
endcmap end end`;

/** A range must not cross a high byte. */
function rangesFrom(from: number): string {
  const bytes = Array.from({ length: Math.min(100, 0xd8 - from) }, (_, at) =>
    (from + at).toString(16).padStart(2, "0"),
  );
  return `${bytes.length} beginbfrange ${bytes.map((high) => `<${high}00> <${high}ff> <${high}00>`).join(" ")} endbfrange`;
}

/** A ToUnicode map in which each byte is itself. */
const identity = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Fixture def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange
endcmap end end`;

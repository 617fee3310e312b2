import { flate, latin1, pdf, type PdfObject, pdfString } from "./pdf-writer.ts";
import { Random } from "./random.ts";

/** A document with a secret in places that its seed chooses. */
export interface SecretDocument {
  readonly bytes: Uint8Array;
  readonly secret: string;
  /** Words beside the secret, each of which stays. */
  readonly neighbors: readonly string[];
  /** What hides the secret, for the message of a test that fails. */
  readonly places: readonly string[];
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Makes the same document for the same seed. */
export function secretDocument(seed: number): SecretDocument {
  const random = new Random(seed, 21);
  const word = (length: number): string => Array.from({ length }, () => random.pick([...LETTERS])).join("");
  const secret = `Q${word(5 + random.below(6))}Q`;
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
  const fonts = `/Font << /F1 ${helvetica} /F3 ${three} >>`;
  const xobjects: string[] = [];
  const annotations: string[] = [];
  let [catalog, info, y] = ["", "", 760];
  const line = (): number => (y -= 22);

  /** A word in pieces, as an operand of `TJ`. */
  const inPieces = (text: string): string => {
    const spelled = (piece: string): string =>
      random.once(3) ? `<${Buffer.from(piece, "latin1").toString("hex")}>` : `(${piece})`;
    let parts = "";
    for (let at = 0; at < text.length;) {
      const end = Math.min(text.length, at + 1 + random.below(4));
      parts += `${spelled(text.slice(at, end))} ${random.below(120) - 60} `;
      at = end;
    }
    return `[${parts}] TJ`;
  };
  /** Text after which the pen is at its end. */
  const shown = (text: string): string => (random.once(2) ? `(${text}) Tj` : inPieces(text));
  /** A line with the secret between its neighbors, from the origin. */
  const sentence = (font = "F1"): string => {
    const state = random.pick(["", "1 Tc", "90 Tz", "3 Ts", "2 Tw", "2 Tr", "3 Tr"]);
    const texts = [`${neighbor()} `, secret, ` ${neighbor()}`];
    const operators = random.once(3) ? shown(texts.join("")) : texts.map(shown).join(" ");
    return `q BT ${state} /${font} ${8 + random.below(8)} Tf ${operators} ET Q`;
  };
  const moved = (content: string): string => `q 1 0 0 1 ${40 + random.below(60)} ${line()} cm ${content} Q`;
  const drawn = (form: string): string => `/X${xobjects.push(form) - 1} Do`;
  const formOf = (content: string, entries = ""): string =>
    add(flate(content, `/Type /XObject /Subtype /Form /BBox [-600 -800 600 800] /Resources << ${fonts} ${entries} >>`));
  const string = (): string => {
    const text = `about ${secret}`;
    if (random.once(2)) return pdfString(text);
    return random.once(2)
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
    "a form": () => moved(drawn(formOf(sentence()))),
    "a form in a form": () => moved(drawn(formOf("/In Do", `/XObject << /In ${formOf(sentence())} >>`))),
    "a form that is drawn twice": () => {
      const form = drawn(formOf(sentence()));
      return moved(form) + moved(form);
    },
    "a Type 3 font": () => moved(sentence("F3")),
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
      const text = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${secret}</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`;
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
  const named = xobjects.map((form, at) => `/X${at} ${form}`).join(" ");
  const page = random.pick(["", "/Rotate 90", "/Rotate 180 /UserUnit 2", "/CropBox [10 10 590 790]"]);
  objects[2] =
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${page} /Contents [${streams.join(" ")}]` +
    ` /Annots [${annotations.join(" ")}] /Resources << ${fonts} /XObject << ${named} >> >> >>`;
  const trailer = `/Root 1 0 R${info === "" ? "" : ` /Info ${add(info)}`}`;
  return { bytes: pdf(objects, trailer), secret, neighbors, places };
}

/** A ToUnicode map in which each byte is itself. */
const identity = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Fixture def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange
endcmap end end`;

import { zipSync } from "fflate";
import { flate, latin1, pdf, type PdfObject, pdfString } from "../fixtures/pdf-writer.ts";

/** UTF-16BE with its mark, as hexadecimal digits. */
const utf16 = (text: string): string =>
  `FEFF${Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0")).join("")}`;

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex");

/** What a place looks like in the file: by what a tool finds the secret there. */
export interface HidingPlace {
  readonly name: string;
  /** `raw`: in the bytes of the file once its streams are decoded; `text`: in the text that readers extract. */
  readonly by: "raw" | "text";
  /** What is searched. */
  readonly secret: string;
}

/** Each place has a word of its own that begins with this, so that the tools say which of them is left. */
export const SECRET = "Zanzibar";

/**
 * A document that has a secret in as many places as a PDF has for text, each time with another ending, and a revision in which
 * an earlier page showed it.
 */
export function hidingDocument(): { readonly bytes: Uint8Array; readonly places: readonly HidingPlace[] } {
  const places: HidingPlace[] = [];
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  /** A secret for a place. */
  const at = (name: string, by: HidingPlace["by"] = "raw"): string => {
    const number = places.length;
    const secret = `${SECRET}${letters[Math.floor(number / 26)]}${letters[number % 26]}`;
    places.push({ name, by, secret });
    return secret;
  };
  const objects: PdfObject[] = [];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const later = (): { readonly ref: string; set(object: PdfObject): void } => {
    const index = objects.push("null") - 1;
    return { ref: `${index + 1} 0 R`, set: (object) => (objects[index] = object) };
  };
  const stream = (entries: string, content: string): PdfObject => ({ entries, data: latin1(content) });
  const show = (text: string, x: number, y: number): string => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET\n`;

  const catalog = later();
  const tree = later();
  const page = later();
  const other = later();
  const helvetica = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  const fonts = `/Font << /F1 ${helvetica} >>`;
  const form = (content: string, entries = ""): string =>
    add(stream(`/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${fonts} >> ${entries}`, content));

  // Text of the page.
  const split = (text: string): string =>
    `BT /F1 10 Tf 50 720 Td [${Array.from(text, (letter) => `(${letter})`).join(" -20 ")}] TJ ET\n`;
  const perGlyph = (text: string): string =>
    `BT /F1 10 Tf 50 700 Td ${Array.from(text, (letter) => `(${letter}) Tj 8 0 Td`).join(" ")} ET\n`;
  const [half, rest] = ((text) => [text.slice(0, 5), text.slice(5)])(at("text across lines, with a hyphen", "text"));
  const turned = at("turned text", "text");
  const small = at("text too small to see", "text");
  const layer = add(`<< /Type /OCG /Name (${at("name of a layer")}) >>`);
  const membership = add(`<< /Type /OCMD /OCGs [${layer}] /P /AnyOff >>`);
  const ligature = at("a glyph that stands for several letters", "text");
  const unicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <01> <${utf16(ligature.slice(0, 8)).slice(4)}> <02> <${utf16(ligature.slice(8)).slice(4)}> endbfchar
endcmap end end`;
  const glyphs = add(
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 1 /LastChar 2 /Widths [3000 600]
 /Encoding << /Differences [1 /one /two] >> /CharProcs << /one ${add(stream("", "3000 0 d0 0 0 2900 700 re f"))} /two ${add(stream("", "600 0 d0 0 0 500 700 re f"))} >>
 /Resources << >> /ToUnicode ${add(stream("", unicode))} >>`,
  );
  const insideForm = form(show(at("text of a form", "text"), 50, 600));
  const nested = form(`/Inner Do`, `/Unused ${helvetica}`);
  objects[Number(nested.split(" ")[0]) - 1] = stream(
    `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${fonts} /XObject << /Inner ${form(show(at("text of a form in a form", "text"), 50, 580))} >> >>`,
    "/Inner Do",
  );
  const mask = form(show(at("text of a soft mask"), 50, 560), "/Group << /S /Transparency /CS /DeviceGray >>");
  const pattern = add(
    stream(
      `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 100 20] /XStep 100 /YStep 20 /Resources << ${fonts} >>`,
      show(at("text of a pattern"), 1, 5),
    ),
  );
  const unused = form(show(at("text of a form that nothing draws"), 50, 540));
  const content = [
    show(`before ${at("text", "text")} after`, 50, 740),
    split(at("text with an adjustment after each letter", "text")),
    perGlyph(at("text with an operator for each letter", "text")),
    `${show(`a line ends in ${half}-`, 50, 680)}${show(`${rest} and goes on`, 50, 668)}`,
    `BT /F1 10 Tf .7071 .7071 -.7071 .7071 400 500 Tm (at an angle ${turned} too) Tj ET\n`,
    `BT /F1 10 Tf 0 1 -1 0 580 300 Tm (upwards ${at("text at a right angle", "text")} too) Tj ET\n`,
    `BT 3 Tr ${show(at("invisible text", "text"), 50, 650).slice(3)}0 Tr\n`,
    `BT /F1 0.06 Tf 50 640 Td (${small}) Tj ET\n`,
    `/OC /Off BDC ${show(at("a hidden layer"), 50, 630)} EMC\n`,
    `/OC /Odd BDC ${show(at("a layer hidden by its membership"), 50, 620)} EMC\n`,
    `q 0 0 1 1 re W n ${show(at("clipped text", "text"), 50, 610)} Q\n`,
    show(at("text outside of the page"), 3000, 3000),
    `BT /F3 10 Tf 300 600 Td <0102> Tj ET\n`,
    `/Span << /ActualText (${at("replacement text", "text")}) >> BDC ${show("abcdefghij", 50, 590)} EMC\n`,
    `/Span << /E <${utf16(at("expansion of an abbreviation"))}> /Lang (en) >> BDC ${show("abbr.", 50, 570)} EMC\n`,
    `/Span /Prop BDC ${show("marked", 150, 570)} EMC\n`,
    `% ${at("a comment in content")}\n`,
    `/${at("a tag of marked content")} BMC EMC\n`,
    `/Fx Do /Fy Do q /Masked gs 0 0 10 10 re f Q q /Pattern cs /Pat scn 100 100 50 50 re f Q\n`,
    show("what stays", 50, 500),
  ].join("");
  const actual = add(
    `<< /ActualText (${at("replacement text in a property list")}) /Alt (${at("alternate text in a property list")}) >>`,
  );
  const thumbnail = add(
    flate(new Uint8Array(64).fill(65), "/Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8"),
  );

  // Annotations, fields, and actions.
  const appearance = (name: string): string => form(show(at(name), 2, 5), "/Matrix [1 0 0 1 0 0]");
  const note = add(
    `<< /Type /Annot /Subtype /Text /Rect [300 300 320 320] /Contents (${at("contents of a note")}) /T (${at("author of a note")}) /Subj (${at("subject of a note")})
 /RC (<body><p>${at("rich text of a note")}</p></body>) /AP << /N << /On ${appearance("an appearance")} /Off ${appearance("an appearance of another state")} >> /D ${appearance("the appearance while pressed")} >> /AS /On /F 2 >>`,
  );
  const link = add(
    `<< /Type /Annot /Subtype /Link /Rect [300 200 320 220] /A << /S /URI /URI (https://example.com/?q=${at("address of a link")}) >> >>`,
  );
  const goTo = add(
    `<< /Type /Annot /Subtype /Link /Rect [340 200 360 220] /A << /S /GoToR /F << /Type /Filespec /F (${at("file of a link")}.pdf) >> /D [0 /Fit] >> >>`,
  );
  const destination = at("a named destination");
  const toName = add(`<< /Type /Annot /Subtype /Link /Rect [380 200 400 220] /Dest (${destination}) >>`);
  const script = add(stream("", `app.alert("${at("a script in a stream")}");`));
  const field = add(
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${at("name of a field")}) /TU (${at("tooltip of a field")}) /V <${utf16(at("value of a field"))}> /DV (${at("default of a field")})
 /Rect [300 400 500 420] /DA (/F1 10 Tf) /AA << /K << /S /JavaScript /JS (${at("a script")}) >> /F << /S /JavaScript /JS ${script} >> >> /AP << /N ${appearance("the appearance of a field")} >> >>`,
  );
  const choice = add(
    `<< /Type /Annot /Subtype /Widget /FT /Ch /T (choice) /Opt [(one) [(${at("export value of an option")}) (${at("an option")})]] /Rect [300 430 500 450] /DA (/F1 10 Tf) >>`,
  );
  const state = at("state of a button");
  const button = add(
    `<< /Type /Annot /Subtype /Widget /FT /Btn /T (button) /V /${state} /AS /${state} /Rect [300 460 320 480] /AP << /N << /${state} ${form("0 0 5 5 re f")} /Off ${form("")} >> >> >>`,
  );
  const attached = (name: string, data: string | Uint8Array, entries: string): string =>
    add(
      `<< /Type /Filespec ${entries} /EF << /F ${add({ entries: "/Type /EmbeddedFile", data: typeof data === "string" ? latin1(data) : data })} >> >>`,
    );
  const harmless = attached("kept", "nothing to see", "/F (kept.txt) /UF (kept.txt)");
  const guilty = attached(
    "text",
    `a file about ${at("an attached text")}`,
    `/F (a.txt) /Desc (${at("description of an attachment")})`,
  );
  const packed = attached("zip", zipSync({ "a.txt": latin1(at("an attached archive", "text")) }), "/F (a.zip)");
  const named = attached("named", "nothing", `/F (${at("name of an attachment")}.txt)`);
  const dropped = places.findIndex(({ name }) => name === "an attached archive");
  places.splice(dropped, 1);
  const pin = add(
    `<< /Type /Annot /Subtype /FileAttachment /Rect [500 500 510 510] /FS ${attached("pin", at("a file on a page"), "/F (b.txt)")} >>`,
  );

  // The rest of the document.
  const item = later();
  const outline = add(`<< /Type /Outlines /First ${item.ref} /Last ${item.ref} /Count 1 >>`);
  item.set(`<< /Title <${utf16(at("a bookmark"))}> /Parent ${outline} /Dest [${page.ref} /Fit] >>`);
  const element = later();
  const structure = add(
    `<< /Type /StructTreeRoot /K ${element.ref} /RoleMap << /${at("a role")} /P >> /ParentTree << /Nums [] >> >>`,
  );
  element.set(
    `<< /Type /StructElem /S /P /P ${structure} /Pg ${page.ref} /Alt (${at("alternate text")}) /ActualText <${utf16(at("replacement text of an element"))}> /E (${at("expansion of an element")}) /T (${at("title of an element")}) /ID (${at("identifier of an element")}) >>`,
  );
  const metadata = add({
    entries: "/Type /Metadata /Subtype /XML",
    data: new TextEncoder().encode(
      `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${at("XMP")}</dc:title><dc:creator>${at("XMP with references to characters").replace("Z", "&#90;")}</dc:creator></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`,
    ),
  });
  const info = add(
    `<< /Title (${at("title")}) /Author <${utf16(at("author"))}> /Keywords (octal \\132${at("keywords").slice(1)}) /${at("name of a custom entry")} (yes) /CreationDate (D:20260101000000Z) >>`,
  );
  const image = add(
    flate(
      new Uint8Array(16 * 16).fill(90),
      `/Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray /BitsPerComponent 8 /OPI << /2.0 << /F (${at("file of an image")}) >> >>`,
    ),
  );
  const profile = add(stream("/N 1", `not a profile, but it names ${at("a profile")}`));
  const piece = add(`<< /App << /LastModified (D:20260101000000Z) /Private (${at("private data")}) >> >>`);
  const string = add(`(${at("a string that is an object")})`);
  const template = add(
    `<< /Type /Template /MediaBox [0 0 100 100] /Contents ${add(stream("", show(at("a hidden template"), 1, 1)))} /Resources << ${fonts} >> >>`,
  );
  page.set(
    `<< /Type /Page /Parent ${tree.ref} /MediaBox [0 0 600 800] /Contents ${add(flate(content))} /Thumb ${thumbnail} /PieceInfo ${piece}
 /Resources << /Font << /F1 ${helvetica} /F3 ${glyphs} >> /XObject << /Fx ${insideForm} /Fy ${nested} /Never ${unused} /Im ${image} >> /ExtGState << /Masked << /SMask << /S /Luminosity /G ${mask} >> >> >>
 /Pattern << /Pat ${pattern} >> /Properties << /Off ${layer} /Odd ${membership} /Prop ${actual} >> /ColorSpace << /Cs [/ICCBased ${profile}] >> >>
 /Annots [${[note, link, goTo, toName, field, choice, button, pin].join(" ")}] >>`,
  );
  other.set(
    `<< /Type /Page /Parent ${tree.ref} /MediaBox [0 0 600 800] /Contents ${add(stream("", show("a page that stays", 50, 700)))} /Resources << ${fonts} >> >>`,
  );
  tree.set(`<< /Type /Pages /Kids [${page.ref} ${other.ref}] /Count 2 >>`);
  const names = (tree: Record<string, string>): string =>
    `<< /Names [${Object.entries(tree)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${pdfString(key)} ${value}`)
      .join(" ")}] >>`;
  catalog.set(
    `<< /Type /Catalog /Pages ${tree.ref} /Outlines ${outline} /StructTreeRoot ${structure} /Metadata ${metadata} /AcroForm << /Fields [${field} ${choice} ${button}] /DR << ${fonts} >> /DA (/F1 10 Tf) >>
 /OCProperties << /OCGs [${layer}] /D << /OFF [${layer}] /Order [(${at("a group of layers")}) [${layer}]] >> >>
 /PageLabels << /Nums [0 << /S /D /P (${at("a page label")}-) >>] >>
 /Dests << /${at("a destination in a dictionary")} [${page.ref} /Fit] >>
 /Names << /Dests ${names({ [destination]: `[${page.ref} /Fit]`, plain: `[${other.ref} /Fit]` })} /EmbeddedFiles ${names({ [at("key of an attachment")]: guilty, kept: harmless, packed, named })}
 /JavaScript ${names({ [at("name of a script")]: `<< /S /JavaScript /JS (var a = "${at("a script of the document")}";) >>` })} /Templates ${names({ template })} >>
 /OpenAction << /S /JavaScript /JS (app.alert("${at("a script when the file opens")}")) >> /URI << /Base (https://${at("the base of addresses")}.example) >>
 /Threads [<< /Type /Thread /I << /Title (${at("title of an article")}) >> >>] /Collection << /Schema << /A << /N ${string} /Subtype /S >> >> >> /Lang (en) >>`,
  );
  // The page before its last change, and an object that is not used any more.
  const earlier = at("an earlier revision");
  const orphan = at("an object that is not used");
  add(stream("", show(orphan, 50, 50)));
  const first = pdf(
    objects,
    `/Root ${catalog.ref} /Info ${info} /ID [<${hex("0123456789abcdef")}> <${hex("0123456789abcdef")}>]`,
  );
  return { bytes: withEarlier(first, objects.length, earlier), places };
}

/** Appends a revision that replaces an object, so that the first one is only in the bytes of the file. */
function withEarlier(file: Uint8Array, count: number, secret: string): Uint8Array {
  const text = Buffer.from(file).toString("latin1");
  const number = count + 1;
  const entries = /trailer\n<< \/Size \d+ ([\s\S]*?) >>\nstartxref\n(\d+)/.exec(text);
  const revise = (before: string, body: string, previous: string): string => {
    const at = before.length;
    const object = `${number} 0 obj\n${body}\nendobj\n`;
    const xref = `xref\n${number} 1\n${String(at).padStart(10, "0")} 00000 n \n`;
    return `${before}${object}${xref}trailer\n<< /Size ${number + 1} ${entries?.[1]} /Prev ${previous} >>\nstartxref\n${at + object.length}\n%%EOF\n`;
  };
  const once = revise(text, `(${secret})`, entries?.[2] ?? "0");
  const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(once)?.[1] ?? "0";
  return latin1(revise(once, "(nothing)", previous));
}

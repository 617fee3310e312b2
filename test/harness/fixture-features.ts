import { dictionary, type Draft } from "./fixture-draft.ts";
import { destinationName, explicitDestination } from "./fixture-navigation.ts";
import { flate, latin1, noise, pdfString } from "./pdf-writer.ts";

/** On each page: a link to the next page, one back by an action, one to a named destination, one to the web; a note. */
export function addLinks(draft: Draft): void {
  const count = draft.pages.length;
  const named = draft.names.has("Dests");
  draft.pages.forEach((page, index) => {
    const link = (row: number, target: string): string =>
      draft.add(
        `<< /Type /Annot /Subtype /Link /P ${page.ref} /F 4 /Border [0 0 1] /C [0 0 1]` +
          ` /Rect [72 ${700 - row * 30} 200 ${720 - row * 30}] ${target} >>`,
      );
    page.annotations.push(link(0, `/Dest ${explicitDestination(draft, (index + 1) % count)}`));
    const back = explicitDestination(draft, (index + count - 1) % count);
    page.annotations.push(link(1, `/A << /S /GoTo /D ${back} >>`));
    if (named) page.annotations.push(link(2, `/Dest ${pdfString(destinationName(draft, (index + 2) % count))}`));
    page.annotations.push(link(3, `/A << /S /URI /URI (https://example.com/${draft.options.name}/${index + 1}) >>`));
    page.annotations.push(link(4, "/A << /S /Named /N /NextPage >>"));
    const note = draft.reserve();
    const popup = draft.add(
      `<< /Type /Annot /Subtype /Popup /Parent ${note} /P ${page.ref} /Rect [300 600 500 700] >>`,
    );
    draft.set(
      note,
      `<< /Type /Annot /Subtype /Text /P ${page.ref} /Popup ${popup} /Rect [520 780 540 800] /T (Reviewer)` +
        ` /Contents ${pdfString(`Note ${index + 1} on ${draft.options.name}`)} /M (D:20260102030405Z) /NM (note-${index}) >>`,
    );
    page.annotations.push(note, popup);
  });
}

/** Page labels: i, ii, then A-1, A-2, ... */
export function addLabels(draft: Draft): void {
  draft.catalog.set("PageLabels", "<< /Nums [0 << /S /r >> 2 << /S /D /P (A-) >>] >>");
}

/**
 * A form with hierarchical names: a text field with a widget on the first and one on the last page, a text field, a check
 * box and a choice that are their own widgets, and a radio group with its buttons on three pages.
 */
export function addForm(draft: Draft): void {
  const box = (content: string): string =>
    draft.add(flate(content, "/Type /XObject /Subtype /Form /BBox [0 0 20 20] /Resources << >>"));
  const on = box("q 0 0 20 20 re f Q");
  const off = box("q 0 0 20 20 re S Q");
  const widget = (index: number, row: number, entries: string): string => {
    const page = draft.page(index);
    const place = `/Type /Annot /Subtype /Widget /P ${page.ref} /F 4 /Rect [300 ${400 - row * 30} 320 ${420 - row * 30}]`;
    const ref = draft.add(`<< ${place} ${entries} >>`);
    page.annotations.push(ref);
    return ref;
  };
  const last = draft.pages.length - 1;
  const { name } = draft.options;
  const appearance = "/DA (/Helv 12 Tf 0 g)";

  const person = draft.reserve();
  const personName = draft.reserve();
  const nameKids = [widget(0, 0, `/Parent ${personName}`), widget(last, 1, `/Parent ${personName}`)];
  draft.set(
    personName,
    `<< /T (name) /FT /Tx /Parent ${person} ${appearance} /V ${pdfString(`Ada of ${name}`)} /Kids [${nameKids.join(" ")}] >>`,
  );
  const city = widget(1, 2, `/T (city) /FT /Tx /Parent ${person} ${appearance} /V (Turin) /MaxLen 20 /TU (The city)`);
  draft.set(person, `<< /T (person) /Kids [${personName} ${city}] >>`);

  const states = `/AP << /N << /Yes ${on} /Off ${off} >> >>`;
  const agree = widget(0, 3, `/T (agree) /FT /Btn ${states} /V /Yes /AS /Yes`);

  const radio = draft.reserve();
  const buttons = [0, 1, 2].map((index) => {
    const state = `choice${index + 1}`;
    const chosen = index === 1 ? `/${state}` : "/Off";
    return widget(index, 4 + index, `/Parent ${radio} /AP << /N << /${state} ${on} /Off ${off} >> >> /AS ${chosen}`);
  });
  draft.set(radio, `<< /T (radio) /FT /Btn /Ff 49152 /V /choice2 /Kids [${buttons.join(" ")}] >>`);

  const list = widget(last, 7, `/T (color) /FT /Ch /Ff 131072 ${appearance} /Opt [(red) [(g) (green)]] /V (red)`);
  const font = draft.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  draft.catalog.set(
    "AcroForm",
    `<< /Fields [${[person, agree, radio, list].join(" ")}] ${appearance} /DR << /Font << /Helv ${font} >> >> >>`,
  );
}

/** Two document-level attachments, and one that hangs on an annotation of the first page. */
export function addAttachments(draft: Draft): void {
  const file = (fileName: string, content: string): string => {
    const data = draft.add(flate(content, `/Type /EmbeddedFile /Params << /Size ${content.length} >>`));
    return draft.add(
      `<< /Type /Filespec /F (${fileName}) /UF (${fileName}) /Desc (About ${fileName}) /EF << /F ${data} >> >>`,
    );
  };
  const { name } = draft.options;
  const entries = ["data.csv", "readme.txt"].map(
    (fileName) => `(${fileName}) ${file(fileName, `${fileName} of ${name}\n`)}`,
  );
  draft.names.set("EmbeddedFiles", draft.add(`<< /Names [${entries.join(" ")}] >>`));
  const page = draft.page(0);
  page.annotations.push(
    draft.add(
      `<< /Type /Annot /Subtype /FileAttachment /P ${page.ref} /Rect [400 780 420 800] /Contents (Attached)` +
        ` /FS ${file("pinned.txt", `pinned to ${name}\n`)} >>`,
    ),
  );
}

function image(draft: Draft, seed: number): string {
  const bytes = draft.options.imageBytes ?? 30_000;
  const side = Math.max(1, Math.round(Math.sqrt(bytes / 3)));
  const data = noise(side * side * 3, seed);
  const entries = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  // Compressed, as every producer leaves images, although noise does not get smaller.
  return draft.add(flate(data, entries));
}

/** One big image that every page draws. */
export function addSharedImage(draft: Draft): void {
  draft.resource("XObject", "Shared", image(draft, draft.options.seed ?? 7));
  for (const page of draft.pages) page.content.push("q 200 0 0 200 72 300 cm /Shared Do Q");
}

/** As many images as pages in the one Resources dictionary of all pages; each page draws its own alone. */
export function addImagePerPage(draft: Draft): void {
  draft.pages.forEach((page, index) => {
    draft.resource("XObject", `Im${index}`, image(draft, (draft.options.seed ?? 7) + index + 1));
    page.content.push(`q 200 0 0 200 300 300 cm /Im${index} Do Q`);
  });
}

/** UserUnit 2 on the first page, a CropBox on the second, Rotate 90 from the second node of the page tree, and one of its own. */
export function addBoxes(draft: Draft): void {
  draft.page(0).entries.set("UserUnit", "2");
  draft.page(1).entries.set("CropBox", "[50 60 400 700]");
  draft.page(2).entries.set("Rotate", "270");
  draft.nodeEntries.set(1, "/Rotate 90 /MediaBox [0 0 842 595]");
}

/** Two layers, one of them hidden; the odd pages draw on the first, the even ones on the second. */
export function addLayers(draft: Draft): void {
  const layers = ["Shown", "Hidden"].map((title) =>
    draft.add(`<< /Type /OCG /Name (${title} of ${draft.options.name}) >>`),
  );
  layers.forEach((ref, index) => draft.resource("Properties", `OC${index}`, ref));
  draft.pages.forEach((page, index) =>
    page.content.push(`/OC /OC${index % 2} BDC BT /F1 12 Tf 72 200 Td (Layer ${index % 2}) Tj ET EMC`),
  );
  const all = layers.join(" ");
  const state = new Map([
    ["Name", "(Default)"],
    ["Order", `[${all}]`],
    ["ON", `[${layers[0]}]`],
    ["OFF", `[${layers[1]}]`],
  ]);
  draft.catalog.set("OCProperties", `<< /OCGs [${all}] /D ${dictionary(state)} >>`);
}

/** XMP that says what the Info dictionary says. */
export function xmp(title: string): Uint8Array {
  return latin1(
    `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF` +
      ` xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""` +
      ` xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li>` +
      `</rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`,
  );
}

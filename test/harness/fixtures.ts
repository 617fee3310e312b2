import { concatenate, flate, latin1, noise, pdf, pdfString } from "./pdf-writer.ts";
import { dictionary, Draft, type DocumentOptions, type Feature } from "./fixture-draft.ts";
import {
  addAttachments,
  addBoxes,
  addForm,
  addImagePerPage,
  addLabels,
  addLayers,
  addLinks,
  addSharedImage,
  xmp,
} from "./fixture-features.ts";
import { addDestinations, addOutline } from "./fixture-navigation.ts";
import { addTags } from "./fixture-tags.ts";

/** Features in the order in which they see each other's work. */
const builders: readonly (readonly [Feature, (draft: Draft) => void])[] = [
  ["destinations", addDestinations],
  ["outline", addOutline],
  ["links", addLinks],
  ["labels", addLabels],
  ["form", addForm],
  ["attachments", addAttachments],
  ["shared-image", addSharedImage],
  ["image-per-page", addImagePerPage],
  ["boxes", addBoxes],
  ["layers", addLayers],
  // Last: it tags the annotations that the others made.
  ["tagged", addTags],
];

export const allFeatures: readonly Feature[] = builders.map(([feature]) => feature);

/** A PDF of A4 pages with a line of text each, made to order; the same bytes for the same options. */
export function document(options: DocumentOptions): Uint8Array {
  const draft = new Draft(options);
  const catalogRef = draft.reserve();
  const font = draft.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  draft.resource("Font", "F1", font);
  for (let index = 0; index < options.pages; index++) {
    draft.pages.push({
      ref: draft.reserve(),
      entries: new Map([["Type", "/Page"]]),
      annotations: [],
      content: [`BT /F1 24 Tf 72 760 Td (Page ${index + 1} of ${options.name}) Tj ET`],
    });
  }
  for (const [feature, build] of builders) if (options.features?.includes(feature)) build(draft);
  if (draft.names.size > 0) draft.catalog.set("Names", dictionary(draft.names));
  draft.catalog.set("Pages", writePageTree(draft));
  draft.catalog.set("Lang", "(en-GB)");
  const title = `Title of ${options.name}`;
  draft.catalog.set("Metadata", draft.add({ entries: "/Type /Metadata /Subtype /XML", data: xmp(title) }));
  draft.set(catalogRef, dictionary(draft.catalog));
  const info = draft.add(
    `<< /Title ${pdfString(title)} /Author (The author) /Subject (A fixture) /Producer (fixtures)` +
      " /CreationDate (D:20260102030405Z) /ModDate (D:20260102030405Z) >>",
  );
  const id = `<${[...noise(16, options.seed ?? 1)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}>`;
  return pdf(draft.objects, `/Root ${catalogRef} /Info ${info} /ID [${id} ${id}]`);
}

/** Two levels, so that pages inherit from a node and from the root. */
function writePageTree(draft: Draft): string {
  const root = draft.reserve();
  const perNode = 8;
  const nodes: string[] = [];
  for (let start = 0; start < draft.pages.length; start += perNode) {
    const node = draft.reserve();
    const kids = draft.pages.slice(start, start + perNode);
    for (const page of kids) {
      page.entries.set("Parent", node);
      page.entries.set("Contents", draft.add(flate(page.content.join("\n"))));
      if (page.annotations.length > 0) page.entries.set("Annots", `[${page.annotations.join(" ")}]`);
      draft.set(page.ref, dictionary(page.entries));
    }
    const own = draft.nodeEntries.get(nodes.length) ?? "";
    const refs = kids.map((page) => page.ref).join(" ");
    draft.set(node, `<< /Type /Pages /Parent ${root} /Kids [${refs}] /Count ${kids.length} ${own} >>`);
    nodes.push(node);
  }
  const resources = [...draft.resources].map(([category, entries]) => `/${category} ${dictionary(entries)}`).join(" ");
  const shared = draft.add(`<< ${resources} >>`);
  draft.set(
    root,
    `<< /Type /Pages /Kids [${nodes.join(" ")}] /Count ${draft.pages.length} /MediaBox [0 0 595 842] /Resources ${shared} >>`,
  );
  return root;
}

/** A PDF of about `megabytes` MiB over 100 pages, an image each, that no compression makes smaller. */
export function largeDocument(megabytes = 25): Uint8Array {
  const overhead = 700;
  const imageBytes = Math.floor((megabytes * 1024 * 1024) / 100) - overhead;
  return document({ name: "large", pages: 100, features: ["image-per-page"], imageBytes });
}

/** The bytes of a file of this text, not a PDF whatever its name says. */
export const notAPdf: Uint8Array = latin1("This is a text file, whatever its name says.\n".repeat(40));

/** A PDF with bytes of another kind before its header, as mail gateways leave them; still a PDF. */
export function withPrefix(bytes: Uint8Array): Uint8Array {
  return concatenate([latin1("X-Header: value\r\n\r\n"), bytes]);
}

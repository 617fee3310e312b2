import type { Draft } from "./fixture-draft.ts";
import { pdfString } from "./pdf-writer.ts";

/**
 * A structure tree: Document, a section for every page with a heading, a paragraph and (where the page has links) a Link
 * with the annotation; one paragraph that runs over the first two pages; a table. The parent tree holds an array for each
 * page and an element for each tagged annotation.
 */
export function addTags(draft: Draft): void {
  const root = draft.reserve();
  const top = draft.reserve();
  const parentTree: [number, string][] = [];
  const sections: string[] = [];
  const element = (type: string, parent: string, entries: string, ref = draft.reserve()): string => {
    draft.set(ref, `<< /Type /StructElem /S /${type} /P ${parent} ${entries} >>`);
    return ref;
  };

  const spanning = draft.reserve();
  const spanned: string[] = [];
  draft.pages.forEach((page, index) => {
    page.entries.set("StructParents", String(index));
    const section = draft.reserve();
    const pg = `/Pg ${page.ref}`;
    const heading = element("Title", section, `${pg} /K 0 /T ${pdfString(`Heading ${index + 1}`)}`);
    const paragraph = element("P", section, `${pg} /K 1 /Lang (fr-FR) /Alt ${pdfString(`Paragraph ${index + 1}`)}`);
    const owners = [heading, paragraph];
    const kids = [heading, paragraph];
    // The page's own text becomes the heading.
    page.content[0] = `/H1 << /MCID 0 >> BDC ${page.content[0]} EMC`;
    page.content.push(`/P << /MCID 1 >> BDC BT /F1 12 Tf 72 740 Td (Paragraph of page ${index + 1}) Tj ET EMC`);
    if (index < 2) {
      page.content.push(`/P << /MCID 2 >> BDC BT /F1 12 Tf 72 730 Td (Part ${index + 1}) Tj ET EMC`);
      owners.push(spanning);
      spanned.push(`<< /Type /MCR ${pg} /MCID 2 >>`);
    }
    kids.push(tableOf(draft, section, pg, index, owners));
    page.annotations.forEach((annotation, place) => {
      const body = draft.objects[Number.parseInt(annotation, 10) - 1];
      if (typeof body !== "string" || !body.includes("/Subtype /Link")) return;
      const key = draft.pages.length + index * 20 + place;
      draft.set(annotation, body.replace("<< ", `<< /StructParent ${key} `));
      const link = element("Link", section, `/K << /Type /OBJR ${pg} /Obj ${annotation} >>`);
      parentTree.push([key, link]);
      kids.push(link);
    });
    element("Sect", top, `/K [${kids.join(" ")}]`, section);
    sections.push(section);
    parentTree.push([index, `[${owners.join(" ")}]`]);
  });
  element("P", top, `/K [${spanned.join(" ")}]`, spanning);
  element("Document", root, `/K [${[...sections, spanning].join(" ")}]`, top);
  parentTree.sort(([a], [b]) => a - b);
  const next = (parentTree.at(-1)?.[0] ?? -1) + 1;
  const numbers = draft.add(`<< /Nums [${parentTree.map(([key, value]) => `${key} ${value}`).join(" ")}] >>`);
  draft.set(
    root,
    `<< /Type /StructTreeRoot /K ${top} /ParentTree ${numbers} /ParentTreeNextKey ${next} /RoleMap << /Title /H1 >> >>`,
  );
  draft.catalog.set("StructTreeRoot", root);
  draft.catalog.set("MarkInfo", "<< /Marked true >>");
}

/** A table of one row and two cells; `owners` gets the element of each marked content in the order of its number. */
function tableOf(draft: Draft, parent: string, pg: string, index: number, owners: string[]): string {
  const page = draft.page(index);
  const table = draft.reserve();
  const row = draft.reserve();
  const cells = ["TH", "TD"].map((type) => {
    const id = owners.length;
    page.content.push(
      `/${type} << /MCID ${id} >> BDC BT /F1 12 Tf 72 ${720 - 12 * id} Td (${type} ${index + 1}) Tj ET EMC`,
    );
    const scope = type === "TH" ? "/A << /O /Table /Scope /Row >>" : "";
    const cell = draft.add(`<< /Type /StructElem /S /${type} /P ${row} ${pg} /K ${id} ${scope} >>`);
    owners.push(cell);
    return cell;
  });
  draft.set(row, `<< /Type /StructElem /S /TR /P ${table} /K [${cells.join(" ")}] >>`);
  draft.set(table, `<< /Type /StructElem /S /Table /P ${parent} /K ${row} >>`);
  return table;
}

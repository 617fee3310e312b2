import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { flate, pdf } from "../harness/fixtures/pdf-writer.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const source = document({ name: "source", pages: 6, features: ["links", "outline", "labels", "form", "attachments"] });

async function extracted(range: string, bytes = source) {
  const response = await post(service, "extract-pages", { file: pdfPart(bytes), range });
  expect(response.status).toBe(200);
  expect(await check(response.body)).toMatchObject({ ok: true });
  return response;
}

const pagesOf = async (bytes: Uint8Array): Promise<string[]> =>
  (await openPdf(bytes)).pages.map(({ text }) => /Page \d+/.exec(text)?.[0] ?? "");

test.each([
  ["2", ["Page 2"]],
  ["3-5", ["Page 3", "Page 4", "Page 5"]],
  ["5-3", ["Page 5", "Page 4", "Page 3"]],
  ["last,1,1", ["Page 6", "Page 1", "Page 1"]],
  ["all,!2-5", ["Page 1", "Page 6"]],
  ["even", ["Page 2", "Page 4", "Page 6"]],
])("copies the pages of %j in their order", async (range, expected) => {
  const { headers, body } = await extracted(range);
  expect(await pagesOf(body)).toEqual(expected);
  expect(headers.get("X-Page-Count")).toBe(String(expected.length));
  // What is drawn, not only what can be searched.
  const first = Number(expected[0]?.slice(5));
  expect((await readPage(body)).picture.png.equals((await readPage(source, first)).picture.png)).toBe(true);
});

test("remaps and keeps the properties of the pages, and drops and counts attachments", async () => {
  const { headers, body } = await extracted("2-3");
  const [before, after] = await Promise.all([openPdf(source), openPdf(body)]);
  expect(after.labels).toEqual(before.labels?.slice(1, 3));
  expect(after.outline.length).toBeGreaterThan(0);
  const [link] = after.pages[0]?.annotations ?? [];
  expect(link).toMatchObject({ subtype: "Link", target: { page: 1 } });
  expect(before.attachments.length).toBeGreaterThan(0);
  expect(after.attachments).toEqual([]);
  expect(headers.get("X-Attachments-Dropped")).toBe(String(before.attachments.length));
});

test("leaves nothing of the other pages in the file", async () => {
  const long = document({ name: "long", pages: 40, features: ["image-per-page"] });
  const { body } = await extracted("2", long);
  expect(body.length).toBeLessThan(long.length / 20);
  expect(await pagesOf(body)).toEqual(["Page 2"]);
});

/** Three pages that draw one form XObject, whose marked content belongs to an element of each page; the elements refer to each other. */
function taggedTogether(): Uint8Array {
  const pages = [4, 5, 6];
  const elements = [11, 12, 13];
  const list = (numbers: readonly number[]): string => numbers.map((number) => `${number} 0 R`).join(" ");
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 9 0 R /MarkInfo << /Marked true >> >>",
      `<< /Type /Pages /Count 3 /Kids [${list(pages)}] >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...pages.map(
        (_, index) =>
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /StructParents ${index} /Contents 7 0 R /Resources << /XObject << /X 8 0 R >> >> >>`,
      ),
      flate("/X Do"),
      flate(
        elements
          .map((_, id) => `/P << /MCID ${id} >> BDC BT /F 9 Tf 20 ${150 - 20 * id} Td (Part ${id}) Tj ET EMC`)
          .join("\n"),
        "/Type /XObject /Subtype /Form /BBox [0 0 200 200] /StructParents 3 /Resources << /Font << /F 3 0 R >> >>",
      ),
      `<< /Type /StructTreeRoot /K 10 0 R /ParentTree << /Nums [3 [${list(elements)}]] >> >>`,
      `<< /Type /StructElem /S /Document /P 9 0 R /K [${list(elements)}] >>`,
      ...elements.map(
        (own, index) =>
          `<< /Type /StructElem /S /P /P 10 0 R /Pg ${pages[index]} 0 R /Ref [${list(elements.filter((other) => other !== own))}]
          /K << /Type /MCR /Pg ${pages[index]} 0 R /MCID ${index} /Stm 8 0 R >> >>`,
      ),
    ],
    "/Root 1 0 R",
  );
}

test("keeps the structure elements of the pages, and none that only a form XObject or another element refers to", async () => {
  const elementsOf = (text: string): string[] => text.match(/\/S \/(?:P|Document)\b/g)?.toSorted() ?? [];
  const one = await plainText((await extracted("2", taggedTogether())).body);
  expect(elementsOf(one)).toEqual(["/S /Document", "/S /P"]);
  expect(one).not.toContain("/Ref ");
  // The lists of marked content go by its number.
  expect(one.replaceAll(/\s+/g, " ")).toMatch(/\/Nums \[ 3 (?:\d+ 0 R|\[ null \d+ 0 R null \])/);
  expect(one).not.toContain("/StructParents 1");
  const two = await plainText((await extracted("1,3", taggedTogether())).body);
  expect(elementsOf(two)).toEqual(["/S /Document", "/S /P", "/S /P"]);
  expect(two.match(/\/Ref \[\s*\d+ 0 R\s*\]/g)).toHaveLength(2);
});

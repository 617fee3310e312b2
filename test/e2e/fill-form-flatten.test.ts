import { describe, expect, test } from "vitest";
import { fill } from "../harness/requests/form-calls.ts";
import { FormDraft, note, wholeForm, wholeValues as all } from "../harness/fixtures/form-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { plainText } from "../harness/engines/qpdf.ts";
import { type Area, areaOf, countPixels, differingPixels, readPage } from "../harness/engines/render.ts";

describe("flatten", () => {
  test("nothing fillable is left, and the appearance and other annotations stay", async () => {
    const draft = wholeForm();
    note(draft);
    draft.own("hidden", "/FT /Tx /F 2");
    const bytes = draft.bytes();
    const kept = await fill(bytes, { ...all, hidden: "not shown" });
    const { body } = await fill(bytes, { ...all, hidden: "not shown" }, { flatten: "true" });
    const [one, other] = [await readPage(kept.body), await readPage(body)];
    // pdf.js does not draw a push button without an appearance.
    const push = one.widgets.find(({ name }) => name === "push");
    const differing = (area: Area): number => differingPixels(one.picture, other.picture, area);
    expect(differing([0, 0, 600, 800])).toBe(differing(push?.area ?? [0, 0, 0, 0]));
    expect(areaOf(other.picture, (r, g, b) => g > 200 && r < 50 && b < 50)).toEqual([560, 760, 580, 780]);
    const { pages, fields } = await openPdf(body);
    expect(pages[0]?.annotations.map(({ subtype }) => subtype)).toEqual(["Square"]);
    expect(fields.size).toBe(0);
    expect(await plainText(body)).not.toMatch(/AcroForm|\/Widget|not shown/);
    expect(other.text).toContain("Ada Lovelace");
    expect(other.text).not.toContain("swordfish");
  });

  test("a value without an appearance is shown, which some viewers generate", async () => {
    const draft = new FormDraft();
    draft.own("bare", "/FT /Tx /V (was there)");
    draft.own("choice", "/FT /Ch /Ff 131072 /Opt [(a) (b)] /V (b) /MK << /BC [0] >>");
    const { body } = await fill(draft.bytes(), {}, { flatten: "true" });
    const { text, picture } = await readPage(body);
    expect(text).toMatch(/^was there\s*b$/);
    expect(areaOf(picture, (r, g, b) => Math.max(r, g, b) < 100)).toEqual([20, 50, 220, 70]);
    expect((await readPage((await fill(draft.bytes(), {})).body)).picture.png).not.toEqual(picture.png);
  });

  test.each(["", "/NeedAppearances true"])(
    "buttons without an appearance are drawn in their state, with %j",
    async (form) => {
      const draft = new FormDraft();
      draft.form = form;
      const mk = "/MK << /BC [0 0 1] >>";
      const radio = draft.add("null");
      const parts = ["/AS /Off", "/AS /b", ""].map((state) =>
        draft.widget(`/Parent ${radio} ${state} ${mk}`, draft.place(20)),
      );
      draft.objects[Number.parseInt(radio, 10) - 1] =
        `<< /FT /Btn /Ff 49152 /T (radio) /V /b /Kids [${parts.join(" ")}] >>`;
      draft.field(radio);
      draft.own("single", `/FT /Btn /Ff 49152 /V /x ${mk}`, draft.place(20));
      draft.own("box", `/FT /Btn /V /Ja /AS /Ja /AP << /N << >> >> ${mk}`, draft.place(20));
      draft.own("off", `/FT /Btn /V /Off ${mk}`, draft.place(20));
      draft.own("push", "/FT /Btn /Ff 65536 /Q 2 /MK << /CA (Send it) /BG [0 1 0] >>");
      draft.own("icon", "/FT /Btn /Ff 65536 /MK << /CA (unseen) /TP 1 /BG [0 1 0] >>");
      for (const values of [{}, { radio: "0" }]) {
        const { body } = await fill(draft.bytes(), values, { flatten: "true" });
        const { picture, text, runs } = await readPage(body);
        // The marks are red, as the form's default appearance says; rows are 30 points apart.
        const marked = Array.from({ length: 6 }, (_, row) => {
          const area = [20, 20 + 30 * row, 40, 40 + 30 * row] as const;
          return countPixels(picture, area, (r, g, b) => r > 200 && g < 80 && b < 80) > 20;
        });
        expect(marked).toEqual([...("radio" in values ? [true, false] : [false, true]), false, true, true, false]);
        expect(text).toContain("Send it");
        expect(text).not.toContain("unseen");
        const [caption] = runs.filter((run) => run.text.includes("Send"));
        expect(caption?.x).toBeGreaterThan(80);
        expect(caption?.x).toBeLessThan(120);
        for (const row of [6, 7]) {
          const area = [22, 22 + 30 * row, 60, 38 + 30 * row] as const;
          expect(countPixels(picture, area, (r, g, b) => g > 200 && r < 80 && b < 80)).toBe(4 * 38 * 16);
        }
      }
    },
  );

  test("values of a tagged document are in the places of their fields for screen readers", async () => {
    const draft = new FormDraft();
    const root = draft.add("null");
    const [shown, hidden] = [draft.add("null"), draft.add("null")];
    const element = (kid: string): string =>
      `<< /Type /StructElem /S /Form /P ${root} /Pg 3 0 R /K [<< /Type /OBJR /Obj ${kid} >>] >>`;
    const place = (ref: string, object: string): void => {
      draft.objects[Number.parseInt(ref, 10) - 1] = object;
    };
    place(shown, element(draft.own("shown", "/FT /Tx /StructParent 0")));
    place(hidden, element(draft.own("hidden", "/FT /Tx /StructParent 1 /F 2")));
    draft.own("untagged", "/FT /Tx");
    place(root, `<< /Type /StructTreeRoot /K [${shown} ${hidden}] /ParentTree << /Nums [0 ${shown} 1 ${hidden}] >> >>`);
    draft.catalog = `/MarkInfo << /Marked true >> /StructTreeRoot ${root}`;
    const values = { shown: "to be read", hidden: "not shown", untagged: "beside" };
    const { body } = await fill(draft.bytes(), values, { flatten: "true" });
    expect((await readPage(body)).text.replaceAll("\n", " ")).toContain("to be read");
    // pdf.js does not look for an element's content in forms.
    const written = await plainText(body);
    expect(written).not.toMatch(/OBJR|Widget|not shown/);
    expect(written).toMatch(/\/Form <<\/MCID 0>> BDC/);
    expect(written).toMatch(/\/MCID 0\s+\/Pg \d+ 0 R\s+\/Stm \d+ 0 R\s+\/Type \/MCR/);
    expect(written).toMatch(/\/Artifact BMC q/);
  });
});

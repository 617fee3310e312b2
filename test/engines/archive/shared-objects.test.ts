import { expect, test } from "vitest";
import { archive } from "../../../src/engines/pdf/archive/archive.ts";
import { latin1, pdf, type PdfObject } from "../../harness/fixtures/pdf-writer.ts";
import { inEngine } from "./archived-fonts.ts";

const LONG = "x".repeat(40_000);

/** A document whose catalog and page have these entries, with further objects from 5 on. */
const documentOf = (catalog: string, page: string, content: string, objects: readonly PdfObject[]): Uint8Array =>
  pdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 90 90] /Contents 4 0 R ${page} >>`,
      { entries: "", data: latin1(content) },
      ...objects,
    ],
    "/Root 1 0 R",
  );

/** The fuel that archiving takes, and the changes. */
const archived = (file: Uint8Array): Promise<{ fuel: number; changes: Record<string, number> }> =>
  inEngine(file, async (open) => {
    const { work } = open.engine;
    const before = work.spent;
    const loadFont = (): Promise<never> => Promise.reject(new Error("No font is loaded."));
    const { changes } = await archive(open, { profile: "2b", loadFont });
    return { fuel: work.spent - before, changes: Object.fromEntries(changes.counts) };
  });

test("private data that many applications share are looked through once", async () => {
  const chain = (end: string): string[] => [
    ...Array.from({ length: 2_000 }, (_, index) => `<< /Next ${6 + index} 0 R >>`),
    end,
  ];
  const of = (applications: number, end: string): Uint8Array => {
    const names = Array.from({ length: applications }, (_, index) => `/App${index} 5 0 R`).join(" ");
    return documentOf(`/XXOwn (${LONG})`, `/PieceInfo << ${names} >>`, "", chain(end));
  };
  const [one, many] = [await archived(of(1, "<< >>")), await archived(of(500, "<< >>"))];
  expect(many.fuel).toBeLessThan(one.fuel * 1.5);
  expect(many.changes["private_data_removed"]).toBe(1);
  expect((await archived(of(500, `<< /Ink (${LONG}) >>`))).changes["private_data_removed"]).toBe(501);
});

test("DeviceN spaces of more colorants than PDF/A allows are left alone", async () => {
  const of = (colorants: number): Uint8Array => {
    const names = Array.from({ length: colorants }, (_, index) => `/Ink${index}`);
    const separations = names.map((name, index) => `/S${index} [/Separation ${name} /DeviceRGB 7 0 R]`);
    return documentOf(
      "",
      `/Resources << /ColorSpace << /C 5 0 R ${separations.join(" ")} >> >>`,
      `/C cs ${"0 ".repeat(colorants)} scn 0 0 9 9 re f`,
      [
        `[/DeviceN [${names.join(" ")}] /DeviceRGB 6 0 R]`,
        {
          entries: `/FunctionType 4 /Domain [${"0 1 ".repeat(colorants)}] /Range [0 1 0 1 0 1]`,
          data: latin1(`{ ${"pop ".repeat(colorants)} 0 0 0 }`),
        },
        "<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0] /C1 [1 1 1] >>",
      ],
    );
  };
  expect((await archived(of(30))).changes["colorants_described"]).toBe(30);
  expect((await archived(of(300))).changes["colorants_described"]).toBeUndefined();
});

import { expect, test, vi } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { broken, report, sound, stream, withoutXmp } from "./report.ts";
import { Work } from "../../../src/engines/work.ts";

const CONTENT = "/Contents 4 0 R /Resources << >>";

test("a sound file breaks no rule of part 2, and the report has the coverage", async () => {
  const found = await report(sound(CONTENT, [stream("", "q Q")]), "2b");
  expect(broken(found)).toEqual([]);
  expect(found).toMatchObject({ profile: "2b", claimed: null });
  expect(found.coverage.rules).toBeGreaterThan(90);
});

test("the header, the identifier, and the end of the file are read from its bytes", async () => {
  const file = sound("", [], { header: "%PDF-2.0", trailer: "" });
  expect(broken(await report(file, "2b"))).toEqual(["6.1.2-1 x1", "6.1.3-1 x1"]);
  expect(broken(await report(file, "4"))).toEqual(["6.1.3-1 x1"]);
  const longer = bytesOf(`${latin1(sound(""))}more`);
  expect(broken(await report(longer, "2b"))).toEqual(["6.1.3-3 x1"]);
});

test("a failure names the object and the page", async () => {
  const found = await report(sound(CONTENT, [stream("", "1 0 0 rg 0 0 9 9 re f")]), "2b");
  expect(withoutXmp(found)).toEqual([
    {
      clause: "6.2.4.3",
      test: 2,
      message: "DeviceRGB is used without an output intent or a default color space that gives its meaning.",
      count: 1,
      first: { object: 3, page: 1, context: "DeviceRGB" },
    },
  ]);
  expect(found.conforms).toBe(false);
});

test("a Length that differs from the data, and keywords without lines of their own, are found in the bytes", async () => {
  const longer = sound(CONTENT, ["<< /Length 3 >>\nstream\nq Q \nendstream"]);
  expect(broken(await report(longer, "2b"))).toEqual(["6.1.7.1-1 x1"]);
  const joined = sound(CONTENT, ["<< /Length 3 >>\nstream\nq Qendstream"]);
  expect(broken(await report(joined, "2b"))).toEqual(["6.1.7.1-2 x1"]);
});

test("metadata of a property list within another dictionary is checked", async () => {
  const page = "/Resources << /Properties << /MC0 << /Metadata 4 0 R >> >> >>";
  const { failures } = await report(sound(page, [stream("/Type /Metadata /Subtype /XML", "no XMP")]), "2b");
  expect(failures.flatMap(({ clause, first }) => (first.object === 4 ? [clause] : []))).toContain("6.6.2.1");
});

test("strings in hexadecimal are counted where the file has them", async () => {
  const found = await report(sound("/A <123> /B <1g> /C <12>"), "2b");
  expect(broken(found)).toEqual(["6.1.6-1 x1", "6.1.6-2 x1"]);
});

test("a section header that is not one number, one space, and another is found, and reading it ends", async () => {
  const text = latin1(sound("")).replace("xref\n0 4\n", "xref\n0  4\n");
  expect(broken(await report(bytesOf(text), "2b"))).toEqual(["6.1.4-2 x1"]);
  const cut = latin1(sound("")).replace("xref\n0 4\n", "xref\n7\n0 4\n");
  expect(broken(await report(bytesOf(cut), "2b"))).toContain("6.1.4-2 x1");
});

test("streams without an end are searched for it once, in whatever order they are", async () => {
  const spent = vi.spyOn(Work.prototype, "spend");
  const fuel = async (count: number, isBackward: boolean): Promise<number> => {
    const streams = Array.from({ length: count }, () => `<< /Length 99999999 >>\nstream\n${"x".repeat(200)}`);
    spent.mockClear();
    const found = await report(sound("", streams, { isBackward }), "2b");
    expect(broken(found).some((one) => one.startsWith("6.1.7.1-1 "))).toBe(true);
    return spent.mock.calls.reduce((sum, [units]) => sum + units, 0);
  };
  for (const isBackward of [false, true]) {
    const [one, two, four] = [
      await fuel(800, isBackward),
      await fuel(1_600, isBackward),
      await fuel(3_200, isBackward),
    ];
    // The square would be 4 times as much.
    expect(four - two).toBeLessThan(2.5 * (two - one));
  }
  spent.mockRestore();
});

/** Values that have themselves, each of which would otherwise be followed without end, or twice as often on each level. */
const ENDLESS: readonly (readonly [name: string, entries: string, objects: readonly string[]])[] = [
  [
    "the order of layers",
    "/OCProperties << /OCGs [5 0 R] /D << /Name (A) /Order 4 0 R >> >>",
    ["[4 0 R 4 0 R [4 0 R]]", "<< /Type /OCG /Name (A) >>"],
  ],
  ["actions", "/OpenAction << /S /GoTo /Next 4 0 R >>", ["[4 0 R 4 0 R << /S /GoTo /Next 4 0 R >>]"]],
  [
    "elements of the structure tree",
    "/MarkInfo << /Marked true >> /StructTreeRoot << /K 4 0 R >>",
    ["[4 0 R 4 0 R << /S /P /K 4 0 R >>]"],
  ],
  ["fields", "/AcroForm << /Fields 4 0 R >>", ["[5 0 R 5 0 R]", "<< /FT /Tx /T (a) /Kids 4 0 R >>"]],
];

test.each(ENDLESS)("%s that have themselves end", async (_, entries, objects) => {
  const spent = vi.spyOn(Work.prototype, "spend");
  await report(sound("", objects, { catalog: entries }), "2a");
  const fuel = spent.mock.calls.reduce((sum, [units]) => sum + units, 0);
  spent.mockRestore();
  expect(fuel).toBeLessThan(1_000_000);
});

test("a color space whose colorants name it ends", async () => {
  const colorants = Array.from({ length: 200 }, (_, index) => `/c${index} /A`).join(" ");
  const space = `[/DeviceN [/x] /A null << /Colorants << ${colorants} >> >>]`;
  const page = `/Contents 4 0 R /Resources << /ColorSpace << /A ${space} >> >>`;
  const spent = vi.spyOn(Work.prototype, "spend");
  await report(sound(page, [stream("", "/A cs 1 scn 0 0 9 9 re f")]), "2b");
  const fuel = spent.mock.calls.reduce((sum, [units]) => sum + units, 0);
  spent.mockRestore();
  expect(fuel).toBeLessThan(1_000_000);
});

test("separations whose alternate spaces have many equal arrays within each other are compared once", async () => {
  // Two trees of references, 40 wide and 7 deep.
  const level = (first: number, depth: number): string[] =>
    Array.from(
      { length: depth },
      (_, at) => `[${Array.from({ length: 40 }, () => `${first + at + 1} 0 R`).join(" ")}]`,
    );
  const objects = [
    stream("", "/A cs 1 scn 0 0 9 9 re f /B cs 1 scn 0 0 9 9 re f"),
    ...level(5, 7),
    "[/x]",
    ...level(13, 7),
    "[/x]",
  ];
  const spaces = "/A [/Separation /S /DeviceGray 5 0 R] /B [/Separation /S /DeviceGray 13 0 R]";
  const page = `/Contents 4 0 R /Resources << /ColorSpace << ${spaces} >> >>`;
  const spent = vi.spyOn(Work.prototype, "spend");
  await report(sound(page, objects), "2b");
  const fuel = spent.mock.calls.reduce((sum, [units]) => sum + units, 0);
  spent.mockRestore();
  expect(fuel).toBeLessThan(1_000_000);
});

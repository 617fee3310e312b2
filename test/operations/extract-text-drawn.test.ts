import { describe, expect, test } from "vitest";
import { limits } from "../../src/limits.ts";
import { type Drawing, drawing, form, laughs, write } from "../harness/bombs/nested-drawing-fixtures.ts";
import { extract, post } from "./text-service.ts";

const textOf = async (file: Uint8Array): Promise<string> => (await extract(file)).text;

async function refusal(file: Uint8Array): Promise<unknown> {
  const response = await post(file);
  const { error } = await response.json<{ error?: { code: string; details: { limit: number } } }>();
  return [response.status, error?.code, error?.details.limit];
}

const TOO_MUCH = [413, "limit_exceeded", limits.contentBytes];

/** Content of about this many bytes that draws nothing. */
const bytes = (count: number): string => "0 0 m 9 9 l n\n".repeat(Math.ceil(count / 14));
const KiB = 1024;

describe("forms in forms", () => {
  test.each(["own", "page", "empty"] as const)("a few nested forms are read (resources: %s)", async (named) => {
    expect(await textOf(laughs(4, 2, named))).toContain("laugh");
  });

  test.each(["own", "page", "empty"] as const)(
    "ten forms in each of nine levels are refused (resources: %s)",
    async (named) => {
      expect(await refusal(laughs(10, 10, named))).toEqual(TOO_MUCH);
    },
  );

  test("forms in every order without repetition are refused", async () => {
    const names = Array.from({ length: 14 }, (_, index) => `/X${index} ${6 + index} 0 R`).join(" ");
    const resources = `/XObject << ${names} >>`;
    const content = Array.from({ length: 14 }, (_, index) => `/X${index} Do`).join(" ");
    const objects = Array.from({ length: 14 }, () => form(content, resources));
    expect(await refusal(drawing({ content, resources, objects }))).toEqual([
      413,
      "limit_exceeded",
      limits.contents.formsAgain,
    ]);
  });

  test("a form that draws itself is read", async () => {
    const objects = [form(`${write("once")} /X0 Do`, "/XObject << /X0 6 0 R >> /Font << /F1 4 0 R >>")];
    const resources = "/XObject << /X0 6 0 R >>";
    expect(await textOf(drawing({ content: "/X0 Do", resources, objects }))).toContain("once");
  });
});

/** What is drawn `times` times, each time with all of the bytes behind it. */
const drawn: Record<string, (times: number, size: number) => Drawing> = {
  "a form": (times, size) => ({
    content: "/X0 Do\n".repeat(times) + write("seen"),
    resources: "/XObject << /X0 6 0 R >>",
    objects: [form(bytes(size))],
  }),
  "a form that is named in a roundabout way": (times, size) => ({
    content: "/X#30 %/X1\nDo\n/X0 /X1 Do 1Do ".repeat(times / 2) + write("seen"),
    resources: "/XObject << /X0 6 0 R /X1 7 0 R >>",
    objects: [form(bytes(size)), form("")],
  }),
  "a form beside inline images": (times, size) => ({
    content: "BI /W 1 /H 1 /BPC 8 /CS /G ID ( EI /X0 Do\n".repeat(times) + write("seen"),
    resources: "/XObject << /X0 6 0 R >>",
    objects: [form(bytes(size))],
  }),
  "a tiling pattern": (times, size) => ({
    content: `/Pattern cs /P0 scn\n${"0 0 9 9 re f\n".repeat(times)} 0 g ${write("seen")}`,
    resources: "/Pattern << /P0 6 0 R >>",
    objects: [form(bytes(size), "", "/PatternType 1 /PaintType 1 /TilingType 1 /XStep 400 /YStep 400")],
  }),
  "a tiling pattern that a form paints with": (times, size) => ({
    content: `/Pattern cs /P0 scn /X0 Do 0 g ${write("seen")}`,
    resources: "/Pattern << /P0 6 0 R >> /XObject << /X0 7 0 R >>",
    objects: [
      form(bytes(size), "", "/PatternType 1 /PaintType 1 /TilingType 1 /XStep 400 /YStep 400"),
      form("0 0 9 9 re f\n".repeat(times)),
    ],
  }),
  "a soft mask": (times, size) => ({
    content: `/G0 gs\n${"0 0 9 9 re f\n".repeat(times)} /G1 gs ${write("seen")}`,
    resources: "/ExtGState << /G0 << /SMask << /S /Luminosity /G 6 0 R >> >> /G1 << /SMask /None >> >>",
    objects: [form(bytes(size), "", "/Group << /S /Transparency /CS /DeviceGray >>")],
  }),
  "an appearance of annotations": (times, size) => ({
    content: write("seen"),
    entries: `/Annots [${"<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP << /N 6 0 R >> >> ".repeat(times)}]`,
    objects: [form(bytes(size))],
  }),
  "a glyph of a Type 3 font": (times, size) => ({
    content: `BT /T3 9 Tf (${"a".repeat(times)}) Tj ET ${write("seen")}`,
    resources: "/XObject << >>",
    font: "/T3 7 0 R",
    objects: [
      form(`9 0 0 0 9 9 d1 ${bytes(size)}`),
      "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [9]" +
        " /CharProcs << /a 6 0 R >> /Encoding << /Differences [97 /a] >> /Resources << >> >>",
    ],
  }),
};

describe.each(Object.entries(drawn))("%s", (_, make) => {
  test("the content is drawn up to the limit of repetitions", async () => {
    expect(await textOf(drawing(make(20, 50 * KiB)))).toContain("seen");
  });

  test("the content is refused beyond the limit of repetitions", async () => {
    expect(await refusal(drawing(make(1_000, 200 * KiB)))).toEqual(TOO_MUCH);
  });
});

test("a small form may be drawn many times, and a large one once beside it", async () => {
  const content = "/X0 Do\n".repeat(20_000) + "/X1 Do" + write("seen");
  const resources = "/XObject << /X0 6 0 R /X1 7 0 R >>";
  const objects = [form("0 0 9 9 re f"), form(bytes(5_000 * KiB))];
  expect(await textOf(drawing({ content, resources, objects }))).toContain("seen");
});

test("content painted without a pattern does not pay for it", async () => {
  const content = `q /Pattern cs /P0 scn 0 0 9 9 re f Q\n${"0 0 9 9 re f\n".repeat(5_000)}${write("seen")}`;
  const resources = "/Pattern << /P0 6 0 R >>";
  const objects = [form(bytes(100 * KiB), "", "/PatternType 1 /PaintType 1 /TilingType 1 /XStep 400 /YStep 400")];
  expect(await textOf(drawing({ content, resources, objects }))).toContain("seen");
});

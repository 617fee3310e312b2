import { describe, expect, it } from "vitest";
import { limits } from "../../src/limits.ts";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { errorOf } from "../http/echo-service.ts";
import { consumeOnce, jobService } from "../jobs/job-service.ts";
import { scanned, scanPage, setLines } from "./ocr-service.ts";
import { pipeline } from "./pipeline-service.ts";
import { post } from "./text-service.ts";

const TITLE = "Annual Report";
const PROSE =
  "The office has forty rooms and two doors\nto the street, and it is open to all who\nwant to read what it has written so far\nabout the town and the people in it.";
const JOINED = PROSE.replaceAll("\n", " ");
const page = (content: string) => ({ width: 420, height: 300, content });
const printed = page(
  setLines(TITLE, { x: 30, y: 250, size: 24 }) + "\n" + setLines(PROSE, { x: 30, y: 190, size: 14 }),
);
const jpeg = await scanned(drawing(printed), "jpeg");
const typed = page(setLines("These letters are on the page itself.", { x: 30, y: 100, size: 14 }));
/** A page with text, and one that is a scan. */
const mixed = drawing(typed, scanPage(jpeg));

interface Result {
  readonly text: string;
  readonly pages: readonly {
    readonly text: string;
    readonly needsOcr?: boolean;
    readonly markdown?: string;
    readonly words?: readonly { readonly text: string; readonly bbox: readonly number[] }[];
    readonly blocks?: readonly { readonly type: string; readonly text: string }[];
  }[];
}

const MARKDOWN = `These letters are on the page itself.

# ${TITLE}

${JOINED}
`;

describe("ocr=auto", () => {
  it("recognizes the pages without text, and extracts the text of the others", async () => {
    const plain: Result = await (await post(mixed, { words: "true" })).json();
    expect(plain.pages.map(({ needsOcr }) => needsOcr)).toEqual([undefined, true]);
    const fields = { ocr: "auto", words: "true", markdown: "true", blocks: "true" };
    const { text, pages }: Result = await (await post(mixed, fields)).json();
    expect(pages[0]).toMatchObject({ text: plain.pages[0]?.text, words: plain.pages[0]?.words });
    expect(pages[1]?.text.replaceAll(/\s+/g, " ")).toBe(`${TITLE} ${JOINED}`);
    expect(text).toContain(pages[1]?.text);
    expect(pages[1]).not.toHaveProperty("needsOcr");
    expect(pages[1]?.blocks?.map((block) => block.text)).toEqual([TITLE, JOINED]);
    expect(pages.map(({ markdown }) => markdown).join("\n\n")).toBe(MARKDOWN.trimEnd());
    const annual = pages[1]?.words?.find((word) => word.text === "Annual")?.bbox ?? [];
    // Where the printed page has it, in points from the top left.
    expect(annual.map((value, index) => Math.abs(value - ([30, 32, 107, 51][index] ?? 0)) < 6)).not.toContain(false);
  });

  it("works in a pipeline and as a job, whose price counts the recognized pages", async () => {
    const steps = [
      { operation: "rotate", angle: 180 },
      { operation: "extract-text", format: "markdown", ocr: "auto" },
    ];
    const turned = await pipeline(steps, { file: mixed });
    expect(await turned.text()).toContain(`# ${TITLE}\n\n${JOINED}`);

    const service = await jobService();
    const many = drawing(...Array.from({ length: limits.jobs.pagesPerPriceOfOcr }, () => typed), scanPage(jpeg));
    const { id } = await service.start("extract-text", many, { format: "markdown", ocr: "auto" });
    await consumeOnce();
    const job = await service.job(id);
    expect(job).toMatchObject({ status: "succeeded", credits: { charged: 2 } });
    expect(await (await service.result(id)).text()).toContain(`# ${TITLE}\n\n${JOINED}`);
  });

  it("recognizes up to a number of pages in a request", async () => {
    const scans = Array.from({ length: limits.ocr.pages + 1 }, () => scanPage(jpeg));
    const error = await errorOf(await post(drawing(...scans), { ocr: "auto" }));
    expect(error).toEqual([413, "limit_exceeded", { limit: limits.ocr.pages, actual: limits.ocr.pages + 1 }]);
  });
});

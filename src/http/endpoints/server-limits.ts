import { z } from "zod";
import { FormNames } from "../form/form-reader.ts";
import { formats } from "../../engines/convert/formats/index.ts";
import { OFFICE_FORMATS } from "../../engines/convert/office-formats.ts";
import type { Env } from "../../env.ts";
import { limits } from "../../limits.ts";
import type { Operation } from "../../operations/definition/define.ts";

const bytes = (description: string) => z.int().describe(description);

export const serverLimits = z.object({
  requestBytes: bytes("The largest request body, in bytes. A plan may allow less: `GET /usage` has its limits."),
  filesBytes: bytes(
    "The files of one request that are held in memory together, in bytes: sent, stored, and from URLs.",
  ),
  pages: z.int().describe("The pages of a document, in a request and in a job."),
  recognizedPages: z
    .int()
    .describe("The pages that one request recognizes (OCR). A job recognizes as many as it may have."),
  steps: z.int().describe("The steps of a pipeline."),
  pagePixels: z.int().describe("The pixels of one rendered page."),
  textFileBytes: bytes("The largest file of `to-pdf` that is text: HTML, Markdown, CSV, and text."),
  engines: z
    .array(z.string())
    .describe(
      "The engines of `to-pdf` that this server has: `flow`, and `browser` and `office` if its operator added them.",
    ),
  formats: z.array(z.string()).describe("The formats that `to-pdf` converts on this server."),
  operations: z
    .record(
      z.string(),
      z.object({
        files: z.int().describe("The files of one request."),
        fileBytes: z
          .int()
          .nullable()
          .describe(
            "The largest file, in bytes. Null: one PDF can be larger, up to what your plan stores, if you send it as a stored file. It is read in ranges.",
          ),
      }),
    )
    .describe("The limits of each operation, by name."),
});

/** The limits of this server: those that people reach first, and those that follow from its configuration. */
export function limitsOf(
  operations: readonly Operation[],
  { sizes: { heldBytes }, browser, office }: Pick<Env, "sizes" | "browser" | "office">,
): z.infer<typeof serverLimits> {
  return {
    requestBytes: heldBytes,
    filesBytes: heldBytes,
    pages: limits.pages,
    recognizedPages: limits.ocr.pages,
    steps: limits.steps,
    pagePixels: limits.raster.pagePixels,
    textFileBytes: limits.conversion.textBytes,
    engines: ["flow", ...(browser ? ["browser"] : []), ...(office ? ["office"] : [])],
    formats: [
      ...formats.filter(({ kind }) => kind !== "drawing" || browser).map(({ name }) => name),
      ...(office ? Object.keys(OFFICE_FORMATS) : []),
    ],
    operations: Object.fromEntries(
      operations.map((operation) => {
        const fileBytes = operation.memory?.readsRanges === true ? null : heldBytes;
        return [operation.name, { files: new FormNames(operation).maxFiles, fileBytes }];
      }),
    ),
  };
}

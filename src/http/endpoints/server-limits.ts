import { z } from "zod";
import { FormNames } from "../form/form-reader.ts";
import { limits, type MemorySizes } from "../../limits.ts";
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

/** The limits of this server: those that people reach first, and those that follow from its memory. */
export function limitsOf(operations: readonly Operation[], { heldBytes }: MemorySizes): z.infer<typeof serverLimits> {
  return {
    requestBytes: heldBytes,
    filesBytes: heldBytes,
    pages: limits.pages,
    recognizedPages: limits.ocr.pages,
    steps: limits.steps,
    pagePixels: limits.raster.pagePixels,
    textFileBytes: limits.conversion.textBytes,
    operations: Object.fromEntries(
      operations.map((operation) => {
        const fileBytes = operation.memory?.readsRanges === true ? null : heldBytes;
        return [operation.name, { files: new FormNames(operation).maxFiles, fileBytes }];
      }),
    ),
  };
}

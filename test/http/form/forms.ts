import { expect } from "vitest";
import { z } from "zod";
import { ApiError } from "../../../src/http/errors/api-error.ts";
import { readForm as readWith } from "../../../src/http/form/form.ts";
import { stemOf } from "../../../src/operations/definition/file-names.ts";
import type { FormPart } from "../../../src/http/multipart/multipart.ts";
import { defineOperation, type Operation } from "../../../src/operations/definition/define.ts";
import { type FieldIssue, type Fields, pdfFile, pdfFiles, text } from "../../../src/operations/definition/fields.ts";
import {
  formBoolean,
  formChoice,
  formInteger,
  formText,
  jsonField,
  pageRange,
} from "../../../src/operations/definition/values.ts";
import { heapArena } from "../../harness/work/heap-arena.ts";

/** What every operation of these tests has in common. */
export const about = {
  summary: "",
  group: "More",
  keywords: "",
  example: {},
  description: "",
  credits: 1,
  modes: { scope: "pdf:write", returns: ["application/json"] },
  headers: [],
  run: async () => ({ kind: "json", value: null, headers: {} }) as const,
} as const;

export const one = defineOperation({
  ...about,
  name: "one",
  fields: {
    file: pdfFile(),
    pages: text(pageRange(), ""),
    flag: text(formBoolean(), ""),
    size: text(formInteger(1, 9), ""),
    mode: text(formChoice("a", "b"), "", { required: true }),
    style: text(formChoice("x", "y"), ""),
    depth: text(formInteger(1, 9), "", { default: 3, when: { mode: ["b"] } }),
    name: text(formText(5), "", { required: true, when: { style: ["y"] } }),
    label: text(formText(5), ""),
    angles: text(jsonField(z.record(z.string(), z.literal([0, 90]))), ""),
  },
  checks: [
    ({ size, style }) => (size === 1 && style === "y" ? [{ name: "size", issue: "must not be 1 with style y" }] : []),
    ({ label }) => (label === "no" ? [{ name: "label", issue: "must not be no" }] : []),
  ],
  pageChecks: [
    ({ size = 0 }, pageCount) => (size > pageCount ? [{ name: "size", issue: `must be at most ${pageCount}` }] : []),
  ],
});

export const many = defineOperation({
  ...about,
  name: "many",
  fields: { files: pdfFiles("file", { min: 2, max: 4 }, "") },
});

export const value = (name: string, content: string): FormPart => ({ kind: "text", field: name, value: content });

export function file(name: string, content = "%PDF-1.7", filename = `${name}.pdf`): FormPart {
  const arena = heapArena(2_000);
  arena.write(new TextEncoder().encode(content));
  return { kind: "file", field: name, filename, bytes: arena.seal() };
}

/** The input of an operation, and the name of its first file. Every file that can be opened has five pages. */
export async function readForm<F extends Fields>(operation: Operation<F>, parts: readonly FormPart[]) {
  const form = await readWith(operation, parts, {
    countPages: async ({ source }) => (source.kind === "sent" && source.filename.startsWith("damaged") ? undefined : 5),
    urlIssue: (url) => (url.startsWith("http://") ? "must be an HTTPS URL" : undefined),
  });
  const loaded = form.files.map((file) => {
    const sent = parts.find(({ field }) => field === file.field);
    if (sent?.kind !== "file" || !sent.bytes) throw new Error("that file is not in the form");
    return [file, { ...file, stem: stemOf(sent.filename), bytes: sent.bytes }] as const;
  });
  return { ignored: form.ignored, input: form.inputWith(new Map(loaded)), stem: loaded[0]?.[1].stem };
}

export async function refusal(operation: typeof one | typeof many, ...parts: FormPart[]): Promise<ApiError> {
  try {
    await (operation === one ? readForm(one, parts) : readForm(many, parts));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

export async function issues(operation: typeof one | typeof many, ...parts: FormPart[]): Promise<string[]> {
  const error = await refusal(operation, ...parts);
  expect(error.code).toBe("invalid_parameters");
  return ((error.details ?? {})["fields"] as FieldIssue[]).map(({ name, issue }) => `${name}: ${issue}`);
}

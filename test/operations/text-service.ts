import { expect } from "vitest";
import { textDocument, type Meaning, type TextPage } from "../harness/fixtures/text-fixtures.ts";
import { operationService } from "./operation-service.ts";

export interface Extracted {
  readonly text: string;
  readonly pages: readonly {
    readonly pageNumber: number;
    readonly text: string;
    readonly markdown?: string;
    readonly words?: readonly { readonly text: string; readonly bbox: readonly number[] }[];
  }[];
  readonly stats: { readonly wordCount: number; readonly charCount: number };
}

export const post = await operationService("extract-text");

export async function extract(file: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Extracted> {
  const response = await post(file, fields);
  expect(response.status, await response.clone().text()).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  return response.json();
}

export const textOf = async (pages: readonly TextPage[], meanings: readonly Meaning[] = []): Promise<string> =>
  (await extract(textDocument(pages, meanings))).text;

/** The text of one page with this content. */
export const read = (content: string, meanings: readonly Meaning[] = []): Promise<string> =>
  textOf([{ content }], meanings);

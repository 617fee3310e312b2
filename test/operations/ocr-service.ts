import { expect } from "vitest";
import { operationService } from "./operation-service.ts";

export interface Recognised {
  readonly text: string;
  readonly pages: readonly {
    readonly pageNumber: number;
    readonly text: string;
    readonly confidence: number;
    readonly words?: readonly { readonly text: string; readonly bbox: readonly number[]; readonly confidence: number }[];
  }[];
  readonly meanConfidence: number;
  readonly languagesUsed: readonly string[];
}

export const post = await operationService("ocr");
const watermark = await operationService("watermark");

export async function recognise(file: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<Recognised> {
  const answer = await post(file, fields);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

/** A document with a text on its pages, set in the service's own fonts. */
export async function setPage(text: string, file: Uint8Array, fields: Readonly<Record<string, string>> = {}) {
  const answer = await watermark(file, {
    kind: "text",
    text,
    position: "center",
    fontSize: "14",
    color: "#000",
    opacity: "1",
    ...fields,
  });
  expect(answer.status, answer.ok ? "" : await answer.clone().text()).toBe(200);
  return answer.bytes();
}

import { expect } from "vitest";
import type { DrawnPage } from "../harness/drawing-fixtures.ts";
import { readJpeg } from "../harness/images.ts";
import { operationService } from "./operation-service.ts";

export interface Recognised {
  readonly text: string;
  readonly pages: readonly {
    readonly pageNumber: number;
    readonly text: string;
    readonly confidence: number;
    readonly words?: readonly {
      readonly text: string;
      readonly bbox: readonly number[];
      readonly confidence: number;
    }[];
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

const toImages = await operationService("to-images");

/** A page as a grey picture, as a scanner makes one. */
export async function scanned(file: Uint8Array, format: "png" | "jpeg"): Promise<Uint8Array> {
  const answer = await toImages(file, { dpi: "150", format });
  expect(answer.status).toBe(200);
  return answer.bytes();
}

/** A page with the scan of another on it, and what stands over that. */
export function scanPage(jpeg: Uint8Array, content = ""): DrawnPage {
  const { width, height } = readJpeg(jpeg);
  const [across, down] = [(width * 72) / 150, (height * 72) / 150];
  const size = `/Width ${width} /Height ${height} /BitsPerComponent 8`;
  return {
    width: across,
    height: down,
    content: `q ${across} 0 0 ${down} 0 0 cm /Im Do Q ${content}`,
    resources: "/XObject << /Im $0 >>",
    objects: [
      { entries: `/Type /XObject /Subtype /Image ${size} /ColorSpace /DeviceGray /Filter /DCTDecode`, data: jpeg },
    ],
  };
}

/** The headers of results, as the members that all results have. */
import type { OpenApi } from "./description.ts";

export interface HeaderFact {
  readonly name: string;
  readonly header: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "array";
  readonly description: string;
}

/** Headers that are read by hand-written code. */
const OTHER_HEADERS = new Set(["X-Request-Id", "X-Pipeline-Steps"]);

const isKnown = (type: unknown): type is HeaderFact["type"] =>
  typeof type === "string" && ["string", "integer", "number", "boolean", "array"].includes(type);

export function headerFactsOf({ components }: OpenApi): HeaderFact[] {
  return Object.entries(components.headers).flatMap(
    ([
      header,
      {
        description,
        schema: { type },
      },
    ]) => {
      if (OTHER_HEADERS.has(header) || !/^(?:X|Idempotency)-/.test(header)) return [];
      if (!isKnown(type)) throw new Error(`no type for the header ${header}`);
      const name = header.replace(/^X-(?:OCR-)?/, "").replaceAll("-", "");
      return [{ header, description, type, name: name.charAt(0).toLowerCase() + name.slice(1) }];
    },
  );
}

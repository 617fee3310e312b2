/** A generated part of this repository, by its name. */
interface GeneratedPart {
  readonly about: string;
  /** The files by path. */
  files(): Promise<ReadonlyMap<string, string | Uint8Array>>;
  /** Whether `npm run check` compares the files with those in place: without a server or a browser. */
  readonly isChecked: boolean;
  /** What this machine lacks to make it. */
  missing?(): Promise<string | undefined>;
}

export const generatedParts: Readonly<Record<string, GeneratedPart>> = {
  client: {
    about: "the clients, the command line, and the n8n node, from openapi.json",
    files: async () => (await import("./generated-clients.ts")).generatedClients(),
    isChecked: true,
  },
  docs: {
    about: "docs/limits.md, the generated parts of other documents, and examples that are made from others",
    files: async () => (await import("./generated-documents.ts")).generatedDocuments(),
    isChecked: true,
  },
  responses: {
    about: "the responses that /docs shows beside its examples, recorded from a server",
    files: async () => (await import("./recorded-responses.ts")).recordedResponses(),
    isChecked: false,
  },
  picture: {
    about: "the README's picture of the playground, with Chromium",
    files: async () => (await import("./playground-picture.ts")).playgroundPicture(),
    isChecked: false,
    missing: async () =>
      (await import("../test/harness/engines/browser.ts")).chromiumPath === undefined
        ? "Chromium (CHROMIUM_PATH)"
        : undefined,
  },
};

/** What the clients of the load test send: the examples of each operation. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describedApi, describedOperations } from "../scripts/described-api.ts";
import { root } from "../scripts/root.ts";
import { formRoutesOf } from "../client/description.ts";
import type { Example } from "../src/operations/definition/define.ts";
import { pdfPart, type Part } from "../test/harness/requests/client.ts";
import { encrypt } from "../test/harness/fixtures/encrypted-fixtures.ts";
import { document, largeDocument } from "../test/harness/fixtures/fixtures.ts";
import { makeJpeg } from "../test/harness/images/jpeg-fixtures.ts";

type Parts = Readonly<Record<string, Part>>;

/** A pixel's sample: photographs have no two equal ones beside each other. */
const slope = (x: number, y: number, channel: number): number => (x * 5 + y * 3 + channel * 60) % 256;

/** The files of examples that are not in `examples/`, by name. */
async function madeFiles(): Promise<Readonly<Record<string, Uint8Array>>> {
  const large = largeDocument(5);
  return {
    "hundred-pages.pdf": document({ name: "hundred", pages: 100, features: ["outline", "tagged"] }),
    "five-megabytes.pdf": large,
    "locked-five-megabytes.pdf": await encrypt(large, {
      cipher: "aes-256",
      userPassword: "user",
      ownerPassword: "owner",
    }),
    "photo.jpg": makeJpeg({ width: 1_600, height: 1_200, components: 3 }, slope),
  };
}

/** By the operation's name; more often the first of a list than the others. */
export async function loadMix(): Promise<ReadonlyMap<string, readonly Parts[]>> {
  const made = await madeFiles();
  const file = async (fileName: string): Promise<Part> =>
    pdfPart(made[fileName] ?? new Uint8Array(await readFile(join(root, "examples", fileName))), fileName);
  const isFile = new Set(
    formRoutesOf(await describedApi()).flatMap(({ name, members }) =>
      members.filter(({ kind }) => kind === "file").map(({ field }) => `${name} ${field}`),
    ),
  );
  const partsOf = async (operation: string, example: Example): Promise<Parts> => {
    const parts = Object.entries(example).map(async ([field, value]) => {
      const sent = isFile.has(`${operation} ${field}`) || isFile.has(`${operation} ${field.replace(/\d+$/, "{N}")}`);
      return [field, sent ? await file(value) : value] as const;
    });
    return Object.fromEntries(await Promise.all(parts));
  };
  const all = (await describedOperations()).map(async ({ name, example, furtherExamples }) => {
    const choices = await Promise.all([example, ...furtherExamples].map((one) => partsOf(name, one)));
    return [name, choices] as const;
  });
  return new Map(await Promise.all(all));
}

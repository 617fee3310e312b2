import { unzipSync } from "fflate";
import { expect } from "vitest";
import type { Parts } from "../harness/requests/operations-on-claims.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import type { Profile } from "../../src/engines/pdf/conformance/model/profiles.ts";
import { claimedProfile, validate } from "../../src/engines/pdf/conformance/validate.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { post } from "./pipeline-service.ts";

/** What a file claims, and the rules of `profile` that it breaks. */
export async function conformance(
  file: Uint8Array,
  profile: Profile | undefined,
): Promise<{ readonly claimed: Profile | undefined; readonly broken: readonly string[] }> {
  const { engines, release } = await leaseEngines(() => true);
  try {
    const arena = engines.pdf.files.arena(file.length);
    arena.write(file);
    using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
    const claimed = await claimedProfile(open);
    const against = profile ?? claimed;
    const report = against && (await validate(open, file, against, engines.pdf.work));
    return { claimed, broken: report?.failures.map(({ clause, test }) => `${clause}-${test}`) ?? [] };
  } finally {
    release(true);
  }
}

const ZIP = 0x50;

/** The PDFs of a response: one, or those of an archive. */
async function filesOf(response: Response): Promise<readonly Uint8Array[]> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes[0] === ZIP ? Object.values(unzipSync(bytes)) : [bytes];
}

/** Runs an operation. Returns the header, after comparing it with the file. */
export async function runOn(
  file: Uint8Array,
  profile: Profile,
  operation: string,
  parts: Parts,
): Promise<string | null> {
  const response = await post(operation, "file0" in parts ? parts : { file, ...parts });
  expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
  const lost = response.headers.get("X-Conformance-Lost");
  for (const made of await filesOf(response)) {
    if (lost === null) expect(await conformance(made, profile)).toEqual({ claimed: profile, broken: [] });
    else expect((await conformance(made, undefined)).claimed).toBeUndefined();
  }
  return lost;
}

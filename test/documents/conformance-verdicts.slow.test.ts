import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outsideFolder } from "../../scripts/outside-folders.ts";
import { PROFILES, type Profile } from "../../src/engines/pdf/conformance/model/profiles.ts";
import { validate } from "../../src/engines/pdf/conformance/validate.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { Work } from "../../src/engines/work.ts";
import { createEngine } from "../harness/fixtures/changed-document.ts";

const shared = join(outsideFolder("corpus"), "..");
const verdicts = join(shared, "pdfa/verdicts.tsv");
/** Fuel of one file. */
const FUEL = 1e11;
/** Files of 100 that must have the same broken rules as the reference finds, by profile. */
const LEAST = { "2b": 99, "2u": 85, "3b": 100, "1b": 98, "4": 97, "4f": 100, "2a": 100 } as const;

/** Rules of metadata are judged elsewhere. */
const isMetadata = (profile: string, id: string): boolean =>
  id.startsWith(profile.startsWith("1") ? "6.7" : profile.startsWith("4") ? "6.7." : "6.6.");

/** The rules that a file breaks besides those of metadata. */
async function brokenRules(path: string, profile: Profile): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(path));
  const engine = await createEngine();
  engine.begin(() => true, new Work(FUEL, FUEL));
  const arena = engine.files.arena(bytes.length);
  arena.write(bytes);
  using open = await openPdf(engine, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  const { failures } = await validate(open, bytes, profile, engine.work);
  return failures.map(({ clause, test: number }) => `${clause}-${number}`).filter((id) => !isMetadata(profile, id));
}

test.skipIf(!existsSync(verdicts))("files break the same rules as the reference finds", async () => {
  const rules = new Map<string, { agree: number; missed: number; extra: number }>();
  const counts = new Map<Profile, { files: number; same: number }>();
  for (const line of readFileSync(verdicts, "utf8").trim().split("\n")) {
    const [file = "", name = "", verdict, list = ""] = line.split("\t");
    const profile = PROFILES.find((one) => one === name);
    if (verdict === "ERROR" || !profile) continue;
    const expected = new Set(
      list
        .split(" ")
        .map((entry) => entry.replace(/x\d+$/, ""))
        .filter((id) => id !== "" && !isMetadata(profile, id)),
    );
    const found = new Set(await brokenRules(join(shared, file), profile).catch((error: unknown) => [String(error)]));
    const count = counts.get(profile) ?? { files: 0, same: 0 };
    count.files += 1;
    if (expected.symmetricDifference(found).size === 0) count.same += 1;
    counts.set(profile, count);
    for (const id of expected.union(found)) {
      const rule = rules.get(`${profile} ${id}`) ?? { agree: 0, missed: 0, extra: 0 };
      rule[!found.has(id) ? "missed" : expected.has(id) ? "agree" : "extra"] += 1;
      rules.set(`${profile} ${id}`, rule);
    }
  }
  for (const [id, { agree, missed, extra }] of rules)
    if (missed + extra > 0) console.log(`${id}: ${agree} agree, ${missed} missed, ${extra} extra`);
  for (const [profile, { files, same }] of counts) {
    console.log(`${profile}: ${same} of ${files} files have the same broken rules`);
    expect((100 * same) / files, profile).toBeGreaterThanOrEqual(LEAST[profile as keyof typeof LEAST]);
  }
});

/** A test that runs Miniflare in its own process leaves the temporary folder of that in the environment, for the next file of the process. */
import { afterAll } from "vitest";

const { TMPDIR } = process.env;

afterAll(() => {
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
});

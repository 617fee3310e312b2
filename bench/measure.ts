/** `npm run measure -- <what> [options]`: runs one of `measurements.ts`, with the options that its file describes. Without a name, lists them. */
import { measurements } from "./measurements.ts";

const [name = ""] = process.argv.splice(2, 1);
const measurement = measurements[name];
if (measurement !== undefined) await measurement.run();
else {
  if (name !== "") console.error(`There is nothing called ${name} to measure.`);
  console.log("npm run measure -- <what> [options]\n");
  for (const [what, { about }] of Object.entries(measurements)) console.log(`  ${what.padEnd(9)}${about}`);
  process.exitCode = 1;
}

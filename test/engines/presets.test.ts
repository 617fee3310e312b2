import { expect, test } from "vitest";
import { Matcher } from "../../src/engines/pdf/redaction/matcher.ts";
import { type Preset, PRESETS } from "../../src/engines/pdf/redaction/presets.ts";
import { unlimitedWork } from "../../src/engines/work.ts";
import { presetTruth } from "../harness/redaction/preset-truth.ts";

/** A text with braces around what a preset finds. */
function marked(preset: Preset, text: string): string {
  const matcher = new Matcher({ terms: [], ignoreCase: false, patterns: [preset] }, unlimitedWork());
  let [result, at] = ["", 0];
  for (const { start, end } of matcher.inString(text)) {
    result += `${text.slice(at, start)}{${text.slice(start, end)}}`;
    at = end;
  }
  return result + text.slice(at);
}

const plain = (text: string): string => text.replaceAll(/[{}]/g, "");

/**
 * When the half for control was first looked at, 2 of 100 telephone numbers were missed (a single last digit), and 5 of 100 near misses of card numbers were found (a GTIN);
 * the other presets had neither. These two were repaired since.
 */
test.each(PRESETS.flatMap((preset) => (["tuning", "control"] as const).map((half) => ({ preset, half }))))(
  "$preset finds the positives and none of the near misses of the half for $half",
  ({ preset, half }) => {
    const { positives, nearMisses } = presetTruth(preset, half);
    const missed = positives.filter((text) => marked(preset, plain(text)) !== text);
    const wrong = nearMisses.map((text) => marked(preset, text)).filter((text) => text.includes("{"));
    expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
  },
);

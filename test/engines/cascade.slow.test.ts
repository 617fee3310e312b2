import { expect, test } from "vitest";
import { Cascade } from "../../src/engines/convert/source/cascade.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

test("comparisons of selectors and elements have a limit", async () => {
  const css = Array.from({ length: 4_000 }, () => "*{background:red}").join("");
  const cascade = await Cascade.of(unlimitedWork(), [css], false);
  const enterAll = async (): Promise<void> => {
    for (let count = 0; count < 3_000; count++) await cascade.enter("<p>");
  };
  await expect(enterAll()).rejects.toMatchObject({ code: "limit_exceeded", details: { limit: 8_000_000 } });
});

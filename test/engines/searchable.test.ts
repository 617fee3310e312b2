import { expect, test } from "vitest";
import { otherReadings } from "../../src/engines/pdf/redaction/searchable.ts";

test.each([
  ["tags are left out", "<b>a</b>nn", "ann"],
  ["comments are left out, with the tags in them", "a<!-- <b> -->nn", "ann"],
  ["literal text is kept as it is", "<![CDATA[<b>&amp;]]>", "<b>&amp;"],
  ["references are characters", "&lt;&#65;&#x42;&none;", "<AB&none;"],
  ["a comment without an end is a tag", "<!--a>nn", "nn"],
  ["a comment without an end or a tag is text", "<!--&#65;", "<!--A"],
  ["literal text without an end is a tag", "<![CDATA[ >nn<!-- -->", "nn"],
])("markup is also read as its text: %s", (_, text, reading) => {
  expect(otherReadings(text)).toEqual([reading]);
});

test("a text of many unfinished comments is read once", () => {
  for (const beginning of ["<!--", "<![CDATA["]) {
    const text = beginning.repeat(1_000_000);
    expect(otherReadings(text)).toEqual([]);
  }
});

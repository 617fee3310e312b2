import { describe, expect, it } from "vitest";
import { Decimal } from "../../../src/engines/invoice/decimal.ts";

const number = (text: string): Decimal => {
  const read = Decimal.of(text);
  if (read === undefined) throw new Error(`${text} is not a number`);
  return read;
};

describe("decimal numbers", () => {
  it("decimals are read as in XML Schema, and written with their own digits", () => {
    for (const text of ["0", "1.50", "-0.05", "123456789012345678901234567890.1"]) {
      expect(number(text).toString()).toBe(text);
    }
    expect(number(" +.5 ").toString()).toBe("0.5");
    expect(number("7.").toString()).toBe("7");
  });

  it("other texts are no decimals", () => {
    for (const text of ["", ".", "-", "1,5", "1e3", "0x1", "NaN", "1 000", "9".repeat(65)]) {
      expect(Decimal.of(text), text).toBeUndefined();
    }
  });

  it("decimals are added and multiplied exactly", () => {
    expect(number("0.1").plus(number("0.2")).equals(number("0.3"))).toBe(true);
    expect(number("1").minus(number("0.999")).toString()).toBe("0.001");
    expect(number("19").percentOf(number("105.00")).toString()).toBe("19.9500");
    expect(Decimal.sum(["0.10", "0.2", "-1"].map(number)).toString()).toBe("-0.70");
  });

  it("decimals are rounded to two digits, halves away from zero", () => {
    const rounded = (text: string): string => number(text).rounded().toString();
    expect(["1.005", "1.0049", "-1.005", "2.5", "0.994999"].map(rounded)).toEqual([
      "1.01",
      "1.00",
      "-1.01",
      "2.5",
      "0.99",
    ]);
  });

  it("decimals are compared by value", () => {
    expect(number("1.0").equals(number("1"))).toBe(true);
    expect(number("-2").compare(number("1")) < 0).toBe(true);
    expect(number("0.00").sign).toBe(0);
  });
});

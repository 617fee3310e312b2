/** Exact decimal numbers: amounts, quantities, and rates of invoices. */

/** Digits that a number can have. EN 16931 has no limit, and no real number comes near this one. */
const MOST_CHARACTERS = 64;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/;

const power = (scale: number): bigint => 10n ** BigInt(scale);

export class Decimal {
  static readonly zero = new Decimal(0n, 0);

  /** The value is `units` divided by ten to the power of `scale`. */
  readonly #units: bigint;
  readonly #scale: number;

  private constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /** Reads a number as XML Schema's `decimal` has it; undefined for anything else, and for numbers of more than 64 characters. */
  static of(text: string): Decimal | undefined {
    const trimmed = text.trim();
    const [, sign, whole = "", fraction = ""] = (trimmed.length <= MOST_CHARACTERS && NUMBER.exec(trimmed)) || [];
    if (whole + fraction === "") return undefined;
    const units = BigInt(whole + fraction);
    return new Decimal(sign === "-" ? -units : units, fraction.length);
  }

  static sum(terms: readonly Decimal[]): Decimal {
    return terms.reduce((sum, term) => sum.plus(term), Decimal.zero);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    return new Decimal(this.#unitsAt(scale) + other.#unitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.#units, other.#scale));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.#units * other.#units, this.#scale + other.#scale);
  }

  /** This many percent of a number. */
  percentOf(number: Decimal): Decimal {
    const product = this.times(number);
    return new Decimal(product.#units, product.#scale + 2);
  }

  /** Rounded to two decimals, halves away from zero. */
  rounded(): Decimal {
    if (this.#scale <= 2) return this;
    const divisor = power(this.#scale - 2);
    const half = divisor / 2n;
    return new Decimal((this.#units + (this.#units < 0n ? -half : half)) / divisor, 2);
  }

  /** Negative if this is less than the other, 0 if both are equal. */
  compare(other: Decimal): number {
    return this.minus(other).sign;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  get sign(): -1 | 0 | 1 {
    return this.#units === 0n ? 0 : this.#units < 0n ? -1 : 1;
  }

  toString(): string {
    const digits = (this.#units < 0n ? -this.#units : this.#units).toString().padStart(this.#scale + 1, "0");
    const whole = digits.slice(0, digits.length - this.#scale);
    const fraction = this.#scale === 0 ? "" : `.${digits.slice(digits.length - this.#scale)}`;
    return (this.#units < 0n ? "-" : "") + whole + fraction;
  }

  #unitsAt(scale: number): bigint {
    return this.#units * power(scale - this.#scale);
  }
}

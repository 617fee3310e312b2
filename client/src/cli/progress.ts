/** Progress on standard error, if that is a terminal. */

const FRAMES = ["|", "/", "-", "\\"];
const BAR = 24;

export class Progress {
  readonly #isShown: boolean;
  #text = "";
  #started = Date.now();
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(isQuiet: boolean) {
    this.#isShown = !isQuiet && process.stderr.isTTY;
  }

  /** Shows the current work, and its duration. */
  say(text: string): void {
    if (!this.#isShown) return;
    if (this.#timer === undefined) {
      this.#started = Date.now();
      this.#timer = setInterval(() => this.#draw(), 200);
      this.#timer.unref();
    }
    this.#text = text;
    this.#draw();
  }

  bar(text: string, done: number, total: number, unit: string): void {
    const share = total === 0 ? 0 : Math.min(1, done / total);
    const full = Math.round(share * BAR);
    this.say(`${text} [${"#".repeat(full)}${" ".repeat(BAR - full)}] ${unit}`);
  }

  /** Removes the line, so that a message can be written. */
  clear(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.stderr.write("\r\u001b[K");
  }

  #draw(): void {
    const seconds = Math.floor((Date.now() - this.#started) / 1_000);
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const line = `${FRAMES[this.#frame] ?? ""} ${this.#text}${seconds > 1 ? ` ${seconds} s` : ""}`;
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  }
}

/** `12.3 MB`, in the units of disks. */
export function sizeWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ""}`;
}

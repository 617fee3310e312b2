import { type Browser, chromium } from "playwright-core";
import { findProgram } from "./find-program.ts";

/** The shell has no windows of its own and takes half the time of the browser. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The Chromium of this machine: that of CHROMIUM_PATH, else the first on PATH. Undefined where there is none. */
export const chromiumPath: string | undefined = process.env["CHROMIUM_PATH"] || findProgram(NAMES);

/** Starts it. Without a GPU, it would emulate one. `scrollbars`: whether they are shown, and take room as on desktop systems. */
export async function startBrowser({ scrollbars = false } = {}): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error("Chromium is needed, on PATH or in CHROMIUM_PATH.");
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu"],
    ignoreDefaultArgs: scrollbars ? ["--hide-scrollbars"] : [],
  });
}

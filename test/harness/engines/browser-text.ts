import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Browser } from "playwright-core";
import type { Picture } from "./render.ts";

const fonts = join(import.meta.dirname, "../../../wasm/generated/assets/fonts");

/** A text as the browser draws it in a font of ours, black, 48 points high, two pixels in a point. */
export async function browserText(browser: Browser, text: string, font: string): Promise<Picture> {
  const data = (await readFile(join(fonts, `${font}.ttf`))).toString("base64");
  const scale = 2;
  const page = await browser.newPage({ viewport: { width: 600, height: 160 }, deviceScaleFactor: scale });
  try {
    await page.setContent(
      `<style>@font-face { font-family: own; src: url(data:font/ttf;base64,${data}) }` +
        `body { margin: 30px; font: 48px own; white-space: pre }</style><p>${text}</p>`,
    );
    await page.evaluate("document.fonts.ready.then(() => undefined)");
    const image = await loadImage(await page.screenshot());
    const canvas = createCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { width, height } = image;
    const pixels = context.getImageData(0, 0, width, height).data;
    const size = { width: width / scale, height: height / scale };
    return { ...size, scale, pixels, stride: width, png: canvas.toBuffer("image/png") };
  } finally {
    await page.close();
  }
}

/** Images that cannot be decoded: MuPDF lacks parts of JBIG2, or the data is damaged. */
import { UndecodableImage } from "../../file-errors.ts";
import { allowPage, imagesOnPage } from "../content/page-work.ts";
import type { OpenPdf } from "../document/document.ts";

/** Does work on a page (0-based), and names it if an image on it cannot be decoded. */
export async function namingPage<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UndecodableImage ? error.onPage(index + 1) : error;
  }
}

/**
 * The pages (0-based) of these that have an image in JBIG2 which cannot be decoded: it is drawn as if all its samples were 0. Looks for it in
 * their resources and in those of their forms.
 */
export async function pagesWithUndecodable(open: OpenPdf, pages: readonly number[]): Promise<number[]> {
  const { engine } = open;
  const known = new Map<number, boolean>();
  const isUndecodable = async (number: number): Promise<boolean> => {
    const found = known.get(number) ?? !(await engine.decodesAll(() => drawSmall(open, number)));
    known.set(number, found);
    return found;
  };
  const result: number[] = [];
  for (const page of pages) {
    await allowPage(open, page);
    for (const number of (await imagesOnPage(open, page)).jbig2) {
      if (!(await isUndecodable(number))) continue;
      result.push(page);
      break;
    }
    await engine.work.pause();
  }
  return result;
}

/** Decodes an image, of which one pixel is kept. One that MuPDF does not take for an image is drawn nowhere. */
async function drawSmall({ engine, document }: OpenPdf, number: number): Promise<void> {
  const { mupdf, long } = engine;
  await engine.scope(async () => {
    try {
      const image = await long.loadImage(document.newIndirect(number));
      const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, 1, 1], false);
      const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
      await engine.complete(() => long.fillImage(device, image, [1, 0, 0, 1, 0, 0]));
      device.close();
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  });
}

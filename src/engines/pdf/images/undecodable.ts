/** Images that cannot be decoded: MuPDF lacks parts of JBIG2, or the data is damaged. */
import { Refusal } from "../../errors.ts";
import { allowPage, imagesOnPage } from "../content/page-work.ts";
import type { OpenPdf } from "../document/document.ts";
import type { ImageFacts } from "./facts.ts";

type Named = Pick<ImageFacts, "width" | "height" | "filter">;

/** A part of an image is to be erased, but the image cannot be decoded. */
export class UndecodableImage extends Refusal {
  readonly #input: string;
  readonly #image: Named;

  /** `input`: the name of the file. `page`: from 1, if it is known. */
  constructor(input: string, image: Named, page?: number) {
    const { width, height, filter } = image;
    const kind = filter === undefined ? "" : `, ${filter.replace("Decode", "")}`;
    const where = page === undefined ? `\`${input}\`` : `Page ${page} of \`${input}\``;
    super(
      "invalid_file",
      `${where} has an image that cannot be decoded (${width} x ${height} pixels${kind}), so no part of it can be removed. Choose areas that cover all or nothing of it.`,
      { input },
    );
    this.#input = input;
    this.#image = image;
  }

  onPage(page: number): UndecodableImage {
    return new UndecodableImage(this.#input, this.#image, page);
  }
}

/** Does work on a page (0-based), and names it if an image on it cannot be decoded. */
export async function namingPage<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UndecodableImage ? error.onPage(index + 1) : error;
  }
}

/**
 * The pages (0-based) of these that have an image in JBIG2 which cannot be decoded: it is drawn as if all its samples were 0. Looks for it in their resources and in those of
 * their forms.
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

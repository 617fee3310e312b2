/**
 * Writes images whose pixels were overwritten in an encoding that suits them: as JPEG again, if they were JPEG, and as fax if they have one bit per
 * sample. A photograph would be many times as large otherwise.
 */
import type { PDFObject } from "mupdf";
import type { ImageCodecs } from "../../image/codecs.ts";
import type { OpenPdf } from "../document/document.ts";
import { asFax, encodingWork, type NewImage, withSamples } from "../images/choice.ts";
import { type ImageFacts, readImageFacts } from "../images/facts.ts";
import { encodeJpeg } from "../images/jpeg.ts";
import { fits } from "../images/samples.ts";
import { writeImage } from "../images/write.ts";
import type { Eraser } from "./eraser.ts";

/** Encodes each image as before, and a JPEG at its quality. An image that fails in any way, or would not become smaller, stays unchanged. */
export async function encodeBlanked(open: OpenPdf, codecs: ImageCodecs, { blanked }: Eraser): Promise<void> {
  const { document, engine } = open;
  for (const [number, quality] of blanked) {
    const object = document.newIndirect(number);
    try {
      const image = readImageFacts(object);
      if (!image) continue;
      const encode = (): Promise<NewImage | undefined> =>
        quality === undefined ? asFax(engine, object, image) : asJpeg(object, image, quality);
      const isWanted = quality === undefined ? image.bits === 1 : image.filter !== "DCTDecode" && fits(image, image);
      const made = isWanted
        ? await engine.work.stage("encodeImage", encodingWork(image, image)).run(encode)
        : undefined;
      if (made && made.encoded.bytes.length < image.bytes) engine.scope(() => writeImage(object, image, made));
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    } finally {
      object.destroy();
    }
  }
  codecs.drop();

  function asJpeg(object: PDFObject, image: ImageFacts, quality: number): Promise<NewImage> {
    return withSamples(engine, object, { image }, image, async (pixmap, samples) => ({
      size: image,
      encoded: await encodeJpeg(engine, codecs, pixmap, samples, quality),
    }));
  }
}

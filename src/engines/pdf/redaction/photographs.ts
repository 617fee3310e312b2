/**
 * Writes images whose pixels were overwritten in an encoding that suits them: as JPEG again, if they were JPEG, and as fax if they have one bit per
 * sample. As MuPDF writes them, a photograph would be many times as large, and a fax half as large again.
 */
import type { PDFObject } from "mupdf";
import type { ImageCodecs } from "../../image/codecs.ts";
import { jpegQuality } from "../../image/jpeg-segments.ts";
import type { OpenPdf } from "../document/document.ts";
import { asFax, encodingWork, withSamples } from "../images/choice.ts";
import { type ImageFacts, readImageFacts } from "../images/facts.ts";
import { encodeJpeg } from "../images/jpeg.ts";
import { fits } from "../images/samples.ts";
import { writeImage } from "../images/write.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { objectNumber } from "../objects/objects.ts";

/** A higher quality adds bytes, and hides no loss that is seen. */
const MOST_QUALITY = 95;

interface Photograph extends Pick<ImageFacts, "width" | "height" | "components"> {
  readonly quality: number;
}

/** The JPEGs of a document before it is changed, and how many objects it has. */
export interface Photographs {
  readonly found: readonly Photograph[];
  readonly objects: number;
}

export async function findPhotographs(open: OpenPdf): Promise<Photographs> {
  const found: Photograph[] = [];
  await eachObjectHaving(open, { keys: ["Width"] }, (object) => {
    const facts = readImageFacts(object);
    if (facts?.filter !== "DCTDecode") return;
    const data = object.readRawStream();
    const { width, height, components } = facts;
    found.push({ width, height, components, quality: jpegQuality(data.asUint8Array()) ?? MOST_QUALITY });
    data.destroy();
  });
  return { found, objects: open.document.countObjects() };
}

/**
 * MuPDF has made a new image of each that it changed. One of the size of a JPEG is encoded as that was, and at its quality. One that fails in
 * any way stays as it is.
 */
export async function encodeAgain(open: OpenPdf, codecs: ImageCodecs, before: Photographs): Promise<void> {
  const { document, engine } = open;
  const images: ImageFacts[] = [];
  const masks = new Set<number>();
  await eachObjectHaving(open, { keys: ["Width"] }, (object, number) => {
    const facts = readImageFacts(object);
    if (!facts) return;
    for (const key of ["SMask", "Mask"]) masks.add(objectNumber(object.get(key)));
    const isNew = number >= before.objects && facts.filter !== "DCTDecode";
    if (isNew && (facts.bits === 1 || (facts.bits === 8 && !facts.isIndexed))) images.push(facts);
  });
  for (const image of images) {
    if (image.components === undefined) continue;
    if (image.bits === 1) {
      await encodeFax(open, image);
      continue;
    }
    const qualities = before.found.filter((photograph) => isAlike(photograph, image)).map(({ quality }) => quality);
    if (qualities.length === 0 || masks.has(image.number) || !fits(image, image)) continue;
    const object: PDFObject = document.newIndirect(image.number);
    try {
      const quality = Math.min(MOST_QUALITY, Math.round(Math.max(...qualities)));
      const encoded = await engine.work
        .stage("encodeImage", encodingWork(image, image))
        .run(() =>
          withSamples(engine, object, { image }, image, (pixmap, samples) =>
            encodeJpeg(engine, codecs, pixmap, samples, quality),
          ),
        );
      if (encoded.bytes.length < image.bytes) engine.scope(() => writeImage(object, image, { size: image, encoded }));
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    } finally {
      object.destroy();
    }
  }
  codecs.drop();
}

async function encodeFax({ document, engine }: OpenPdf, image: ImageFacts): Promise<void> {
  const object = document.newIndirect(image.number);
  try {
    const fax = await engine.work
      .stage("encodeImage", encodingWork(image, image))
      .run(() => asFax(engine, object, image));
    if (fax && fax.encoded.bytes.length < image.bytes) engine.scope(() => writeImage(object, image, fax));
  } catch (error) {
    if (!engine.outlives(error)) throw error;
  } finally {
    object.destroy();
  }
}

const isAlike = (a: Photograph, b: ImageFacts): boolean =>
  a.width === b.width && a.height === b.height && a.components === b.components;

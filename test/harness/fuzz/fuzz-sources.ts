import { cutInHalf, pageTreeLoop, withoutXref, zipBomb } from "../fixtures/broken-fixtures.ts";
import { ciphers, encrypt } from "../fixtures/encrypted-fixtures.ts";
import { allFeatures, document } from "../fixtures/fixtures.ts";
import type { Source } from "./fuzz.ts";
import { signedDocument } from "../fixtures/metadata-fixtures.ts";
import { makeJpeg, withExif } from "../images/jpeg-fixtures.ts";
import { writePng } from "../images/png-writer.ts";
import { runQpdf } from "../engines/qpdf.ts";

/** Images of each way in which samples lie in a file. */
function ownImages(): Source[] {
  const size = { width: 40, height: 30 };
  const slope = (x: number, y: number, channel: number): number => (x * 5 + y * 3 + channel * 60) % 256;
  const pngs = ([0, 2, 4, 6] as const).flatMap((colorType) =>
    [false, true].map((interlaced) => ({
      name: `PNG ${colorType}${interlaced ? " interlaced" : ""}`,
      bytes: writePng({ ...size, colorType, depth: 8, interlaced }, slope),
    })),
  );
  const jpegs = ([1, 3, 4] as const).map((components) => ({
    name: `JPEG of ${components} components`,
    bytes: withExif(makeJpeg({ ...size, components }, slope), { orientation: 6 }),
  }));
  return [...pngs, ...jpegs];
}

/** The project's own documents and images, for a mutation run. */
export async function ownSources(): Promise<Source[]> {
  const everything = document({ name: "everything", pages: 12, features: allFeatures, imageBytes: 2_000 });
  const small = document({ name: "small", pages: 2, features: ["outline", "form", "links", "tagged"] });
  const packed = await runQpdf(["--object-streams=generate", "/in.pdf", "/out.pdf"], { "/in.pdf": everything });
  if (packed.output === undefined) throw new Error(`qpdf made no object streams: ${packed.stderr}`);
  const encrypted = ciphers.map(async (cipher) => ({
    name: cipher,
    bytes: await encrypt(small, { cipher, userPassword: "user", ownerPassword: "owner" }),
    password: cipher === "rc4-128" ? "user" : "owner",
  }));
  return [
    { name: "everything", bytes: everything },
    { name: "object streams", bytes: packed.output },
    { name: "small", bytes: small },
    { name: "signed", bytes: signedDocument() },
    { name: "no xref", bytes: withoutXref(small) },
    { name: "half", bytes: cutInHalf(small) },
    { name: "page tree loop", bytes: pageTreeLoop() },
    { name: "zip bomb", bytes: zipBomb(2) },
    ...(await Promise.all(encrypted)),
    ...ownImages(),
  ];
}

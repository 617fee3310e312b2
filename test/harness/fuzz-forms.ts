/** What each operation is sent by `npm run fuzz`: an entry for each of the registry. */
import { chainPem, issue, keyPem } from "./certificates.ts";
import type { Part } from "./client.ts";
import type { Random } from "./random.ts";

/** What a form is made of. */
export interface Draw {
  readonly random: Random;
  /** Letters that belong to this call alone; they may stand wherever text is asked for. */
  readonly mark: string;
  /** A document, damaged or not, and the password that opens it, where there is one. */
  document(): { readonly file: Part; readonly password?: string };
  /** An image, damaged or not. */
  image(): Part;
}

export type Form = Readonly<Record<string, Part>>;

const issued = await issue({ subject: "Signer" });
const signer = { key: await keyPem(issued), chain: chainPem(issued) };

const RANGES = ["1", "all", "odd", "even", "last", "1-end", "last-2", "2-1", "!1", "1,1,1", "1|1-end", "99", ""];

/** Leaves out those that are not given. */
function given(fields: Readonly<Record<string, Part | undefined>>): Form {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Part] => entry[1] !== undefined && entry[1] !== ""),
  );
}

/** By the operation's name. */
export const forms: Readonly<Record<string, (draw: Draw) => Form>> = {
  merge({ random, mark, document }) {
    const documents = Array.from({ length: 2 + random.below(3) }, document);
    return given({
      ...Object.fromEntries(
        documents.flatMap(({ file, password }, index) => [
          [`file${index}`, file],
          [`password${index}`, password],
        ]),
      ),
      interleave: random.pick([undefined, "true"]),
      bookmarks: random.pick([undefined, "keep", "per-file", "none"]),
      title: random.pick([undefined, mark]),
      author: random.pick([undefined, `${mark} é 変`]),
    });
  },
  split({ random, document }) {
    const mode = random.pick(["pages", "chunks", "ranges", "bookmarks"]);
    return given({
      ...document(),
      mode,
      chunkSize: mode === "chunks" ? random.pick(["1", "2", "1000"]) : undefined,
      ranges: mode === "ranges" ? random.pick(RANGES) : undefined,
    });
  },
  "extract-text": ({ random, document }) =>
    given({ ...document(), words: random.pick([undefined, "true"]), pages: random.pick([undefined, ...RANGES]) }),
  "extract-pages": ({ random, document }) => given({ ...document(), range: random.pick(RANGES) }),
  "delete-pages": ({ random, document }) => given({ ...document(), pages: random.pick(RANGES) }),
  rotate: ({ random, document }) =>
    given({
      ...document(),
      angle: random.pick(["0", "90", "180", "270"]),
      pages: random.pick([undefined, undefined, ...RANGES]),
      rotations: random.pick([undefined, '{"1":180}']),
    }),
  protect: ({ random, mark, document }) =>
    given({
      ...document(),
      userPassword: random.pick(["user", mark]),
      ownerPassword: random.pick([undefined, "an, owner's"]),
      permissions: random.pick([undefined, "print,copy", "none"]),
      encryption: random.pick([undefined, "aes-128"]),
    }),
  crop({ random, document }) {
    const how = random.pick([
      { box: random.pick(['{"x":0,"y":0,"width":60,"height":40}', '{"x":10,"y":20,"width":1e9,"height":1}']) },
      { margins: random.pick(["1", '{"top":9,"left":2.5}', "1e5"]) },
      { auto: "true" },
    ]);
    return given({
      ...document(),
      ...how,
      pages: random.pick([undefined, ...RANGES]),
      remove: random.pick([undefined, "true"]),
    });
  },
  "n-up": ({ random, document }) =>
    given({
      ...document(),
      ...random.pick([
        { pagesPerSheet: random.pick(["2", "4", "6", "9", "16"]) },
        { layout: "booklet" },
        { pagesPerSheet: "2", layout: "booklet" },
      ]),
      pageSize: random.pick([undefined, "a4", "legal"]),
      marginPt: random.pick([undefined, "9", "300"]),
      border: random.pick([undefined, "true"]),
    }),
  unlock: ({ document }) => given({ ...document() }),
  "to-images": ({ random, document }) =>
    given({
      ...document(),
      format: random.pick([undefined, "png", "jpeg", "webp"]),
      // Low, as what may break is what is read, not what is painted.
      dpi: random.pick(["36", "50", "72"]),
      quality: random.pick([undefined, "1", "100"]),
      pages: random.pick(["1", "last-2", "odd", "99"]),
    }),
  ocr({ random, document, image }) {
    const output = random.pick([undefined, "pdf"]);
    return given({
      ...(random.once(4) ? { file: image() } : document()),
      output,
      words: output === undefined ? random.pick([undefined, "true"]) : undefined,
      mode: random.pick([undefined, undefined, "force"]),
      // One page: what may break is what is read, and recognizing it takes seconds.
      pages: random.pick(["1", "last", "99"]),
    });
  },
  "from-images": ({ random, image }) =>
    given({
      ...Object.fromEntries(Array.from({ length: 1 + random.below(3) }, (_, index) => [`image${index}`, image()])),
      pageSize: random.pick([undefined, "a4", "letter"]),
      marginPt: random.pick([undefined, "20"]),
      fit: random.pick([undefined, "cover", "stretch"]),
    }),
  "to-pdf": ({ random, document, image }) =>
    given({
      ...(random.once(4) ? { file: image() } : document()),
      format: random.pick([undefined, "html", "text", "csv"]),
      pageSize: random.pick([undefined, "a5", '{ "width": 300, "height": 500 }']),
      strict: random.pick([undefined, "true"]),
    }),
  compress: ({ random, document }) =>
    given({
      ...document(),
      level: random.pick([undefined, "low", "high", "max"]),
      grayscale: random.pick([undefined, "true"]),
      stripMetadata: random.pick([undefined, "true"]),
      imageMaxDpi: random.pick([undefined, "72"]),
    }),
  redact: ({ random, mark, document }) =>
    given({
      ...document(),
      terms: random.pick([undefined, JSON.stringify([mark, "e"]), '["the", "\u00e9"]']),
      ignoreCase: random.pick([undefined, "true"]),
      patterns: random.pick([undefined, '["email", "phone", "url"]', '[{"regex": "[a-z]{3}"}]']),
      regions: random.pick(['[{"page":1,"x":50,"y":50,"width":200,"height":100}]', undefined]),
      pages: random.pick([undefined, undefined, ...RANGES]),
      label: random.pick([undefined, mark]),
      dryRun: random.pick([undefined, undefined, "true"]),
    }),
  watermark({ random, mark, document, image }) {
    const kind = random.pick(["text", "image"]);
    return given({
      ...document(),
      kind,
      text: kind === "text" ? random.pick([mark, `${mark} <b>&amp; عربى`]) : undefined,
      image: kind === "image" ? image() : undefined,
      position: random.pick([undefined, "top-left", "bottom-right", "diagonal"]),
      layer: random.pick([undefined, "under"]),
      pages: random.pick([undefined, ...RANGES]),
    });
  },
  "add-page-numbers": ({ random, mark, document }) =>
    given({
      ...document(),
      template: random.pick([undefined, `${mark} {n}`, "{roman} / {total}"]),
      style: random.pick([undefined, "roman", "alphaLower"]),
      position: random.pick([undefined, "top-left"]),
      pages: random.pick([undefined, ...RANGES]),
    }),
  sign({ random, mark, document, image }) {
    const mode = random.pick(["type", "image"]);
    const page = random.pick([1, 1, 2, 99]);
    const [x, y, width, height] = random.pick([
      [0, 0, 50, 20],
      [20, 30, 90.5, 60],
      [-1, 0, 1e9, 1],
    ] as const);
    return given({
      ...document(),
      mode,
      field: JSON.stringify({ page, x, y, width, height, origin: random.pick([undefined, "bottom-left"]) }),
      typedName: mode === "type" ? random.pick([mark, `${mark} Zoë عربى`]) : undefined,
      signatureImage: mode === "image" ? image() : undefined,
      timestamp: random.pick([undefined, "true"]),
      signerName: random.pick([undefined, mark]),
      signerEmail: random.pick([undefined, `${mark}@example.com`]),
    });
  },
  seal: ({ random, mark, document, image }) =>
    given({
      ...document(),
      ...random.pick<Form>([
        { privateKey: signer.key, chain: signer.chain },
        { privateKey: signer.key, chain: mark },
        { certificate: image(), certificatePassword: mark },
        { mode: "prepare", chain: signer.chain },
        { mode: "complete", chain: signer.chain, signature: random.pick(["AAAA", mark]) },
        { mode: "complete", cms: random.pick(["AAAA", mark]) },
      ]),
      digest: random.pick([undefined, "sha512"]),
      reason: random.pick([undefined, mark, `${mark} Zoë عربى`]),
      fieldName: random.pick([undefined, mark, "person.name"]),
      field: random.pick([
        undefined,
        JSON.stringify({ page: random.pick([1, 99]), x: 9, y: 9, width: 90, height: 40 }),
      ]),
      certify: random.pick([undefined, undefined, "form-filling"]),
    }),
  "verify-signatures": ({ random, mark, document }) =>
    given({ ...document(), trust: random.pick([undefined, signer.chain, mark]) }),
  "fill-form": ({ random, mark, document }) =>
    given({
      ...document(),
      values: JSON.stringify(
        random.pick([
          {},
          { "person.name": mark, agree: false, radio: "choice3", color: "g", nobody: mark },
          { "person.name": `${mark} عربى`, "person.city": null, agree: "Yes" },
          { color: mark },
        ]),
      ),
      flatten: random.pick([undefined, "true"]),
      strict: random.pick([undefined, undefined, "true"]),
    }),
  metadata({ random, mark, document }) {
    if (random.once(2)) return given({ ...document(), action: "get" });
    const metadata = random.pick([{ title: mark, custom: { Note: mark } }, { title: null, author: mark }, {}]);
    return given({
      ...document(),
      action: "set",
      metadata: JSON.stringify(metadata),
      replace: random.pick([undefined, "true"]),
    });
  },
  repair: ({ random, document }) => given({ ...document(), output: random.pick([undefined, "json"]) }),
  flatten: ({ random, document }) => given({ ...document(), what: random.pick([undefined, "forms", "annotations"]) }),
  attachments({ random, mark, document, image }) {
    const action = random.pick(["list", "extract", "add", "remove"]);
    const isAdded = action === "add";
    return given({
      ...document(),
      action,
      name: action === "list" ? undefined : random.pick([undefined, "data.csv", "pinned.txt", `${mark}/../é.txt`]),
      attachment: isAdded ? image() : undefined,
      description: isAdded ? random.pick([undefined, mark]) : undefined,
      relationship: isAdded ? random.pick([undefined, "Data"]) : undefined,
    });
  },
  outline({ random, mark, document }) {
    if (random.once(2)) return given({ ...document(), action: "get" });
    const outline = random.pick([
      [],
      [{ title: mark, page: 1, view: ["XYZ", 1, null, 2.5], open: true, children: [{ title: `${mark} 変` }] }],
      [{ title: "", page: 99 }],
      [{ title: mark, url: "https://example.com/", bold: true, color: "#ff0000" }],
    ]);
    return given({ ...document(), action: "set", outline: JSON.stringify(outline) });
  },
  pipeline: ({ random, document }) => {
    const middle = [{ operation: "rotate", angle: 90 }, { operation: "compress" }, { operation: "add-page-numbers" }];
    const last = [{ operation: "metadata", action: "get" }, { operation: "extract-text" }, { operation: "to-images" }];
    return given({
      ...document(),
      steps: JSON.stringify([random.pick(middle), random.pick(middle), random.pick(last)]),
    });
  },
};

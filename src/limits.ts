/** Bytes of a mebibyte. */
export const MiB = 1024 * 1024;

/**
 * The service's limits, all in one place. API.md's table gives the start values: raised by measurement, lowered only
 * with a figure. Each that a caller can pass is refused with 413 and `{ limit, actual }`.
 */
export const limits = {
  /** Pages of a document. */
  pages: 5_000,
  /** Indirect objects of a document. */
  objects: 500_000,
  /** Bytes that the content streams that are read may decompress to, all of a request taken together. */
  decompressedBytes: 512 * MiB,
  /** Bytes that a document's object streams may inflate to: MuPDF inflates them while it opens a file. */
  objectStreamBytes: 128 * MiB,
  /**
   * Entries of one tree of a document that is read into a model: its outline, its fields, its structure, a name tree. Each
   * takes up to 200 bytes of the JavaScript heap.
   */
  treeEntries: 200_000,
  /** Entries of an array or a dictionary that is read. */
  arrayItems: 200_000,
  /**
   * Bytes that the content streams of the pages that are drawn or read may decompress to, with all that they draw as often as
   * they draw it: about 20 MiB are interpreted in a second, and nothing can stop that.
   */
  contentBytes: 128 * MiB,
  /** Files of one request. */
  files: 100,
  /** Pages of all parts of a split taken together: ranges may overlap. */
  splitPages: 50_000,
  /** Entries of a ZIP answer. */
  zipEntries: 5_000,
  /** Bytes of a ZIP answer: beyond this a ZIP needs the 64-bit format, which many readers lack. */
  zipBytes: 0xffff_ffff,

  /**
   * Bytes a second that a body must arrive, and a response be read, with: `slackMilliseconds` and `stallMilliseconds` say how
   * far one may fall behind.
   */
  slowestBytesPerSecond: 32 * 1024,

  text: {
    /**
     * Characters of one answer of extract-text (UTF-16 units). The answer lies in the JavaScript heap as text by page, as a
     * whole, as JSON and as bytes: about ten bytes for each.
     */
    characters: 4_000_000,
    /** Words with their boxes in one answer: about 250 bytes for each. */
    words: 150_000,
  },

  stamps: {
    /** Characters of one stamp's text. */
    characters: 2_000,
    /** Characters that one request may have set, the labels of all its pages taken together: each is an object for a while. */
    charactersSet: 120_000,
    /** Marks of one page that a watermark is repeated on. */
    tiles: 5_000,
  },

  images: {
    /** Pixels of one image, and of all images of a call. */
    pixels: 100_000_000,
    allPixels: 5_000_000_000,
    /** Pixels of a row or a column: a few rows are held while an image is read. */
    side: 100_000,
    /** Chunks of a PNG; real ones have some thousands. */
    chunks: 100_000,
  },

  /** Fuel (src/engines/work.ts): a hundred million units are about a second of an engine's time. `npm run corpus` prints the dearest files. */
  work: {
    /** For a request, or for one page where pages are rendered or read one by one. */
    request: 400_000_000,
    /** For the images of a page that is drawn, beside that: by their pixels, up to this. */
    images: 8_000_000_000,
    /** And for each byte of its body: honest work grows with the document, so that small files cannot ask for much. */
    bodyByte: 300,
    /** For a page that is recognized. */
    recognizedPage: 5_000_000_000,
    /** For a request in all, whatever it holds: what `cpu_ms` in wrangler.toml has time for. */
    most: 30_000_000_000,
  },

  raster: {
    /** Pixels of one page. */
    pagePixels: 100_000_000,
    /** Pixels of all pages of one call. */
    callPixels: 5_000_000_000,
  },

  ocr: {
    /** Pages of one call that are recognised: one takes some seconds, and a call has 300. */
    pages: 50,
    /** Languages of one call: each model is in memory. */
    languages: 3,
    /** Pixels of a page as it is recognised, an A3 at 200 dpi; a larger page is drawn more coarsely. */
    pagePixels: 8_000_000,
  },

  compress: {
    /** Bytes that the samples of one image may take while it is encoded anew; a larger one stays as it is. */
    decodedBytes: 36 * MiB,
    /** Samples of one image that are decoded, also where it is decoded smaller: about 100 million are inflated in a second. */
    decodedPixels: 100_000_000,
    /** Samples of all images of a call that are decoded; the largest files come first, the rest stay as they are. */
    pixels: 400_000_000,
    /** Samples up to which mozjpeg is used: it takes up to 14 bytes for each, beside the engine's heap. */
    mozjpegPixels: 2_200_000,
    /** Images that cannot be decoded before the others are left alone: each leaves frames on the engine's stack. */
    failures: 50,
  },

  metadata: {
    /** Fields of a document's form that are listed. */
    formFields: 20_000,
    /** Bytes of text that are read out of Info dictionary and form: they go into one JSON answer, in the JavaScript heap. */
    textBytes: 8 * MiB,
    /** Bytes of XMP that are edited. */
    xmpBytes: 4 * MiB,
    /** Tags and attributes of it: each is an object of the JavaScript heap, and taking one of n children away takes n steps. */
    xmpTags: 20_000,
  },

  keys: {
    /** Keys of an account and mode that are neither revoked nor expired; 409 `limit_reached` beyond. */
    usable: 100,
    /** Keys of one page of the list. */
    page: 100,
    /** Seconds that a rotated key can go on working. */
    graceSeconds: 30 * 86_400,
  },

  webhooks: {
    /** Subscriptions of an account and mode; 409 `limit_reached` beyond. */
    subscriptions: 20,
    /** Deliveries of one page of the list: each may bring eight answers of 1 KB. */
    page: 50,
    /** Tests and replays of an account in a minute. */
    askedPerMinute: 10,
    /** Characters of a subscription's description. */
    description: 500,
    /** Seconds that the secret before a rotation goes on signing. */
    overlapSeconds: 86_400,
  },

  json: {
    /** Bytes of a JSON body. */
    bodyBytes: 64 * 1024,
    /** Problems of one request that are listed. */
    issues: 100,
  },

  form: {
    /** Parts of a multipart body, files included. */
    fields: 1_000,
    /** Bytes of one text field. */
    textBytes: 1 * MiB,
    /** Bytes of all text fields together: they lie in the JavaScript heap, which admission does not see grow. */
    allTextBytes: 4 * MiB,
    /** Bytes of the headers of one part. */
    partHeaderBytes: 16 * 1024,
    /** Milliseconds without a byte after which a body counts as given up. */
    stallMilliseconds: 20_000,
    /** Bytes of a refused body that are still read, and milliseconds that may take, so that its sender sees the answer. */
    discardBytes: 64 * MiB,
    discardMilliseconds: 1_000,
  },

  admission: {
    /** Milliseconds that a request waits for memory before it is turned away. */
    waitMilliseconds: 5_000,
    /**
     * Bytes of a body, announced by its Content-Length, up to which it is read before the request has an engine: a slow
     * upload holds only these then.
     */
    smallBodyBytes: 4 * MiB,
    /** Requests of one account that hold an engine while a larger body arrives or a response is read, at most. */
    idlePerAccount: 2,
    /** Milliseconds that a request waits for its turn once its body is here. */
    turnMilliseconds: 30_000,
    /**
     * A client that holds an engine while it sends a body or reads a response, or memory while it sends a body, has this time
     * and what its bytes take at this rate. After that the next request that finds no room gets it.
     */
    fairMilliseconds: 20_000,
    fairBytesPerSecond: 256 * 1024,
    /** Milliseconds after which one that waits looks by itself whether those before it are still there. */
    lookMilliseconds: 250,
    /**
     * Milliseconds without a sign of life after which a request's memory is given to one that waits for it. As many as a
     * request has CPU time for, so that none loses it while it works.
     */
    silentMilliseconds: 300_000,
    /** The same once its client is gone: the work stops within milliseconds, if the platform lets it go on at all. */
    goneMilliseconds: 2_000,
    /** Seconds named in `Retry-After` to one that was turned away. */
    retryAfterSeconds: 5,
    /**
     * Bytes of the isolate that no request is charged for: the JavaScript heap with the bundle, the compiled wasm, the
     * buffers of idle connections. Estimated, not yet measured: PLATFORM.md gives 128 MB for all.
     */
    baseBytes: 20 * MiB,
    /**
     * Requests that work at once: each has an engine of its own, and two engines are what 128 MB hold beside one large
     * document. More would not be faster, an isolate has one thread.
     */
    requests: 2,
    /** Bytes of an engine's heap before it grows; it has room for a small document. */
    engineBytes: 22 * MiB,
    /** Bytes of heap of an engine that is leased where much memory is needed beside it, at most, unless the body needs more. */
    lentBesideBytes: 40 * MiB,
    /** Bytes of the recognition's memory with two languages and a page of A4 (`npm run memory`). */
    recognizerBytes: 45 * MiB,
    /** Bytes of heap that an engine uses with no document open. */
    engineOwnBytes: 8 * MiB,
    /** Heap bytes for each byte of the body: the input, and 1.6 times as much for copies and output (mupdf.ts, `arena`). */
    heapPerBodyByte: 2.6,
  },

  answer: {
    /** Answers up to this many bytes are copied out at once, so that their engine is free for the next request. */
    copiedBytes: 1 * MiB,
    /**
     * Bytes of a response that are made ahead of its reader, as far as there is memory for them: what is made needs no engine
     * any more.
     */
    aheadBytes: 32 * MiB,
    /**
     * Milliseconds that a reader may fall behind `slowestBytesPerSecond`. Sockets and proxies take some MiB at once, and then
     * nothing until those are read, so that a reader who keeps to that rate seems to stand still: 9 MiB take so long.
     */
    slackMilliseconds: 300_000,
  },
} as const;

/** Bytes in a mebibyte. */
export const MiB = 1024 * 1024;

/** The memory that Cloudflare gives an isolate, and the default of `MEMORY_BUDGET_MIB`, in bytes. */
const DEFAULT_BUDGET = 128 * MiB;
/** The most that a WebAssembly memory of the engines can have: their binaries declare it. */
const MOST_HEAP = 2048 * MiB;

/** Limits are multiples of this, in bytes. */
const STEP = 8 * MiB;

/** What takes memory, in bytes; `limits.admission` explains each. */
const MEMORY = { baseBytes: 24 * MiB, engineBytes: 12 * MiB, engineOwnBytes: 8 * MiB, heapPerBodyByte: 2.6 } as const;

/** The sizes that follow from the memory of an isolate, in bytes. */
export interface MemorySizes {
  /** Memory for all requests, including engines that are kept between them. */
  readonly memoryBytes: number;
  /** The files of one request that are held in memory together, and the largest request body. */
  readonly heldBytes: number;
}

/** The sizes for `MEMORY_BUDGET_MIB`, in bytes: the only place that derives limits from memory. */
export function sizesWith(budgetBytes: number): MemorySizes {
  const { baseBytes, engineOwnBytes, heapPerBodyByte } = MEMORY;
  const memoryBytes = budgetBytes - baseBytes;
  const most = (Math.min(memoryBytes, MOST_HEAP) - engineOwnBytes) / heapPerBodyByte;
  return { memoryBytes, heldBytes: Math.floor(most / STEP) * STEP };
}

/** The sizes with the default memory. */
export const defaultSizes = sizesWith(DEFAULT_BUDGET);

/**
 * The limits of the service: every number that can reject a request, apart from those of plans and the values that a parameter accepts.
 * Constants that cannot reject one are defined where they are used. `npm run generate -- docs` writes docs/limits.md from this file: a group's
 * comment introduces its table, and each limit's comment is its row. Groups and rows marked with `@operating` are internals, which
 * docs/operating.md lists instead.
 */
export const limits = {
  /** Pages of a document. */
  pages: 5_000,
  /** Files in one request: the PDFs of merge, the images of from-images. */
  files: 100,
  /** Steps of a pipeline. */
  steps: 10,
  /** Pages of all parts of a split. Ranges may overlap. */
  splitPages: 50_000,
  /** Files in a ZIP response. */
  zipEntries: 5_000,
  /** Size of a ZIP response. Larger ones need the 64-bit format, which many readers lack. */
  zipBytes: 0xffff_ffff,
  /**
   * The lowest average speed of a client that sends a body or reads a response. It may fall behind by `form.graceMilliseconds` or
   * `response.graceMilliseconds`.
   */
  slowestBytesPerSecond: 32 * 1024,
  /** Indirect objects of a document. */
  objects: 500_000,
  /** Levels of a document's page tree, whose nodes take up to a square of work for each page. The deepest real one seen has 4. */
  pageTreeLevels: 500,
  /** Entries in one tree of a document: its outline, form fields, structure, or a name tree. Each takes up to 200 bytes of memory. */
  treeEntries: 200_000,
  /** Annotations of all pages. An array that pages share counts for each of them. */
  annotations: 2_000_000,
  /** Entries in one array or dictionary that is read entry by entry. */
  arrayItems: 200_000,
  /** Decompressed size of all content streams that one request reads. */
  decompressedBytes: 512 * MiB,
  /** Decompressed size of a document's object streams, which MuPDF inflates when it opens the file. */
  objectStreamBytes: 128 * MiB,
  /** Decompressed size of the content that is rendered or read, counted each time it is drawn. About 20 MiB are processed per second. */
  contentBytes: 128 * MiB,
  /** Strings outside of object streams in a document to encrypt. Each is encrypted separately, in 10 microseconds. */
  encryptedStrings: 100_000,
  /** Levels of elements in XML: XMP metadata, and the parts of office documents. The deepest real one seen has 60. */
  xmlLevels: 200,

  /** Forms. For the request bodies of operations (`multipart/form-data`). */
  form: {
    /** Parts of a body, including files. */
    fields: 1_000,
    /** Size of one text field. */
    textBytes: 1 * MiB,
    /** Size of all text fields. They are held in JavaScript memory, which admission does not measure. */
    allTextBytes: 4 * MiB,
    /** Size of the headers of one part. */
    partHeaderBytes: 16 * 1024,
    /** Time without a byte after which the request gets 408. */
    graceMilliseconds: 20_000,
  },

  /** Files by reference. For IDs of stored files, and URLs. */
  references: {
    /**
     * Uploaded and referenced files of one request that are held in memory together, with the default of `MEMORY_BUDGET_MIB`. `GET /api/v1/limits` has
     * the figure of a server.
     */
    heldBytes: defaultSizes.heldBytes,
    /** Decompressed size of a response with a `Content-Encoding`, which the service does not ask for: a few hundred KB can hold gigabytes. */
    decompressedBytes: 32 * MiB,
    /** Redirects that are followed from a URL. */
    redirects: 3,
    /** How far the server of a URL may fall behind `slowestBytesPerSecond`. Times out after this time without data. */
    graceMilliseconds: 60_000,
  },

  /** Parameters. For text. A longer value gets 400 `invalid_parameters`. */
  parameters: {
    /** Characters of a page range. */
    rangeCharacters: 100_000,
    /** Items of a page range. */
    rangeItems: 10_000,
    /** Pages that all items of a page range name together, before any is left out. */
    rangePages: 1_000_000,
    /** Characters of a line of text, such as a title, an author, or a password. */
    lineCharacters: 2_000,
    /** Characters of a URL. */
    urlCharacters: 2_048,
    /** Characters of a style sheet in `css`. */
    cssCharacters: 200_000,
    /** Characters of keys and certificates in PEM, and of a signature in `cms`. */
    pemCharacters: 100_000,
    /** Characters of the root certificates in `trust`. */
    trustCharacters: 200_000,
    /** Characters of a signature value in `signature`. */
    signatureCharacters: 1_000,
    /** Characters of the password of a certificate. */
    certificatePasswordCharacters: 1_000,
    /** Characters of an `Idempotency-Key`. */
    idempotencyKeyCharacters: 255,
    /** Size of the name of a custom entry in `metadata`, which is a name in the PDF. */
    customNameBytes: 127,
  },

  /** JSON bodies. For files, keys, and webhooks. */
  json: {
    /** Size of a JSON body. */
    bodyBytes: 64 * 1024,
  },

  /** Responses. */
  response: {
    /**
     * How far a reader may fall behind `slowestBytesPerSecond`. Sockets and proxies accept several MiB at once, and then nothing until those are
     * read, so a reader that keeps up can seem idle: for 9 MiB, this long.
     */
    graceMilliseconds: 300_000,
  },

  /** Stored files. For files that are uploaded to `/files`. The plan limits their size. */
  storage: {
    /** Files per account and mode. More get 409 `limit_reached`. */
    kept: 10_000,
    /** Files on one page of a list. */
    page: 100,
    /** Characters in the name of a file. */
    name: 255,
    /** The shortest time that a file can be kept. */
    shortestSeconds: 300,
    /** The longest time that a file can be kept. */
    longestSeconds: 7 * 86_400,
    /** How long a file is kept by default. */
    defaultSeconds: 86_400,
    /** How long an upload in parts may take. */
    pendingSeconds: 86_400,
    /** Size of a part of an upload in parts. The last one is smaller. */
    partBytes: 16 * MiB,
    /** Size of a single-request upload in addition to its file: other fields, and the headers of the parts. */
    formBytes: 64 * 1024,
    /** How long the ID of an expired file gets 410 instead of 404. */
    rememberedSeconds: 30 * 86_400,
  },

  /** Jobs. For requests with `Prefer: respond-async`. */
  jobs: {
    /** Pages of one job. */
    pages: 5_000,
    /** Pages that the price of the operation covers where it recognizes text. */
    pagesPerPriceOfOcr: 50,
    /** The same for all other operations. */
    pagesPerPrice: 500,
    /** @operating Attempts for a part before it fails. */
    attempts: 3,
    /** @operating How long a part can miss its heartbeat before another consumer takes it. */
    leaseMilliseconds: 60_000,
    /** @operating How often a part renews its heartbeat, and checks that its job has not ended. */
    renewMilliseconds: 10_000,
    /** @operating How long one message of the queue works on parts before the next message continues. */
    turnMilliseconds: 20_000,
    /** @operating How often a consumer that works on a part checks for new short jobs. */
    shortMilliseconds: 250,
    /** @operating How late a part must be before the sweep requeues it. */
    lateMilliseconds: 60_000,
    /** Attempts to send a result to `deliverTo`. */
    deliveryAttempts: 3,
    /** How long one of them may take. */
    deliveryMilliseconds: 300_000,
    /** How long a job may take. */
    longestSeconds: 86_400,
    /** The longest `wait`, in seconds. */
    waitSeconds: 30,
    /** @operating The longest interval at which a request that waits for a job checks it. */
    lookMilliseconds: 1_000,
    /** `Retry-After` of a job that is not finished. */
    retryAfterSeconds: 2,
    /** Size of a file of a job. */
    fileBytes: 6 * 1024 * MiB,
    /** Jobs on one page of a list. */
    page: 100,
    /** How long the row of a job is kept after its result has expired. */
    rememberedSeconds: 30 * 86_400,
  },

  /** API keys. */
  keys: {
    /** Active keys per account and mode. More get 409 `limit_reached`. */
    usable: 100,
    /** Keys on one page of a list. */
    page: 100,
    /** The longest time that a key keeps working after it is rotated. */
    graceSeconds: 30 * 86_400,
  },

  /** Webhooks. */
  webhooks: {
    /** Webhooks per account and mode. More get 409 `limit_reached`. */
    subscriptions: 20,
    /** Deliveries on one page of a list. Each may include eight responses of 1 KB. */
    page: 50,
    /** Tests and replays per account and minute. */
    askedPerMinute: 10,
    /** Characters in the description of a webhook. */
    description: 500,
    /** How long the previous secret keeps signing after it is rotated. */
    overlapSeconds: 86_400,
  },

  /** The MCP server. For requests to `/mcp`. */
  mcp: {
    /** Size of a request. */
    bodyBytes: 2 * MiB,
    /** Size of a file that is sent in base64, decoded. */
    base64Bytes: 1 * MiB,
    /** Size of a text or JSON result that is returned in the response. Larger ones are stored as files. */
    inlineBytes: 64 * 1024,
    /** Size of an image that is also returned in the response, so that the model sees it. */
    imageBytes: 512 * 1024,
    /** Size of a stored file that can be read through `/mcp`. Larger ones can be downloaded. */
    readBytes: 1 * MiB,
    /** How long a result that is stored as a file, and the result of a job, is kept by default. */
    resultSeconds: 3_600,
    /** Messages in a batch (revision 2025-03-26). */
    batch: 20,
    /** Depth of arrays and objects in a request. */
    depth: 64,
    /** Values in a request: strings, numbers, arrays, and objects. */
    values: 20_000,
  },

  /** Text extraction. For `extract-text`. */
  text: {
    /** UTF-16 characters in one response. Each takes about 10 bytes of memory: by page, as a whole, as JSON, and as bytes. */
    characters: 4_000_000,
    /** Words with bounding boxes in one response. Each takes about 250 bytes of memory. */
    words: 150_000,
  },

  /** Text recognition. For `ocr`. */
  ocr: {
    /** Pages recognized in one request. A page takes seconds, and a request has 300 seconds of CPU time. */
    pages: 50,
    /** Languages in one request. Each model is held in memory. */
    languages: 3,
  },

  /** Rendering. For `to-images`. */
  raster: {
    /** Pixels of one page. */
    pagePixels: 100_000_000,
    /** Pixels of all pages in a request. */
    callPixels: 5_000_000_000,
  },

  /** Compression. For `compress`. Images over these limits stay unchanged; with `grayscale`, the request is rejected. */
  compress: {
    /** Memory for the samples of one image while it is encoded again. */
    decodedBytes: 48 * MiB,
    /** Samples decoded from one image, even if it is scaled down while decoding. About 100 million are decoded per second. */
    decodedPixels: 100_000_000,
    /** Samples decoded from all images of a request: 68 pages in A4 at 300 dpi. The largest files come first. */
    pixels: 600_000_000,
  },

  /** Images. For images that are converted to PDF or stamped: `from-images`, `watermark`, and `sign`. */
  images: {
    /** Pixels of one image. */
    pixels: 100_000_000,
    /** Pixels of all images in a request. */
    allPixels: 5_000_000_000,
    /** Pixels in a row or column. A few rows are held in memory while an image is read. */
    side: 100_000,
    /** Chunks of a PNG. Typical files have a few thousand at most. */
    chunks: 100_000,
    /** Scans of a JPEG. Each refines all of its pixels. Encoders write 10 to 15. */
    scans: 200,
  },

  /** Stamps. For `watermark`, `add-page-numbers`, and `sign`. */
  stamps: {
    /** Characters of one stamp's text. */
    characters: 2_000,
    /** Characters of all text set by one request: the labels of all pages, or the values of a form. */
    charactersSet: 120_000,
    /** Copies of a tiled watermark on one page. */
    tiles: 5_000,
  },

  /** Redaction. For `redact`. */
  redaction: {
    /** Terms in one request. */
    terms: 200,
    /** Characters of one term. */
    termCharacters: 500,
    /** Patterns in one request. */
    patterns: 50,
    /** Characters of one regular expression. */
    regexCharacters: 1_000,
    /** Steps of one regular expression with its repetitions written out: `[A-Z]{2,5}` has 10. Only repetitions make it more than the number of characters. */
    regexInstructions: 1_200,
    /** Steps of all regular expressions in one request. */
    allRegexInstructions: 8_000,
    /** Unicode classes, such as `\p{L}`, in all regular expressions of one request. */
    regexClasses: 400,
    /** Characters in the ranges of a regular expression that ignores case. */
    regexFoldedCharacters: 10_000,
    /** Regions in one request. */
    regions: 2_000,
    /** Matches on the pages of one request. */
    matches: 20_000,
    /** Characters on one page. */
    pageCharacters: 1_000_000,
    /** Characters of the label in the boxes. */
    labelCharacters: 100,
  },

  /** Documents of other formats. For `to-pdf`. */
  conversion: {
    /** Size of a file that is text: HTML, Markdown, CSV, and text. */
    textBytes: 4 * MiB,
    /** Size of Rich Text, in which pictures take two bytes for one. */
    rtfBytes: 8 * MiB,
    /** Characters of Markdown. */
    markdownCharacters: 500_000,
    /** Characters of one paragraph, heading, or cell of Markdown: the time that they take may grow with their square. */
    markdownRun: 10_000,
    /** Marks of emphasis (`*`, `_`, `~`, one or several in a row) in one paragraph, heading, or cell of Markdown: each is compared with each. */
    markdownMarks: 600,
    /** Characters of a word with `@` in Markdown: the time that it takes grows with their square. */
    markdownAddress: 4_000,
    /** Nonblank lines of Markdown. */
    markdownLines: 20_000,
    /** Consecutive nonblank lines. */
    markdownBlockLines: 2_000,
    /** List items in Markdown. */
    markdownItems: 5_000,
    /** Definitions of links in Markdown (`[name]: url`). */
    markdownDefinitions: 2_000,
    /** Files in a document that is an archive. */
    entries: 5_000,
    /** Bytes in the name of a file within a document. */
    nameBytes: 1024,
    /** Inflated size of one file within a document, such as the text of a DOCX or the cells of a sheet. */
    entryBytes: 12 * MiB,
    /** Files in `assets`. */
    assets: 500,
    /** Inflated size of the files in `assets`, counted for each reference. */
    assetBytes: 8 * MiB,
    /** Elements of one XML file within a document. */
    elements: 200_000,
    /** Tags of HTML. */
    tags: 20_000,
    /** Nesting of HTML elements. MuPDF silently drops elements deeper than 98 levels, and adds a `tbody` to each table. */
    depth: 60,
    /**
     * Selectors of style sheets that may match an element, times the elements: each is compared with each. 10,000 rules with 500 elements, or
     * 100 with 20,000, are below.
     */
    styleMatches: 8_000_000,
    /** Characters of a word: a run of text without a space. */
    wordCharacters: 100_000,
    /** Combining marks on one character, in a word of more than 500 characters. Unicode's Stream-Safe Text Format allows 30. */
    marks: 100,
    /** Visible sheets of a workbook. */
    sheets: 1_000,
    /** Characters of the text of an office document, counted each time they are shown. */
    textCharacters: 8_000_000,
    /** Size of the pictures of a document, counted each time they are shown. */
    pictureBytes: 24 * MiB,
    /** Attributes of one element of HTML, or of an XML file within a document. */
    attributes: 1_000,
    /** Cells of all sheets, empty ones included. */
    cells: 10_000,
    /** Characters in the cells of all sheets of a workbook. */
    cellCharacters: 2_000_000,
    /** Characters of a number format: as many as Excel allows. */
    numberFormat: 255,
    /** Memory for the text and elements of a document before it is laid out. An estimate. */
    ownBytes: 40 * MiB,
  },

  /** Browser. For `to-pdf` with `engine=browser`. */
  browser: {
    /** How long opening and printing a document may take, in seconds. */
    seconds: 30,
    /** The longest `waitDelay`, in seconds. */
    delaySeconds: 10,
    /** Requests of one document, including those that are refused. */
    requests: 1_000,
    /** Host names in `allowedHosts`. */
    hosts: 20,
    /** Size of all files that a document loads from `url` and `allowedHosts`. */
    fetchedBytes: 16 * MiB,
    /** Characters of HTML in `header` and in `footer`. */
    templateCharacters: 20_000,
    /** Characters of `waitForSelector`, `waitForExpression`, and `nativePageRanges`. */
    textCharacters: 1_000,
  },

  /** Office converter. For `to-pdf` with `engine=office`, and for documents that only it reads. */
  office: {
    /** How long the converter may take for a document, in seconds. */
    seconds: 60,
    /** @operating How long it has to respond to `GET /health`. */
    healthMilliseconds: 2_000,
  },

  /** Metadata. For `metadata`. */
  metadata: {
    /** Form fields of a document. */
    formFields: 20_000,
    /** Text read from the Info dictionary and the form. It is returned in one JSON response. */
    textBytes: 8 * MiB,
    /** Size of the XMP packet that is edited. */
    xmpBytes: 4 * MiB,
    /** Tags and attributes in the XMP packet. Each is an object in memory. */
    xmpTags: 100_000,
    /** Attributes of one tag in the XMP packet. */
    xmpAttributes: 5_000,
  },

  /** Signatures. For `verify-signatures` and `seal`. */
  signatures: {
    /** Signatures in a document. */
    most: 50,
    /** Certificates, OCSP responses, and revocation lists that a document stores for its signatures. */
    stored: 1_000,
  },

  /**
   * Certificates. For `seal` and `verify-signatures`. A file over these limits gets 400 `invalid_certificate`, and a signature over them is
   * reported as one that cannot be verified.
   */
  certificates: {
    /** Size of a PKCS#12 file. */
    fileBytes: 1 * MiB,
    /** Size of the signed data of a signature, or of a time stamp. Those with long chains and embedded revocation lists stay below. */
    signedDataBytes: 1 * MiB,
    /** Certificates in one file, or in one signature: each may be tried with a key. */
    most: 50,
    /** Certificates from a signer's to a root. */
    chain: 10,
    /** Signatures of certificates that are verified in search of one chain. */
    chainSignatures: 100,
    /** Values of one certificate (ASN.1). Real ones have a few hundred. */
    values: 2_000,
    /** Values that are read at once (ASN.1): some 50 ms, and several times that where they are arcs of object identifiers. */
    asn1Values: 5_000,
    /** Values within each other (ASN.1), in strings too. */
    asn1Levels: 50,
    /** Size of an integer (ASN.1): that of an RSA key of 32,768 bits. */
    asn1IntegerBytes: 4_096,
    /** Size of an object identifier (ASN.1). */
    asn1IdentifierBytes: 64,
    /** Size of a time (ASN.1). */
    asn1TimeBytes: 32,
    /** Size of a string of characters (ASN.1). */
    asn1StringBytes: 64 * 1024,
    /** Iterations that derive a key from a password. Workers allow no more. */
    iterations: 100_000,
    /** Size of the salt that derives a key from a password. Writers use 8 to 32 bytes. */
    saltBytes: 1024,
    /** The shortest RSA key that signs, in bits. */
    rsaBits: 2_048,
    /** The longest RSA key that signs, in bits. */
    mostRsaBits: 4_096,
    /** The shortest RSA key whose signatures are verified, in bits. Shorter ones have been factored, or soon will be. */
    rsaBitsVerified: 1_024,
  },

  /** Time stamps. For `seal`. */
  timestamps: {
    /** How long a time-stamp service has to respond. */
    milliseconds: 15_000,
    /** Size of its response. A token with a long chain has about 10 KiB. */
    bytes: 64 * 1024,
  },

  /** Revocation checks. For `seal` and `verify-signatures`. */
  revocation: {
    /** How long an issuer has to respond. */
    milliseconds: 5_000,
    /** Requests to issuers in one request. */
    requests: 20,
    /** How long all requests to issuers may take. */
    totalMilliseconds: 20_000,
    /** Size of an OCSP response. */
    ocspBytes: 64 * 1024,
    /** Size of a revocation list. Large issuers have lists of up to 10 MiB, but most of them offer OCSP. */
    crlBytes: 4 * MiB,
    /** Size of all revocation lists fetched for one request. */
    totalBytes: 8 * MiB,
    /** Size of an issuer's certificate. */
    certificateBytes: 64 * 1024,
  },

  /**
   * Work. The engines count it as fuel: a unit is one iteration of a small loop, larger ones count more, and 100 million take 0.1 to 0.8 seconds. A
   * request that uses up its fuel is rejected with `"limit": "work"`. The same request costs the same on every machine. `npm run corpus` prints the
   * most expensive files.
   *
   * A request is done in stages. Fuel *for the request* is added to its total budget. A stage *until the next* gets at least that much, regardless of
   * earlier stages, so that one expensive page does not use up the budget of the others. A stage with fuel *of its own* can use only that and the fuel
   * for the request's files; *alone*, without the latter. A stage with fuel *as needed* gets fuel for its pixels or bytes in addition to the rest.
   */
  work: {
    /** Fuel for one piece of text that `redact` searches: up to 80 ms in which no other request runs. */
    atOnce: 16_000_000,
    /** Fuel for a request in total: what fits into `cpu_ms` in wrangler.toml. */
    most: 30_000_000_000,
    /** Additional fuel for each byte of the request's files. With it, the most expensive real file uses a tenth of its fuel. */
    bodyByte: 8_000,
    /** The most additional fuel for the bytes of all files. It lasts 20 to 30 seconds. */
    mostForFiles: 12_000_000_000,
    /** `to-pdf`: additional fuel for reading each byte of the document. */
    readByte: 2_000,
    /**
     * `to-pdf`: the most additional fuel for laying out each byte of the document. If it is an archive, its inflated texts count instead where they
     * are larger, up to `mostForFiles`.
     */
    laidOutByte: 8_000,
    /** Additional fuel for each pixel of a drawn page. One fill that blends takes about 40, an ordinary page 1 to 18. */
    drawnPixel: 36,
    /** Additional fuel for the images of a page, in proportion to their pixels, up to this. Decoding them takes about as much. */
    images: 8_000_000_000,
    /** Base budget of a request. */
    request: { fuel: 800_000_000, kind: "request" },
    /** Each step of a pipeline after the first, and reading the PDF of a browser or an office converter. The bytes of this PDF add to it. */
    pipelineStep: { fuel: 800_000_000, kind: "request" },
    /** A page that is rendered, read, cropped, or erased. Its images add to it. */
    page: { fuel: 800_000_000, kind: "untilNext" },
    /** Reading the text of a page. */
    readText: { fuel: 800_000_000, kind: "untilNext" },
    /** Base budget for drawing a page. Pixels, images, and file size add to it. */
    drawPage: { fuel: 500_000_000, kind: "own" },
    /** Analyzing the layout of a page, or recognizing it or a part of it (OCR). */
    recognize: { fuel: 5_000_000_000, kind: "untilNext" },
    /** `to-pdf`: base budget for reading a document. Its bytes add to it. */
    readDocument: { fuel: 300_000_000, kind: "alone" },
    /** `to-pdf`: base budget for laying out a document and writing the PDF. Characters and elements add to it. */
    layOut: { fuel: 400_000_000, kind: "alone" },
    /** Decoding an image and encoding it again: `compress`, and images that were changed by `redact` and `crop`. */
    encodeImage: { fuel: 0, kind: "asNeeded" },
    /** Finding the quality at which an image still looks the same: `compress`. */
    measureImage: { fuel: 0, kind: "asNeeded" },
    /** Converting the rows of an image that is embedded in a PDF: `from-images`. */
    convertImage: { fuel: 0, kind: "asNeeded" },
    /** Validating a file that claims PDF/A after it is written. The bytes of the request's files add to it. */
    checkConformance: { fuel: 800_000_000, kind: "own" },
    /** `redact`: each of its stages, such as finding the matches of a page, erasing them, or reading a page of the written file. */
    redact: { fuel: 800_000_000, kind: "untilNext" },
  },

  /** Large stored documents. Files over `references.heldBytes` are read in ranges. */
  ranges: {
    /** Reads from the storage in one request. Cloudflare allows 10,000. */
    fetches: 8_000,
  },

  /**
   * Objects. Each object of a file or an object stream is measured before it is parsed, because sorting the entries of a dictionary takes
   * time that grows with their square. `npm run measure -- largest <folders>` measures real files.
   */
  syntax: {
    /** Tokens of one object: names, numbers, strings, keywords, arrays, and dictionaries. The largest real object seen has 220,000. */
    tokens: 2_200_000,
    /** Entries in one dictionary. The largest real one seen has 3,424. */
    dictionaryEntries: 50_000,
    /** Items in one array. The largest real one seen has 110,000. */
    arrayItems: 1_100_000,
    /** Bytes of one string. The longest real one seen has 1.3 MB. */
    stringBytes: 16 * MiB,
    /** Bytes of one comment. The longest real one seen has 65. */
    commentBytes: 64 * 1024,
    /** Nesting of arrays and dictionaries. The deepest real one seen is 8. */
    nesting: 500,
  },

  /** Streams. Each is measured before it is decoded. */
  streams: {
    /** Filters of one stream. Real ones have two at most. */
    filters: 20,
    /** Bytes of one calculator function, which runs for each color. The longest real one seen has 436. */
    programBytes: 16 * 1024,
  },

  /** Page content. For operations that render, read, or change it. */
  contents: {
    /**
     * Forms and resources within each other; a pattern counts as several. MuPDF, which draws them, overflows its stack at some 30 patterns. Real ones
     * stay below 20.
     */
    nesting: 100,
    /** Graphics states that are saved (`q`) and not restored yet. */
    savedStates: 100_000,
    /** Forms that are measured again because their cost depends on where they are drawn. Each takes about 80 microseconds. */
    formsAgain: 10_000,
  },

  /** CMaps. They map the codes of a font to characters. */
  cmaps: {
    /** Values in one section, of which the standard allows 300. */
    sectionValues: 200_000,
    /** Codespace ranges. Each is checked for each code. */
    codeRanges: 1_000,
  },

  /** Parsers. Elements of one input, or of all inputs of a request; [architecture](architecture.md#parsers-outside-mupdf) lists their costs. */
  parsers: {
    /** Values in the ASN.1 (certificates, CMS, PKCS#12, OCSP) of one request. */
    asn1: 100_000,
    /** Entries in one revocation list. */
    crl: 5_000_000,
    /** Hashes that derive a key from a password, in one request. */
    derivation: 1_000_000,
    /** Tokens in one PDF that are read outside MuPDF. */
    syntax: 8_000_000,
    /** Glyphs, entries, codes, and steps of outlines in one font program. */
    font: 2_000_000,
    /** Strings, numbers, and codes in one CMap. */
    cmap: 1_000_000,
    /** Tags and attributes in one XML text. */
    xml: 2_000_000,
    /** Tags and attributes in one HTML text. */
    html: 1_000_000,
    /** Selectors and declarations in one style sheet. */
    css: 100_000,
    /** Cells in one CSV file. */
    csv: 1_000_000,
    /** Entries and sectors in the directory of one compound file. */
    compound: 50_000,
    /** Entries, strips, tiles, blocks, and runs in the TIFF, GIF, and BMP images of one request. */
    image: 2_000_000,
  },

  /**
   * @operating Self-hosted server. For `npm run serve`: more requests get 503.
   */
  server: {
    /** Requests at the same time, those that wait included. */
    requests: 500,
    /** Requests of one client (IP address) at the same time. */
    requestsOfClient: 250,
    /** Requests that wait for the responses before them on one connection. */
    pipelined: 100,
  },

  /** @operating Memory and waiting. Each request is weighed before its body is read, and waits until it fits into `MEMORY_BUDGET_MIB`. */
  admission: {
    /** How long a request waits for memory before it gets 503. */
    waitMilliseconds: 5_000,
    /** A body with a `Content-Length` up to this size is read before the request gets an engine, so that a slow upload holds only these bytes. */
    smallBodyBytes: 4 * MiB,
    /** Requests per account that may hold an engine while a larger body arrives or a response is read. */
    idlePerAccount: 2,
    /**
     * Requests per account that may wait for a time-stamp service or for issuers at the same time. They hold no engine, and together leave
     * memory for other requests.
     */
    parkedPerAccount: 10,
    /** Documents that the browser prints at the same time for one isolate. More would not be faster, and each takes some 50 MB of the browser's memory. */
    printed: 6,
    /**
     * Requests per account that wait for the browser, up to `turnMilliseconds`, or for the office converter. They hold no engine, and together leave
     * memory for other requests.
     */
    printedPerAccount: 50,
    /** Memory of such a request in addition to its files: its connection, certificates, and signatures. An estimate. */
    outsideBytes: MiB,
    /** How long a request waits for its turn after its body has arrived. */
    turnMilliseconds: 30_000,
    /**
     * How far a client that holds an engine, or memory for its upload, may fall behind `fairBytesPerSecond`. After that, the next request without
     * room takes over its memory.
     */
    fairMilliseconds: 20_000,
    /** The speed that `fairMilliseconds` refers to. */
    fairBytesPerSecond: 256 * 1024,
    /**
     * Fuel that the requests of an account may spend per minute without being charged, 2 to 10 seconds of work. After that, they wait until no request of
     * another account does, and one of them works at a time.
     */
    unchargedFuel: 2_000_000_000,
    /** How often a waiting request checks whether those ahead of it are still there. */
    lookMilliseconds: 250,
    /** Time without progress after which a request's memory is given to one that is waiting: the CPU time that a request has. */
    silentMilliseconds: 300_000,
    /** The same after the client has disconnected: the work then stops within milliseconds, if the platform continues it at all. */
    goneMilliseconds: 2_000,
    /** `Retry-After` of a 503. */
    retryAfterSeconds: 5,
    /**
     * Memory that is not attributed to a request: the JavaScript heap with the bundle, the snapshot of a fresh engine (6 MiB), buffers of idle
     * connections. An estimate.
     */
    baseBytes: MEMORY.baseBytes,
    /**
     * Requests processed at the same time in one isolate. Each has its own engine, and two engines fit into 128 MB beside one large document. More would not
     * be faster: an isolate has one thread. One more is allowed if its work is short, so that it does not wait until long work ends.
     */
    requests: 2,
    /** Heap of an engine for a small document: 8 to 12 MiB for most operations. Rendering takes all free memory. */
    engineBytes: MEMORY.engineBytes,
    /** Expected growth of engines that wait for their readers. */
    growthBytes: 8 * MiB,
    /** The largest heap of an engine that an operation with much other memory reuses, unless the body needs more. */
    reusableHeapBytes: 40 * MiB,
    /** Memory for recognizing an A4 page in two languages (`npm run measure -- memory`). */
    recognizerBytes: 42 * MiB,
    /** Heap of an engine that has no document open. */
    engineOwnBytes: MEMORY.engineOwnBytes,
    /** Heap bytes for each byte of the body: the input, and 1.6 times as much for copies and output. */
    heapPerBodyByte: MEMORY.heapPerBodyByte,
  },
} as const;

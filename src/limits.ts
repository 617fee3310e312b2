/** Bytes in a mebibyte. */
export const MiB = 1024 * 1024;

/**
 * All limits of the service. `npm run generate -- docs` writes docs/limits.md from this file: a group's comment introduces its table, and each limit's comment
 * is its row.
 */
export const limits = {
  /** Pages of a document. */
  pages: 5_000,
  /** Levels of a document's page tree, whose nodes take up to a square of work for each page. The deepest real one that was seen has 4. */
  pageTreeLevels: 500,
  /** Indirect objects of a document. */
  objects: 500_000,
  /** Decompressed size of all content streams that one request reads. */
  decompressedBytes: 512 * MiB,
  /** Decompressed size of a document's object streams, which MuPDF inflates when it opens the file. */
  objectStreamBytes: 128 * MiB,
  /** Entries in one tree of a document: its outline, form fields, structure, or a name tree. Each takes up to 200 bytes of memory. */
  treeEntries: 200_000,
  /** Annotations of all pages. An array that pages share counts for each of them. */
  annotations: 2_000_000,
  /** Entries in one array or dictionary whose entries are looked at. */
  arrayItems: 200_000,
  /** Decompressed size of the content that is rendered or read, counted each time it is drawn. About 20 MiB are interpreted per second. */
  contentBytes: 128 * MiB,
  /** Strings outside of object streams in a document that is protected: each is encrypted for itself, in 10 microseconds. */
  encryptedStrings: 100_000,
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
   * The lowest average speed of a client that sends a body or reads a response. `form.graceMilliseconds` and
   * `response.graceMilliseconds` are the time that it may fall behind.
   */
  slowestBytesPerSecond: 32 * 1024,

  /**
   * Objects. For single objects as they stand in a file or an object stream, before they are parsed: keeping the entries of a dictionary sorted takes
   * time that grows with their square. `npm run measure -- largest <folders>` measures real files.
   */
  syntax: {
    /** Tokens of one object: names, numbers, strings, keywords, arrays, and dictionaries. The largest real object that was seen has 220,000. */
    tokens: 2_200_000,
    /** Entries in one dictionary. The largest real one that was seen has 3,424. */
    dictionaryEntries: 50_000,
    /** Items in one array. The largest real one that was seen has 110,000. */
    arrayItems: 1_100_000,
    /** Bytes of one string. The longest real one that was seen has 1.3 MB. */
    stringBytes: 16 * MiB,
    /** Bytes of one comment. The longest real one that was seen has 65. */
    commentBytes: 64 * 1024,
    /** Arrays and dictionaries within each other. The deepest real ones that were seen are 8. */
    nesting: 500,
  },

  /** Streams. For single streams as they stand in a file, before they are decoded. */
  streams: {
    /** Filters of one stream. Real ones that were seen have two at most. */
    filters: 20,
    /** Bytes of one calculator function, which runs for each color. The longest real one that was seen has 436. */
    programBytes: 16 * 1024,
  },

  /** Documents over `references.heldBytes`, which are read in ranges. */
  ranges: {
    /** Chunks of 64 KiB that are kept. */
    keptChunks: 192,
    /** Chunks that are fetched at once when a file is read in order. */
    aheadChunks: 8,
    /** Requests to the storage. Cloudflare allows 10,000 per request. */
    fetches: 8_000,
    /** Requests to the storage at the same time. A Worker can have six connections. */
    connections: 4,
  },

  /** Time stamps. For `seal`. */
  timestamps: {
    /** How long a service has to respond. */
    milliseconds: 15_000,
    /** Size of its response. A token with a long chain has about 10 KiB. */
    bytes: 64 * 1024,
  },

  /** What issuers say about their certificates. For `seal` and `verify-signatures`. */
  revocation: {
    /** How long an issuer has to respond. */
    milliseconds: 5_000,
    /** Requests to issuers. */
    requests: 20,
    /** How long all of them may take. */
    totalMilliseconds: 20_000,
    /** Size of an OCSP response. */
    ocspBytes: 64 * 1024,
    /** Size of a revocation list. Those of large issuers have up to 10 MiB: most of these have OCSP. */
    crlBytes: 4 * MiB,
    /** Size of all revocation lists that are asked for. */
    totalBytes: 8 * MiB,
    /** Size of an issuer's certificate. */
    certificateBytes: 64 * 1024,
  },

  /** Text extraction. For `extract-text`. */
  text: {
    /** UTF-16 characters in one response. Each takes about 10 bytes of memory: by page, as a whole, as JSON, and as bytes. */
    characters: 4_000_000,
    /** Words with bounding boxes in one response. Each takes about 250 bytes of memory. */
    words: 150_000,
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
    /** Steps of one regular expression with its repetitions written out: `[A-Z]{2,5}` has 10. Only with repetitions has one more than it has characters. */
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

  /** Stamps. For `watermark`, `add-page-numbers`, and `sign`. */
  stamps: {
    /** Characters of one stamp's text. */
    characters: 2_000,
    /** Characters of all text set by one request: the labels of all pages, or the values of a form. */
    charactersSet: 120_000,
    /** Copies of a tiled watermark on one page. */
    tiles: 5_000,
  },

  /** Images. For those that are converted to PDF or stamped: `from-images`, `watermark`, and `sign`. */
  images: {
    /** Pixels of one image. */
    pixels: 100_000_000,
    /** Pixels of all images in a request. */
    allPixels: 5_000_000_000,
    /** Pixels in a row or column. A few rows are held in memory while an image is read. */
    side: 100_000,
    /** Chunks of a PNG. Typical files have a few thousand at most. */
    chunks: 100_000,
    /** Scans of a JPEG, each of which refines all of its pixels. Encoders write 10 to 15. */
    scans: 200,
  },

  /**
   * Work. It is counted as fuel inside the engines: a unit is one iteration of a small loop, larger ones count more, and 100 million take 0.1 to 0.8 seconds. A request that uses up
   * its fuel is rejected with `"limit": "work"`. The same request costs the same on every machine. `npm run corpus` prints the most expensive files.
   *
   * A request is done in stages. Fuel *for the request* is added to what it may use in total. A stage *until the next* gets at least that much, whatever the stages before it used: pages of a
   * long document do not pay for an expensive one. Fuel *of its own* is the only fuel that a stage may use, with that of the request's files or, *alone*, without it. Where fuel is *as needed*, the stage gets what its pixels or bytes take, in addition to what is left.
   */
  work: {
    /** Fuel for a request in total: what fits into `cpu_ms` in wrangler.toml. */
    most: 30_000_000_000,
    /** Additional fuel for each byte of the request's files, because honest work grows with the document: with it, the most expensive real file uses a tenth of its fuel. */
    bodyByte: 8_000,
    /** Additional fuel for the bytes of all files. It is used up in 20 to 30 seconds. */
    mostForFiles: 12_000_000_000,
    /** `to-pdf`: additional fuel for reading each byte of the document. */
    readByte: 2_000,
    /** `to-pdf`: the most additional fuel for laying out each byte of the document. */
    laidOutByte: 8_000,
    /** Additional fuel for each pixel of a drawn page. One fill that blends takes about 40, an ordinary page 1 to 18. */
    drawnPixel: 36,
    /** Additional fuel for the images of a page, in proportion to their pixels, up to this. Decoding them takes about as much. */
    images: 8_000_000_000,
    /** A request, whatever it does. */
    request: { fuel: 800_000_000, kind: "request" },
    /** Each step of a pipeline after the first, and what the bytes of the result before it add. */
    pipelineStep: { fuel: 800_000_000, kind: "request" },
    /** A page that is rendered, read, cropped, or erased. What its images take is added. */
    page: { fuel: 800_000_000, kind: "untilNext" },
    /** Reading the text of a page. */
    readText: { fuel: 800_000_000, kind: "untilNext" },
    /** Drawing a page, whatever its size. What its pixels and images take, and what the request's files add, is added. */
    drawPage: { fuel: 500_000_000, kind: "own" },
    /** Analyzing the layout of a page, or recognizing it or a part of it (OCR). */
    recognize: { fuel: 5_000_000_000, kind: "untilNext" },
    /** `to-pdf`: reading a document. What its bytes take is added. */
    readDocument: { fuel: 300_000_000, kind: "alone" },
    /** `to-pdf`: laying out what was read, and writing it. What its characters and elements take is added. */
    layOut: { fuel: 400_000_000, kind: "alone" },
    /** Decoding an image and encoding it again: `compress`, and images that were changed by `redact` and `crop`. */
    encodeImage: { fuel: 0, kind: "asNeeded" },
    /** Finding the quality at which an image still looks the same: `compress`. */
    measureImage: { fuel: 0, kind: "asNeeded" },
    /** Converting the rows of a PNG: `from-images`. */
    convertPng: { fuel: 0, kind: "asNeeded" },
    /** `redact`: finding the matches of a page. */
    findMatches: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: noting the codes and images that the document shows, before the first change. */
    noteOriginal: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: comparing the text of a page with what it was. */
    compareText: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: erasing hidden content, for each piece of it. */
    eraseHidden: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: searching a changed page for what is left, in each round. */
    checkErased: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: encoding images as they were. */
    restoreImages: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: looking at the regions of a page. */
    proveRegions: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: removing what was found from fonts, strings, and streams. */
    redactElsewhere: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: writing the document. */
    writeRedacted: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: reading a page of the written file. */
    provePage: { fuel: 800_000_000, kind: "untilNext" },
    /** `redact`: searching the written file. */
    proveFile: { fuel: 800_000_000, kind: "untilNext" },
  },

  /** Documents of other formats. For `to-pdf`. */
  conversion: {
    /** Size of a file that is text: HTML, Markdown, CSV, and text. */
    textBytes: 4 * MiB,
    /** Characters of Markdown. */
    markdownCharacters: 500_000,
    /** Characters of one paragraph, heading, or cell of Markdown: the time that they take may grow with their square. */
    markdownRun: 10_000,
    /** Marks of emphasis (`*`, `_`, `~`, one or several in a row) in one paragraph, heading, or cell of Markdown: each is compared with each. */
    markdownMarks: 600,
    /** Characters of a word with `@` in Markdown: the time that it takes grows with their square. */
    markdownAddress: 4_000,
    /** Lines of Markdown that are not empty. */
    markdownLines: 20_000,
    /** Of them, those without an empty line between them. */
    markdownBlockLines: 2_000,
    /** List items in Markdown. */
    markdownItems: 5_000,
    /** Definitions of links in Markdown (`[name]: url`). */
    markdownDefinitions: 2_000,
    /** Files in a document that is an archive. */
    entries: 5_000,
    /** Inflated size of one file within a document, such as the text of a DOCX or the cells of a sheet. */
    entryBytes: 12 * MiB,
    /** Files in `assets`. */
    assets: 500,
    /** Inflated size of the files in `assets`, each as often as the document refers to it. */
    assetBytes: 8 * MiB,
    /** Elements of one XML file within a document. */
    elements: 200_000,
    /** Tags of HTML. */
    tags: 20_000,
    /** Levels of HTML elements inside each other. MuPDF leaves out what is below 98, without an error, and adds a `tbody` to each table. */
    depth: 60,
    /** Selectors of style sheets that may match anything in the document, times its elements: each is compared with each. Those of 10,000 rules with 500 elements, or of 100 with 20,000, are below. */
    styleMatches: 8_000_000,
    /** Characters of a word: whatever has no space in it. */
    wordCharacters: 100_000,
    /** Marks that combine with one character, in a word of more than 500. Unicode's format for streams has 30. */
    marks: 100,
    /** Sheets that are shown. */
    sheets: 1_000,
    /** Characters of the text of a DOCX, each as often as it is shown. */
    textCharacters: 8_000_000,
    /** Size of the pictures of a DOCX, each as often as it is shown. */
    pictureBytes: 24 * MiB,
    /** Attributes of one element of HTML, or of an XML file within a document. */
    attributes: 1_000,
    /** Cells of all sheets, empty ones included. */
    cells: 10_000,
    /** Characters in the cells of all sheets of a workbook. */
    cellCharacters: 2_000_000,
    /** Characters of a number format: as many as Excel allows. */
    numberFormat: 255,
    /** Bookmarks that are made of headings. */
    bookmarks: 20_000,
    /** Memory for what is read of a document before it is laid out: its text, and the elements of that. An estimate. */
    ownBytes: 40 * MiB,
  },

  /** Rendering. For `to-images`. */
  raster: {
    /** Pixels of one page. */
    pagePixels: 100_000_000,
    /** Pixels of all pages in a request. */
    callPixels: 5_000_000_000,
  },

  /** Text recognition. For `ocr`. */
  ocr: {
    /** Pages recognized in one request. A page takes seconds, and a request has 300 seconds of CPU time. */
    pages: 50,
    /** Languages in one request. Each model is held in memory. */
    languages: 3,
    /** Pixels of a page as it is recognized: A3 at 200 dpi. Larger pages are rendered at a lower resolution. */
    pagePixels: 8_000_000,
  },

  /** Compression. For `compress`. Images over these limits are kept as they are. */
  compress: {
    /** Memory for the samples of one image while it is encoded again. */
    decodedBytes: 48 * MiB,
    /** Samples decoded from one image, even if it is scaled down while decoding. About 100 million are inflated per second. */
    decodedPixels: 100_000_000,
    /** Samples decoded from all images of a request: 68 pages in A4 at 300 dpi. The largest files come first. */
    pixels: 600_000_000,
    /** The largest image that is encoded with mozjpeg, which takes up to 14 bytes per sample in addition to MuPDF's memory. Larger ones are encoded in bands. */
    mozjpegPixels: 2_200_000,
    /** Images that fail to decode before the remaining ones are skipped. Each failure leaves frames on the engine's stack. */
    failures: 50,
  },

  /** Metadata. For `metadata`. */
  metadata: {
    /** Form fields that are listed. */
    formFields: 20_000,
    /** Text read from the Info dictionary and the form. It is returned in one JSON response. */
    textBytes: 8 * MiB,
    /** Size of the XMP packet that is edited. */
    xmpBytes: 4 * MiB,
    /** Tags and attributes in the XMP packet. Each is an object in memory. */
    xmpTags: 100_000,
  },

  /** Jobs. For requests with `Prefer: respond-async`. */
  jobs: {
    /** Pages of one job. */
    pages: 5_000,
    /** Pages that the price of the operation covers, where it works page by page with text recognition. */
    pagesPerPriceOfOcr: 50,
    /** The same for all other operations. */
    pagesPerPrice: 500,
    /** Times that a part is begun before it has failed. */
    attempts: 3,
    /** How long a part may show no sign of life before another consumer takes it. */
    leaseMilliseconds: 60_000,
    /** How often a part shows that it is alive, and looks whether its job still is. */
    renewMilliseconds: 10_000,
    /** How long one message of the queue works on parts before the next one goes on. */
    turnMilliseconds: 20_000,
    /** How often a consumer looks whether a short job has been created beside the part that it works on. */
    shortMilliseconds: 250,
    /** How late a part is before the sweep wakes it. */
    lateMilliseconds: 60_000,
    /** How long a job may take. */
    longestSeconds: 86_400,
    /** The longest `wait`, in seconds. */
    waitSeconds: 30,
    /** How long a request that waits for a job looks away at most. */
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

  /** Files. For those that are uploaded to `/files` and kept for a while. The plan limits their size. */
  storage: {
    /** Files per account and mode; more get 409 `limit_reached`. */
    kept: 10_000,
    /** Files on one page of a list. */
    page: 100,
    /** Characters in the name of a file. */
    name: 255,
    /** The shortest time that a file can be kept. */
    shortestSeconds: 300,
    /** The longest time that a file can be kept. */
    longestSeconds: 7 * 86_400,
    /** How long a file is kept if the request does not say. */
    defaultSeconds: 86_400,
    /** How long an upload in parts may take. */
    pendingSeconds: 86_400,
    /** Size of a part of an upload in parts. The last one is smaller. */
    partBytes: 16 * MiB,
    /** How much of a single-request upload is collected before it goes to the bucket. Two such buffers are held in memory. */
    bufferBytes: 5 * MiB,
    /** Size of a single-request upload in addition to its file: the other fields, and the headers of the parts. */
    formBytes: 64 * 1024,
    /** How long the ID of an expired file gets 410 instead of 404. */
    rememberedSeconds: 30 * 86_400,
  },

  /** API keys. */
  keys: {
    /** Active keys per account and mode; more get 409 `limit_reached`. */
    usable: 100,
    /** Keys on one page of a list. */
    page: 100,
    /** The longest time that a key keeps working after it is rotated. */
    graceSeconds: 30 * 86_400,
  },

  /** Webhooks. */
  webhooks: {
    /** Webhooks per account and mode; more get 409 `limit_reached`. */
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

  /** JSON bodies. For keys and webhooks. */
  json: {
    /** Size of a JSON body. */
    bodyBytes: 64 * 1024,
    /** Problems of one request that are listed in `fields`. */
    issues: 100,
  },

  /** The MCP server. For requests to `/mcp`. */
  mcp: {
    /** Size of a request. */
    bodyBytes: 2 * MiB,
    /** Size of a file that is sent in base64, decoded. */
    base64Bytes: 1 * MiB,
    /** Size of a text or JSON result that is returned in the response. Larger ones are stored as files. */
    inlineBytes: 64 * 1024,
    /** Size of an image that is returned in the response in addition to its file, so that the model sees it. */
    imageBytes: 512 * 1024,
    /** Size of a stored file that can be read through `/mcp`. Larger ones can be downloaded. */
    readBytes: 1 * MiB,
    /** How long a result that is stored as a file is kept if the call does not say, and the result of a job. */
    resultSeconds: 3_600,
    /** Messages in a batch (revision 2025-03-26). */
    batch: 20,
    /** Depth of arrays and objects in a request. */
    depth: 64,
    /** Values in a request: strings, numbers, arrays, and objects. */
    values: 20_000,
  },

  /** Forms. For the request bodies of operations (`multipart/form-data`). */
  form: {
    /** Parts of a body, including files. */
    fields: 1_000,
    /** Size of one text field. */
    textBytes: 1 * MiB,
    /** Size of all text fields. They are held in JavaScript memory, which admission cannot see grow. */
    allTextBytes: 4 * MiB,
    /** Size of the headers of one part. */
    partHeaderBytes: 16 * 1024,
    /** Time without a byte after which the request gets 408. */
    graceMilliseconds: 20_000,
    /** How much of a rejected body is still read, so that its sender receives the response. */
    discardBytes: 64 * MiB,
    /** The time that may take. */
    discardMilliseconds: 1_000,
  },

  /** Files by reference: IDs of stored files, and URLs. */
  references: {
    /** Uploaded and referenced files of one request that are held in memory together. */
    heldBytes: 32 * MiB,
    /** Decompressed size of a response with a `Content-Encoding`, which no request asks for: a few hundred KB can hold gigabytes. */
    decompressedBytes: 32 * MiB,
    /** Redirects that are followed from a URL. */
    redirects: 3,
    /** How far the server of a URL may fall behind `slowestBytesPerSecond`. A server that sends nothing is given up after this time. */
    graceMilliseconds: 60_000,
    /** URLs of one request that are opened at the same time. A Worker can have six connections. */
    connections: 4,
  },

  /** Memory and waiting. Each request is weighed before its body is read, and waits until it fits into `MEMORY_BUDGET_MIB`. */
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
    /** Memory of such a request besides its files: its connection, certificates, and signatures. An estimate. */
    outsideBytes: MiB,
    /** How long a request waits for its turn after its body has arrived. */
    turnMilliseconds: 30_000,
    /**
     * How far a client that holds an engine, or memory for its upload, may fall behind `fairBytesPerSecond`. After that, the next request that finds no
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
    /** Time without a sign of life after which a request's memory is given to one that is waiting: the CPU time that a request has. */
    silentMilliseconds: 300_000,
    /** The same after the client has disconnected: the work then stops within milliseconds, if the platform continues it at all. */
    goneMilliseconds: 2_000,
    /** `Retry-After` of a 503. */
    retryAfterSeconds: 5,
    /** Memory that no request is charged for: the JavaScript heap with the bundle, the snapshot of a fresh engine (6 MiB), buffers of idle connections. An estimate. */
    baseBytes: 24 * MiB,
    /**
     * Requests processed at the same time in one isolate. Each has its own engine, and two engines fit into 128 MB beside one large document. More would not
     * be faster: an isolate has one thread.
     */
    requests: 2,
    /** Heap of an engine for a small document: 8 to 12 MiB for most operations. Rendering takes what is free. */
    engineBytes: 12 * MiB,
    /** How much engines that wait for their readers are expected to grow by. */
    growthBytes: 8 * MiB,
    /** The largest heap of an engine that an operation with much other memory reuses, unless the body needs more. */
    reusableHeapBytes: 40 * MiB,
    /** Memory for recognizing an A4 page in two languages (`npm run measure -- memory`). */
    recognizerBytes: 42 * MiB,
    /** Heap of an engine that has no document open. */
    engineOwnBytes: 8 * MiB,
    /** Heap bytes for each byte of the body: the input, and 1.6 times as much for copies and output. */
    heapPerBodyByte: 2.6,
  },

  /** Responses. */
  response: {
    /** Responses up to this size are copied at once, so that their engine is free for the next request. */
    copiedBytes: 1 * MiB,
    /** How much of a response is produced ahead of its reader while memory allows. What has been produced needs no engine anymore. */
    aheadBytes: 32 * MiB,
    /**
     * How far a reader may fall behind `slowestBytesPerSecond`. Sockets and proxies accept several MiB at once and then nothing until those are
     * read, so a reader that keeps up may seem to stand still: for 9 MiB, this long.
     */
    graceMilliseconds: 300_000,
  },
} as const;

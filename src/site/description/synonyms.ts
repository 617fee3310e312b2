/** Words that people look for and that names do not have. */

/** By the name of an operation. */
const operationWords: Readonly<Record<string, string>> = {
  merge: "join combine concatenate concat append stitch bind assemble interleave together files",
  split: "separate divide burst cut break apart one file per page chunks",
  "delete-pages": "delete remove pages drop omit discard",
  "extract-pages": "rearrange reorder order move duplicate keep pick select reverse subset",
  "extract-text":
    "parse read get text markdown words coordinates bounding boxes tables llm rag pdf to txt html csv excel xlsx spreadsheet pdf to markdown",
  "to-images":
    "convert render rasterize png jpg jpeg webp thumbnail preview screenshot pictures pdf to image pdf to jpg pdf to png",
  "from-images": "convert png jpg jpeg webp photos scans pictures image to pdf jpg to pdf png to pdf",
  "to-pdf":
    "convert html word docx excel xlsx csv text txt office document export print word to pdf html to pdf excel to pdf markdown to pdf",
  ocr: "recognize scan scanned searchable tesseract image to text language english german deutsch french spanish italian portuguese dutch polish czech danish swedish norwegian ukrainian turkish arabic hindi chinese japanese korean",
  protect: "encrypt encryption password lock secure permissions restrict printing copying aes",
  unlock: "decrypt remove password restrictions open encrypted",
  compress: "shrink reduce smaller size optimize optimise minimize linearize downsample email",
  repair: "fix corrupt corrupted broken damaged recover restore xref",
  rotate: "turn orientation landscape portrait sideways upside down flip",
  crop: "trim margins whitespace cut off edges box",
  "n-up": "booklet imposition handout several pages per sheet 2-up 4-up brochure",
  watermark: "stamp draft confidential logo overlay background text image",
  "add-page-numbers": "pagination number numbering bates footer header",
  sign: "esign e-sign signature autograph docusign handwritten initials",
  "verify-signatures": "validate check authenticity integrity tampered forged shadow attack revision pdfsig",
  seal: "digital signature certificate pades p12 pfx pkcs12 x509 certify docmdp eidas timestamp tsa",
  "fill-form": "acroform form fields populate fill in values",
  flatten: "annotations comments form fields final static",
  redact: "black out text blackout censor anonymize anonymise gdpr pii hide remove text sensitive confidential",
  metadata: "properties info title author xmp page count size facts fields",
  attachments: "embed embedded files portfolio zugferd factur-x enclosure",
  outline: "bookmarks toc table of contents navigation",
  pipeline: "chain workflow several operations steps batch combine",
};

/** By the anchor of a guide or of one of its sections. */
const guideWords: Readonly<Record<string, string>> = {
  quickstart: "getting started first request tutorial begin hello world curl",
  "requests-and-responses": "multipart form upload response headers body",
  "what-is-stored": "privacy gdpr data retention storage kept deleted confidentiality logs",
  authentication: "api key bearer token authorization header login 401",
  keys: "create api key rotate revoke",
  scopes: "permissions access 403 forbidden",
  "page-ranges": "pages range ranges syntax last odd even",
  "not-offered": "alternatives missing unsupported",
  errors: "error codes status codes problems failures 400 422",
  credits: "pricing price prices cost costs billing plan money charge how much",
  idempotency: "retry retries retrying safe duplicate charged twice",
  jobs: "async asynchronous background long large documents queue progress polling",
  files: "upload store storage large file id",
  "files-by-reference": "url fetch download from link s3",
  webhooks: "events callback notification",
  "verify-deliveries": "webhook signature secret hmac verification svix standard webhooks",
  mcp: "claude cursor agent llm ai model context protocol tools vscode",
  limits: "maximum largest size file pages rate limits quota too large 413",
  client: "typescript javascript node sdk library npm package deno bun browser",
  python: "python sdk library pip package django flask",
  "command-line": "cli terminal shell command",
};

const own = (words: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(words, name) ? (words[name] ?? "") : "";

export const wordsForOperation = (name: string): string => own(operationWords, name);

/** What else the entry of the documentation at an address is looked for as. */
export function wordsFor(address: string): string {
  const [path = "", anchor] = address.split("#");
  if (path === "/docs") return own(operationWords, anchor ?? "");
  return own(guideWords, anchor ?? path.slice(path.lastIndexOf("/") + 1));
}

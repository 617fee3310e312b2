/** Words that people search for and that a guide or one of its sections does not have, by its anchor. */
const WORDS: Readonly<Record<string, string>> = {
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

/** Those of the part of a guide at an address. */
export function wordsOfGuide(address: string): string {
  const [path = "", anchor = path.slice(path.lastIndexOf("/") + 1)] = address.split("#");
  return Object.hasOwn(WORDS, anchor) ? (WORDS[anchor] ?? "") : "";
}

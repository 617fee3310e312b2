/** Words that people search for and that an entry of the search does not have, by its address. */
export const searchWords: Readonly<Record<string, string>> = {
  "/docs/quickstart": "getting started first request tutorial begin hello world curl",
  "/docs/requests-and-responses": "multipart form upload response headers body",
  "/docs/what-is-stored": "privacy gdpr data retention storage kept deleted confidentiality logs servers secure",
  "/docs/delete-your-data": "delete remove erase erasure gdpr right to be forgotten personal data privacy all data",
  "/docs/delete-your-data#files-and-jobs": "delete remove all files jobs results clean up purge",
  "/docs/delete-your-data#accounts": "delete account close cancel remove user tenant customer data erase",
  "/docs/authentication": "api key bearer token authorization header login 401 test mode sandbox live mode livemode",
  "/docs/authentication#keys": "create api key rotate revoke leaked compromised",
  "/docs/authentication#scopes": "permissions access 403 forbidden",
  "/docs/browsers-and-cors":
    "cors origin preflight browser frontend javascript fetch page react vue angular api key in app cross-origin blocked access-control",
  "/docs/page-ranges": "pages range ranges syntax last odd even",
  "/docs/not-offered": "alternatives missing unsupported",
  "/docs/errors": "error codes status codes problems failures 400 422",
  "/docs/credits": "pricing price prices cost costs billing plan money charge how much",
  "/docs/idempotency": "retry retries retrying safe duplicate charged twice",
  "/docs/pipelines": "chain combine several multiple operations one request workflow steps",
  "/docs/jobs": "async asynchronous background long large documents queue progress polling slow timeout times out",
  "/docs/files": "upload store storage large file id",
  "/docs/files#files-by-reference": "url fetch download from link s3",
  "/docs/batches": "batch bulk many files thousand hundreds mass parallel concurrency folder api process",
  "/docs/batches#a-folder-of-files": "batch bulk many files thousand loop directory script",
  "/docs/batches#how-many-at-once": "parallel concurrent concurrency simultaneous throughput requests at the same time",
  "/docs/batches#jobs-and-webhooks": "batch bulk jobs many callback",
  "/docs/buckets":
    "s3 bucket aws amazon presigned signed url r2 cloudflare gcs google cloud storage minio azure object storage",
  "/docs/buckets#read-from-a-bucket": "s3 r2 gcs presigned url read get input download fetch import",
  "/docs/buckets#write-results-to-a-bucket":
    "s3 r2 gcs presigned url put save upload output result deliver store export deliverTo",
  "/docs/conversion#web-pages-by-url":
    "url to pdf website web page webpage html print screenshot capture link site browser",
  "/docs/conversion#pdf-to-word-excel-or-powerpoint":
    "convert pdf to word docx doc convert pdf to excel xlsx convert pdf to powerpoint pptx export editable office",
  "/docs/conversion#fonts": "font glyphs characters missing boxes chinese emoji unicode",
  "/docs/webhooks": "events callback notification",
  "/docs/webhooks#verify-deliveries": "webhook signature secret hmac verification svix standard webhooks",
  "/docs/webhooks#how-deliveries-work": "retries retry not arriving missing duplicate order timeout",
  "/docs/mcp": "claude cursor agent llm ai model context protocol tools vscode",
  "/docs/limits": "maximum largest size file pages rate limits quota too large 413",
  "/docs/limits#plans": "rate limit requests per minute concurrent jobs quota tiers free pro enterprise",
  "/docs/limits#documents-and-requests": "maximum number of pages files per request",
  "/docs/license":
    "license licence agpl gpl commercial use closed source proprietary saas product open source free copyleft legal company",
  "/docs/license#use-it-unchanged": "commercial use sell saas hosting",
  "/docs/license#use-it-with-changes": "modify fork publish my code source disclose share changes network",
  "/docs/license#commercial-license": "paid license buy dual licensing enterprise license artifex mupdf price",
  "/docs/license#dependencies": "third party licenses notices sbom packages mit apache",
  "/docs/other-languages":
    "php java go golang c# csharp dotnet .net ruby rust kotlin swift sdk client library generate generator openapi swagger",
  "/docs/versions-and-deprecation":
    "changelog release notes versioning api version v1 v2 breaking change changes deprecated deprecation sunset backwards compatible compatibility end of life",
  "/docs/client": "typescript javascript node sdk library npm package deno bun browser",
  "/docs/client#command-line": "cli terminal shell command",
  "/docs/python": "python sdk library pip package django flask",
  "/docs/self-hosting": "self-host selfhost on premise premises own server install run docker",
  "/docs/self-hosting#run-it-in-a-container": "docker compose container image dockerfile kubernetes podman",
  "/docs/self-hosting#behind-a-reverse-proxy": "nginx caddy traefik apache tls https ssl load balancer",
  "/docs/self-hosting#stop-back-up-upgrade": "backup restore update upgrade new version migrate rollback",
  "/docs/self-hosting#fonts": "custom own corporate fonts ttf otf",
  "/docs/operating#deploy-to-cloudflare": "deploy cloudflare workers wrangler production hosting",
  "/docs/operating#accounts": "create account plan customers tenants",
  "/docs/operating#configuration": "environment variables settings env config",
  "/docs/operating#sizes-and-memory": "increase memory ram out of memory larger files",
  "/docs/operating#languages-of-ocr": "add language tesseract model traineddata",
  "/docs/operating#traces-and-metrics": "opentelemetry otel otlp prometheus grafana monitoring",
  "/docs/operating#regions-and-data-residency": "eu europe region gdpr location residency jurisdiction",
  "/docs#to-pdf":
    "convert word to pdf convert docx to pdf convert excel to pdf convert html to pdf convert office to pdf",
  "/docs#unlock": "password passwords remove password",
  "/docs#protect": "password passwords set password",
  "/docs#error-request_timeout": "timeout times out timed slow upload",
  "/docs#error-rate_limit_exceeded": "too many requests rate limit throttled",
  "/docs#error-quota_exceeded": "out of credits no credits left",
  "/docs#error-file_too_large": "too big large size payload",
  "/docs#error-limit_exceeded": "too many pages large complex",
  "/docs#error-limit_reached": "too many jobs concurrent storage full",
  "/docs#error-incorrect_password": "wrong password",
  "/docs#error-password_required": "encrypted protected locked without password",
  "/docs#error-forbidden": "missing scope permission access denied",
  "/docs#error-unauthenticated": "invalid api key wrong missing",
  "/docs#error-invalid_file": "damaged corrupt broken cannot open",
  "/docs#error-overloaded": "server busy unavailable",
  "/docs#revokeKey": "leaked compromised delete api key disable",
};

/** The same for the fields of operations, by name. */
const FIELDS: Readonly<Record<string, string>> = {
  pages: "only certain some specific selected single",
  rotations: "each every page differently separately individually different",
  userPassword: "open password",
  ownerPassword: "permissions password",
  permissions: "prevent forbid disallow printing copying editing restrict",
  languages: "language german french spanish chinese japanese",
};

/** The synonyms of the entry at an address; empty without any. */
export function wordsOf(address: string): string {
  const own = Object.hasOwn(searchWords, address) ? searchWords[address] : undefined;
  const [, field = ""] = /^\/docs#[a-z-]+\.(\w+)$/.exec(address) ?? [];
  return own ?? (Object.hasOwn(FIELDS, field) ? (FIELDS[field] ?? "") : "");
}

/** A response as `/docs` shows it. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Whether long texts and lists were cut. */
  readonly shortened?: boolean;
}

/** Headers about the result; those of limits and caches are the same everywhere. */
const SHOWN =
  /^(?:content-type|content-disposition|location|retry-after|preference-applied|etag|x-(?!request-id|content-type-options|credits-remaining|powered).*)$/;
const LONGEST_TEXT = 160;
const LONGEST_LIST = 2;

/** The response without what differs each time: IDs, times, keys, and checksums get fixed values. Long texts and lists are cut. */
export async function recorded(response: Response, baseUrl: string): Promise<RecordedResponse> {
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${body.toString()}`);
  const headers = Array.from(response.headers).filter(([name]) => SHOWN.test(name));
  const named = headers.map(([name, value]) => [titled(name), fixedText(value, baseUrl)]);
  const common = { status: response.status, headers: Object.fromEntries(named) as Record<string, string> };
  if (response.headers.get("content-type") !== "application/json") return common;
  const json: unknown = JSON.parse(fixedText(body.toString(), baseUrl));
  const short = shortened(json);
  return { ...common, json: short, ...(JSON.stringify(short) !== JSON.stringify(json) && { shortened: true }) };
}

/** `x-page-count` becomes `X-Page-Count`. */
const titled = (name: string): string =>
  name
    .replace("ocr", "OCR")
    .replace("etag", "ETag")
    .replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

const ID = "3f0QxTq8KpW2dVbYzR5mHc";

const TIME = "2026-11-22T12:00:00.000Z";

/** Of this run, not of a document. */
const isRecent = (time: string): boolean => Math.abs(Date.now() - Date.parse(time)) < 40 * 86_400_000;

function fixedText(text: string, baseUrl: string): string {
  return text
    .replaceAll(baseUrl, "http://localhost:8787")
    .replaceAll(/\bsk_(?:live|test)_\w+(?:…\w+)?/g, "sk_test_...")
    .replaceAll(/\bwhsec_[\w+/=]+/g, "whsec_...")
    .replaceAll('"livemode":true', '"livemode":false')
    .replaceAll(/\b(acct|dlv|evt|file|job|key|req|wh|whd)_[0-9A-Za-z]{12,}\b/g, `$1_${ID}`)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => (isRecent(time) ? TIME : time))
    .replaceAll(/\b[0-9a-f]{32,64}\b/g, (digits) => "8e1f2a90".repeat(8).slice(0, digits.length));
}

function shortened(json: unknown): unknown {
  if (typeof json === "string") return json.length > LONGEST_TEXT ? `${json.slice(0, LONGEST_TEXT)}…` : json;
  if (Array.isArray(json)) {
    // Coordinates stay whole.
    const isShort = json.every((one) => typeof one === "number" || typeof one === "string") && json.length <= 16;
    return (isShort ? json : json.slice(0, LONGEST_LIST)).map(shortened);
  }
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, shortened(one)]));
}

import { fetchDocument } from "./fetch-document.ts";
import { pageBrowserAt } from "../../browser/print.ts";
import type { FetchFile } from "../../browser/requests.ts";
import { concat } from "../../bytes/concat.ts";
import { fetchedFilesTooLarge } from "../../engines/limit-errors.ts";
import type { PageBrowser } from "../../engines/services.ts";
import type { Env } from "../../env.ts";
import { limits } from "../../limits.ts";

/**
 * The browser, whose documents load files by the same rules as documents by URL. `client`: aborted when the client disconnects. Undefined if the service
 * has no browser.
 */
export function pageBrowserOf(
  { browser, documentUrls }: Pick<Env, "browser" | "documentUrls">,
  client: AbortSignal,
): PageBrowser | undefined {
  const fetchFile: FetchFile = async (url, { hosts, field, count }) => {
    const document = await fetchDocument(url, {
      field,
      policy: { ...documentUrls, hosts },
      maxBytes: limits.browser.fetchedBytes,
      tooLarge: (actual) => fetchedFilesTooLarge(actual),
      signal: client,
      graceMilliseconds: limits.browser.seconds * 1_000,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of document.chunks()) {
      count(chunk.length);
      chunks.push(chunk.slice());
    }
    return { bytes: concat(chunks), type: document.type, url: document.url };
  };
  return browser && pageBrowserAt(browser, fetchFile, client);
}

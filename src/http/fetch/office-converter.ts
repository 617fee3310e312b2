/** An office converter over HTTP, by the forms of Gotenberg 8 (https://gotenberg.dev/docs/convert-with-libreoffice). */
import { base64 } from "../../bytes/base64.ts";
import { writeAll } from "../../bytes/write-all.ts";
import { Refusal } from "../../engines/errors.ts";
import { officeCannotRead, passwordIncorrect } from "../../engines/file-errors.ts";
import { printedTooLarge, tooLargeForOffice } from "../../engines/limit-errors.ts";
import { officeFailed } from "../../engines/result-errors.ts";
import type { ArrivedPdf, OfficeConverter, OfficeDocument, OfficeSettings } from "../../engines/services.ts";
import type { OfficePlace } from "../../env.ts";
import { limits } from "../../limits.ts";
import { version } from "../../version.ts";

const encoder = new TextEncoder();
/** Bytes of the document that are sent at a time. */
const WINDOW_BYTES = 64 * 1024;

/** `client`: aborted when the client disconnects. Undefined if the service has no converter. */
export function officeConverterOf(place: OfficePlace | undefined, client: AbortSignal): OfficeConverter | undefined {
  return (
    place && {
      async convert(document, settings, mostBytes) {
        client.throwIfAborted();
        const stop = new AbortController();
        const ended = Promise.withResolvers<never>();
        ended.promise.catch(() => undefined);
        const leave = (): void => ended.reject(client.reason);
        client.addEventListener("abort", leave);
        const { seconds } = limits.office;
        const timer = setTimeout(
          () => ended.reject(officeFailed(`did not finish within ${seconds} seconds`)),
          seconds * 1_000,
        );
        try {
          return await Promise.race([converted(place, document, settings, mostBytes, stop.signal), ended.promise]);
        } catch (error) {
          client.throwIfAborted();
          throw error instanceof Refusal ? error : officeFailed("could not be reached", error);
        } finally {
          clearTimeout(timer);
          client.removeEventListener("abort", leave);
          stop.abort();
        }
      },
    }
  );
}

/** @throws Error unless the converter responds in time that it is up */
export async function checkOffice(place: OfficePlace): Promise<void> {
  const response = await send(place, "/health", { signal: AbortSignal.timeout(limits.office.healthMilliseconds) });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`it responded with status ${response.status}`);
}

/** A user name and a password in the URL become a header, as `fetch` wants it. Redirects are not followed: a service that moved is another service. */
function send({ url, fetch }: OfficePlace, path: string, init: RequestInit): Promise<Response> {
  const target = new URL(url + path);
  const { username, password } = target;
  target.username = "";
  target.password = "";
  const headers = new Headers(init.headers);
  headers.set("User-Agent", `pdf-service/${version} (office)`);
  if (username !== "") {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers.set("Authorization", `Basic ${base64(encoder.encode(credentials))}`);
  }
  return fetch(target.href, { ...init, headers, redirect: "manual" });
}

async function converted(
  place: OfficePlace,
  document: OfficeDocument,
  settings: OfficeSettings,
  mostBytes: number,
  signal: AbortSignal,
): Promise<ArrivedPdf> {
  const { chunks, length, type } = formOf(document, settings);
  const { readable, writable } = new FixedLengthStream(length);
  // If the converter stops reading, its response has the reason. `signal` ends the rest.
  writeAll(chunks, writable).catch(() => {});
  const response = await send(place, "/forms/libreoffice/convert", {
    method: "POST",
    headers: { "Content-Type": type },
    body: readable,
    signal,
  });
  if (response.status === 200) return read(response, mostBytes, signal);
  await response.body?.cancel();
  throw refusalOf(response.status, document, settings);
}

function refusalOf(
  status: number,
  { extension, isEncrypted }: OfficeDocument,
  { password, pageRanges }: OfficeSettings,
): Refusal {
  if (status === 413) return tooLargeForOffice();
  if (status !== 400) return officeFailed(status === 429 ? "is busy" : `responded with status ${status}`);
  if (isEncrypted) return passwordIncorrect("file");
  return officeCannotRead(extension, { password: password !== undefined, ranges: pageRanges !== undefined });
}

/** The form in pieces: the file is not copied. */
function formOf(
  { extension, bytes }: OfficeDocument,
  { landscape, pageRanges, password, hasOutline, singlePage }: OfficeSettings,
): { chunks: Iterable<Uint8Array>; length: number; type: string } {
  const boundary = `office-${crypto.randomUUID()}`;
  const fields = {
    // It cannot turn a document to portrait.
    landscape: landscape === true ? "true" : undefined,
    nativePageRanges: pageRanges,
    password,
    exportBookmarks: hasOutline?.toString(),
    singlePageSheets: singlePage?.toString(),
  };
  const part = (name: string, more = ""): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${part(name)}${value}\r\n`],
  );
  const type = `\r\nContent-Type: application/octet-stream`;
  const head = encoder.encode(texts.join("") + part("files", `; filename="document.${extension}"${type}`));
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  function* chunks(): Generator<Uint8Array> {
    yield head;
    for (let at = 0; at < bytes.length; at += WINDOW_BYTES) yield bytes.view(at, at + WINDOW_BYTES);
    yield tail;
  }
  return {
    chunks: chunks(),
    length: head.length + bytes.length + tail.length,
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

async function read(response: Response, mostBytes: number, signal: AbortSignal): Promise<ArrivedPdf> {
  const declared = Number(response.headers.get("Content-Length") ?? 0);
  const reader = response.body?.getReader();
  // The signal of `fetch` does not necessarily end the body.
  signal.addEventListener("abort", () => void reader?.cancel().catch(() => undefined));
  if (declared > mostBytes) throw printedTooLarge(declared, mostBytes, "office converter");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return { chunks, length };
    length += value.length;
    if (length > mostBytes) throw printedTooLarge(length, mostBytes, "office converter");
    chunks.push(value);
  }
}

import { expect, test } from "vitest";
import { DevTools, type Socket } from "../../../src/browser/devtools.ts";
import { DocumentRequests } from "../../../src/browser/requests.ts";
import { limits } from "../../../src/limits.ts";

const MOST = limits.browser.fetchedBytes;
const CHUNK = MOST / 4;

/** A browser that takes commands and never responds. */
const silent: Socket = { send: () => undefined, close: () => undefined, addEventListener: () => undefined };

const paused = (name: string) => ({
  requestId: name,
  frameId: "frame",
  resourceType: "Image",
  request: { url: `https://pictures.example/${name}`, method: "GET" },
});

test("Files that a document loads at the same time share the limit of bytes", async () => {
  const devTools = new DevTools(silent);
  const failures: unknown[] = [];
  let arrived = 0;
  const requests = new DocumentRequests(devTools, {
    document: { source: { text: "", type: "text/html" }, files: new Map(), hosts: ["pictures.example"] },
    allowsScripts: false,
    fail: (error) => failures.push(error),
    async fetchFile(url, { count }) {
      for (let chunk = 0; chunk < 3; chunk++) {
        await Promise.resolve();
        count(CHUNK);
        arrived += CHUNK;
      }
      return { bytes: new Uint8Array(), type: undefined, url };
    },
  });
  for (const name of ["a", "b"]) void requests.respond(paused(name), false, "session");
  await expect.poll(() => failures.length).toBe(2);
  expect(failures[0]).toMatchObject({
    code: "limit_exceeded",
    message: "A document can load up to 16 MiB of files from URLs.",
  });
  expect(arrived).toBe(MOST);
  devTools.close();
});

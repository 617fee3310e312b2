import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { patiently, pdfPart, post } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { formBody, sendAndLeave } from "../harness/requests/gone-client.ts";

const MiB = 1024 * 1024;
/** How often a call is sent that is turned away. Each waits for five seconds. */
const TRIES = 10;
const { baseUrl, liveKey } = ownServer();

/** A PDF of one page with an image of `size` bytes that nothing makes smaller. */
function largePdf(size: number): Blob {
  const noise = new Uint8Array(size);
  for (let start = 0; start < size; start += 65_536) crypto.getRandomValues(noise.subarray(start, start + 65_536));
  const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</I 4 0 R>>>>>>";
  const image = `<</Type/XObject/Subtype/Image/Width ${size / 1024}/Height 1024/ColorSpace/DeviceGray/BitsPerComponent 8/Length ${size}>>`;
  return new Blob([
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj${page}endobj `,
    `4 0 obj${image}stream\n`,
    noise,
    "\nendstream endobj\ntrailer<</Root 1 0 R>>",
  ]);
}

function formOf(file: Blob): FormData {
  const form = new FormData();
  form.append("file", file, "large.pdf");
  form.append("angle", "90");
  return form;
}

const headers = { Authorization: `Bearer ${liveKey}` };

/** Asks again where those who have left still hold the memory: the service notices a moment after they leave, and responds with 503 until then. */
async function rotate(file: Blob): Promise<Response> {
  for (let left = TRIES; ; left -= 1) {
    const response = await fetch(`${baseUrl}/api/v1/rotate`, { method: "POST", headers, body: formOf(file) });
    if (response.status !== 503 || left === 1) return response;
    await response.body?.cancel();
  }
}

/** Sends a call, and leaves once the service has been sent this share of its body. */
async function leaveAfter(share: number, file: Blob): Promise<void> {
  const encoded = new Response(formOf(file));
  const type = encoded.headers.get("Content-Type") ?? "";
  const body = new Uint8Array(await encoded.arrayBuffer());
  const sending = request(`${baseUrl}/api/v1/rotate`, {
    method: "POST",
    headers: { ...headers, "Content-Type": type, "Content-Length": body.length },
  });
  sending.on("error", () => {});
  await new Promise<void>((done) => sending.write(body.subarray(0, share * body.length), () => done()));
  sending.destroy();
}

// Were anything kept of a caller who is gone, the memory budget would be used up before the last round.
test("clients that disconnect during the response or the upload leave nothing behind", async () => {
  const file = largePdf(20 * MiB);
  for (const share of [0.001, 0.25, 0.5, 0.75, 1]) {
    const response = await rotate(file);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await leaveAfter(share, file);
  }
  const last = await rotate(file);
  expect(last.status).toBe(200);
  expect((await last.arrayBuffer()).byteLength).toBeGreaterThan(20 * MiB);
});

// Its proxy does not report them: test/serve/gone.slow.test.ts tests that the work stops where they are reported.
test("`npm start` is free again after the work of clients that disconnected during it", async () => {
  const service = { baseUrl, key: liveKey };
  const text = "Words of a paragraph. ".repeat(20);
  const html = Buffer.from(`<body>${`<p>${text}</p>`.repeat(2_000)}</body>`);
  const letter = pdfPart(document({ name: "letter", pages: 40 }));
  for (const [operation, parts] of [
    ["to-pdf", { file: pdfPart(html, "long.html") }],
    ["to-images", { file: letter, dpi: "150" }],
    ["compress", { file: letter }],
    ["extract-text", { file: letter, format: "markdown" }],
  ] as const) {
    const body = await formBody(parts);
    for (let round = 0; round < 3; round += 1)
      await sendAndLeave(service, `/api/v1/${operation}`, body, () => sleep(50));
  }
  const rotated = await Promise.all(
    [1, 2, 3].map(() => patiently(() => post(service, "rotate", { file: letter, angle: "90" }))),
  );
  expect(rotated.map(({ status }) => status)).toEqual([200, 200, 200]);
});

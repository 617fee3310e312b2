import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";

const MiB = 1024 * 1024;
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

async function rotate(file: Blob, signal: AbortSignal): Promise<Response> {
  const form = new FormData();
  form.append("file", file, "large.pdf");
  form.append("angle", "90");
  const headers = { Authorization: `Bearer ${liveKey}` };
  return fetch(`${baseUrl}/api/v1/rotate`, { method: "POST", headers, body: form, signal });
}

// Were anything kept of a caller who is gone, the memory budget would be used up before the last round.
test("callers who go away in the middle of the answer or of their body leave nothing behind", async () => {
  const file = largePdf(20 * MiB);
  for (let round = 0; round < 5; round += 1) {
    const answer = await rotate(file, AbortSignal.timeout(60_000));
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const leaving = new AbortController();
    const sending = rotate(file, leaving.signal);
    setTimeout(() => leaving.abort(), 15 * (round + 1));
    await sending.then((early) => early.body?.cancel()).catch(() => {});
  }
  const last = await rotate(file, AbortSignal.timeout(60_000));
  expect(last.status).toBe(200);
  expect((await last.arrayBuffer()).byteLength).toBeGreaterThan(20 * MiB);
});

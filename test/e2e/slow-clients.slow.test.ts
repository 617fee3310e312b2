import { afterEach, describe, expect, test, vi } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { latin1, noise, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { type SlowClient, slowReader, slowSender } from "../harness/requests/slow-client.ts";
import { limits, MiB } from "../../src/limits.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const KiB = 1024;
vi.setConfig({ testTimeout: 400_000 });

/** A document whose pages have a picture of `size` bytes each, which nothing makes smaller. */
function pictures(pages: number, size: number): Uint8Array {
  const objects: PdfObject[] = ["<< /Type /Catalog /Pages 2 0 R >>"];
  const numbers = Array.from({ length: pages }, (_, page) => 3 + 3 * page);
  objects.push(`<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${pages} >>`);
  for (const number of numbers) {
    const resources = `<< /XObject << /I ${number + 1} 0 R >> >>`;
    const image = `/Type /XObject /Subtype /Image /Width 1024 /Height ${size / 1024} /ColorSpace /DeviceGray`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources ${resources} /Contents ${number + 2} 0 R >>`,
      { entries: `${image} /BitsPerComponent 8`, data: noise(size, number) },
      { entries: "", data: latin1("9 0 0 9 0 0 cm /I Do") },
    );
  }
  return pdf(objects, "/Root 1 0 R");
}

const small = pdfPart(pictures(1, 4 * KiB));
const clients: SlowClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.leave();
});

/** As many calls as would not all fit between two that are turned away. */
async function expectOthersServed(): Promise<void> {
  for (let call = 0; call < 11; call += 1) {
    const { status, code, message } = await post(service, "rotate", { file: small, angle: "90" });
    expect([status, code, message]).toEqual([200, undefined, undefined]);
  }
}

/**
 * Those whose connection was closed too early. Where the others are served slowly, the time of a slow client may be over before they are,
 * and then it may be turned away.
 */
const closedEarly = (): SlowClient[] =>
  clients.filter((client) => (client.closedAfter() ?? Infinity) < limits.admission.fairMilliseconds);

describe("two slow readers", () => {
  /** Starts two that read a ZIP at 80 KiB a second, and waits until both have begun. */
  async function startReading(file: Uint8Array, ranges: string): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      const parts = { file: pdfPart(file), mode: "ranges", ranges };
      // While the first file is split, there may be no room for the second: it asks again, as a 503 says.
      const read = async () => {
        const reader = await slowReader(service, "split", parts, 80 * KiB);
        const status = await reader.status;
        if (status === 200) clients.push(reader);
        else reader.leave();
        return status;
      };
      await expect.poll(read, { timeout: 200_000 }).toBe(200);
    }
  }

  test("others are served during slow reads of a ZIP that fits into memory", async () => {
    const pages = 14;
    await startReading(pictures(pages, MiB), Array.from({ length: pages }, (_, page) => page + 1).join("|"));
    await expectOthersServed();
    expect(closedEarly()).toEqual([]);
  });

  test("others are served during slow reads of a ZIP that is larger than memory", async () => {
    await startReading(pictures(4, MiB), Array<string>(30).fill("1-end").join("|"));
    await expectOthersServed();
    for (const client of clients) expect(client.readBytes()).toBeGreaterThan(0);
  });
});

test.each([
  ["small", 3 * MiB],
  ["large", 6 * MiB],
])("others are served while two clients send %s bodies slowly", async (_, size) => {
  const file = pdfPart(pictures(1, size));
  // The work of those who have left is over.
  await expect.poll(async () => (await post(service, "rotate", { file, angle: "90" })).status).toBe(200);
  for (let count = 0; count < 2; count += 1) {
    clients.push(await slowSender(service, "rotate", { file, angle: "90" }, 40 * KiB));
  }
  await expectOthersServed();
  expect(closedEarly()).toEqual([]);
});

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { documentBytes, fileService, sha256Of } from "./file-service.ts";

const KiB = 1024;
const service = await fileService();

describe("a file that is uploaded in one request", () => {
  it.each([1, 64 * KiB - 1, 64 * KiB, 64 * KiB + 1, 8 * 1024 * KiB, 8 * 1024 * KiB + 1, 17 * 1024 * KiB])(
    "of %i bytes comes back as it was",
    async (size) => {
      const bytes = documentBytes(size);
      const file = await service.upload(bytes);
      expect(file).toMatchObject({ name: "document.pdf", size, status: "ready", livemode: true });
      expect(file.sha256).toBe(await sha256Of(bytes));
      const answer = await service.send("GET", `/files/${file.id}/content`);
      expect(answer.status).toBe(200);
      expect(await sha256Of(new Uint8Array(await answer.arrayBuffer()))).toBe(file.sha256);
      await service.send("DELETE", `/files/${file.id}`);
      expect(await env.FILES.head(`${file.id.slice(-1)}/${file.id}`)).toBeNull();
    },
  );
});

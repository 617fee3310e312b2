import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { documentBytes, fileService, formOf, sha256Of } from "./file-service.ts";
import { putRaw, rawObject } from "./bucket.ts";
import { BUFFER_BYTES } from "../../src/files/upload.ts";
import worker from "../../src/worker.ts";

const [KiB, MiB] = [1024, 1024 * 1024];
const service = await fileService();

/** Runs the scheduled work as it is at that time. */
const sweepAt = (time: number) =>
  worker.scheduled({ cron: "* * * * *", scheduledTime: time, noRetry() {} }, env, createExecutionContext());

describe("POST /files", () => {
  it.each([1, 64 * KiB, 64 * KiB + 1, BUFFER_BYTES + 1])("a file of %i bytes is returned unchanged", async (size) => {
    const bytes = documentBytes(size);
    const file = await service.upload(bytes);
    expect(file).toMatchObject({ name: "document.pdf", size, status: "ready", livemode: true });
    expect(file.sha256).toBe(await sha256Of(bytes));
    expect((await service.json("GET", `/files/${file.id}`)).body).toEqual(file);
    const response = await service.send("GET", `/files/${file.id}/content`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="document.pdf"');
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(await sha256Of(new Uint8Array(await response.arrayBuffer()))).toBe(file.sha256);
  });

  it.each([
    ["%PDF-1.4", "application/pdf"],
    ["\n\njunk before %PDF-1.4", "application/pdf"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["RIFF....WEBP", "image/webp"],
    ["II*\0....", "image/tiff"],
    ["GIF89a....", "image/gif"],
    ["PK\x03\x04 a.pdf %PDF-1.4", "application/zip"],
    ["<script>", "application/octet-stream"],
  ])("a file that begins with %j is %s, whatever its name", async (text, type) => {
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const response = await service.send("POST", "/files", { body: formOf(bytes, {}, "page.html") });
    const file = await response.json();
    expect(file).toMatchObject({ contentType: type, name: "page.html" });
  });

  it("a file is kept for the requested time, one day by default", async () => {
    for (const [fields, seconds] of [
      [{ expiresIn: "300" }, 300],
      [{}, 86_400],
    ] as const) {
      const before = Date.now();
      const { expiresAt } = await service.upload(documentBytes(10), fields);
      const created = Date.parse(expiresAt) - seconds * 1_000;
      expect(created).toBeGreaterThanOrEqual(before);
      expect(created).toBeLessThanOrEqual(Date.now());
    }
  });

  it("a file name loses everything that could be a path or an attack", async () => {
    const response = await service.send("POST", "/files", {
      body: formOf(documentBytes(9), {}, "../../a\u202Efdp.exe:x.pdf"),
    });
    expect((await response.json<{ name: string }>()).name).toBe("afdp.exe_x.pdf");
  });

  it("a refused upload lists all problems of its form, and leaves nothing", async () => {
    const other = await fileService();
    const form = formOf(documentBytes(100 * KiB), { expiresIn: "299", expires: "1" });
    form.append("file", new File(["b"], "b"));
    const refused = await other.send("POST", "/files", { body: form });
    const { error } = await refused.json<{ error: { details: { fields: readonly { name: string }[] } } }>();
    expect(refused.status).toBe(400);
    expect(error.details.fields.map(({ name }) => name).toSorted()).toEqual(["expires", "expiresIn", "file"]);
    const empty = await other.send("POST", "/files", { body: formOf(new Uint8Array()) });
    expect([empty.status, (await empty.json<{ error: { code: string } }>()).error.code]).toEqual([400, "invalid_file"]);
    expect((await other.json("GET", "/files")).body).toMatchObject({ data: [], count: 0, storedBytes: 0 });
    expect(
      await env.DB.prepare("SELECT count(*) AS n FROM files WHERE account = ?").bind(other.account).first("n"),
    ).toBe(0);
  });

  it("a file can be as large as the plan allows and no larger, with or without a Content-Length", async () => {
    const free = await fileService({ plan: "free" });
    const most = new Uint8Array(25 * MiB);
    await expect(free.upload(most)).resolves.toMatchObject({ size: 25 * MiB });
    const large = formOf(new Uint8Array(25 * MiB + 1));
    const { body, headers } = new Response(large);
    const streamed = await free.send("POST", "/files", {
      body: body?.pipeThrough(new IdentityTransformStream()) ?? null,
      headers: { "Content-Type": headers.get("Content-Type") ?? "" },
    });
    for (const response of [streamed, await free.send("POST", "/files", { body: large })]) {
      expect([response.status, (await response.json<{ error: { code: string } }>()).error.code]).toEqual([
        413,
        "file_too_large",
      ]);
    }
    expect((await free.json("GET", "/files")).body).toMatchObject({ count: 1, storedBytes: 25 * MiB });
  });
});

describe("GET /files", () => {
  it("an account stores ten times its largest file, and one of two racing uploads gets the last place", async () => {
    const free = await fileService({ plan: "free" });
    const size = 25 * MiB;
    const begin = () => free.json("POST", "/files", { name: "a.pdf", size });
    for (let number = 0; number < 8; number++) expect((await begin()).status).toBe(201);
    const last = await Promise.all([begin(), free.json("POST", "/files", { name: "b.pdf", size: size - 1 })]);
    expect(last.map(({ status }) => status)).toEqual([201, 201]);
    await env.DB.prepare("UPDATE accounts SET minute_requests = 0 WHERE id = ?").bind(free.account).run();
    const two = await Promise.all([1, 1].map((size) => free.json("POST", "/files", { name: "c.pdf", size })));
    expect(two.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = two.find(({ status }) => status === 409)?.body;
    expect(refused).toMatchObject({ error: { code: "limit_reached", details: { limit: 250 * MiB } } });
    // Those of the other mode count apart.
    const test = await fileService({ account: free.account, livemode: false });
    expect((await test.json("POST", "/files", { name: "a.pdf", size })).status).toBe(201);
  });

  it("files of the mode are listed page by page, newest first", async () => {
    const own = await fileService();
    const test = await fileService({ account: own.account, livemode: false });
    await test.upload(documentBytes(5));
    const ids: string[] = [];
    for (const length of [11, 12, 13]) ids.unshift((await own.upload(documentBytes(length))).id);
    const listed: string[] = [];
    let cursor = "";
    do {
      const { body } = await own.json("GET", `/files?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      const page = body as unknown as {
        data: { id: string }[];
        count: number;
        storedBytes: number;
        nextCursor: string | null;
      };
      expect(page).toMatchObject({ count: 3, storedBytes: 36 });
      listed.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? "";
    } while (cursor !== "");
    // Files of one millisecond are ordered by ID.
    expect(listed.toSorted()).toEqual(ids.toSorted());
  });
});

describe("deletion and expiry", () => {
  it("a deleted file is unreadable and removed", async () => {
    const file = await service.upload(documentBytes(1_000));
    const deleted = await service.json("DELETE", `/files/${file.id}`);
    expect([deleted.status, deleted.body]).toEqual([200, file]);
    for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) {
      expect((await service.json("GET", path)).status).toBe(404);
    }
    expect(await rawObject(file.id)).toBeUndefined();
  });

  it("an expired file responds with 410, is removed by the sweep, and is forgotten in the end", async () => {
    const file = await service.upload(documentBytes(1_000));
    const pending = (await service.json("POST", "/files", { name: "p.pdf", size: 20 * MiB })).body;
    const headers = { "Content-Length": String(4 * MiB) };
    const part = await service.send("PUT", `/files/${pending.id}/parts/2`, { body: documentBytes(4 * MiB), headers });
    expect(part.status).toBe(200);
    const past = Date.now() - 1_000;
    await env.DB.prepare("UPDATE files SET expires_at = ? WHERE id IN (?, ?)").bind(past, file.id, pending.id).run();
    const expectExpired = async () => {
      for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) {
        const { status, body } = await service.json("GET", path);
        expect([status, body.error.code]).toEqual([410, "expired"]);
      }
    };
    await expectExpired();
    const { upload_id: uploadId } =
      (await env.DB.prepare("SELECT upload_id FROM files WHERE id = ?").bind(pending.id).first()) ?? {};
    await sweepAt(Date.now());
    expect(await rawObject(file.id)).toBeUndefined();
    await expectExpired();
    const row = await env.DB.prepare("SELECT name, key, sha256 FROM files WHERE id = ?").bind(file.id).first();
    expect(row).toEqual({ name: "", key: "", sha256: null });
    // Nothing can be added to what was aborted.
    const aborted = env.FILES.resumeMultipartUpload(`${pending.id.slice(-1)}/${pending.id}`, String(uploadId));
    await expect(aborted.uploadPart(1, "x")).rejects.toThrow("(10024)");
    expect((await service.json("GET", `/files/${pending.id}`)).status).toBe(404);
    await sweepAt(Date.now() + 31 * 86_400_000);
    expect((await service.json("GET", `/files/${file.id}`)).status).toBe(404);
  });

  it("the sweep removes an object without a row, and a row without an object responds with 410", async () => {
    const [kept, lost] = [await service.upload(documentBytes(70 * KiB)), await service.upload(documentBytes(10))];
    const orphan = `${kept.id.slice(0, -2)}~${kept.id.slice(-1)}`;
    await putRaw(orphan, new Uint8Array(5));
    await env.FILES.delete(`${lost.id.slice(-1)}/${lost.id}`);
    await sweepAt(Date.now());
    expect(await rawObject(orphan)).toBeUndefined();
    const response = await service.send("GET", `/files/${kept.id}/content`);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 70 * KiB]);
    expect((await service.json("GET", `/files/${lost.id}/content`)).status).toBe(410);
  });
});

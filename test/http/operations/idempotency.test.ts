import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { creditsOf, expectNoCredits, gate, outcome, paidService, pdf } from "../paid-service.ts";
import { expectConsistency, HOUR } from "../../billing/ledger-facts.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(expectConsistency);

const idempotencyKey = "an order of today";

/** A multipart body with its parts in this order. */
function multipart(boundary: string, parts: readonly [head: string, content: string][]) {
  const body = parts.map(
    ([head, content]) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`,
  );
  return {
    body: `${body.join("")}--${boundary}--\r\n`,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
  };
}

describe("retries", () => {
  test("a retry is processed again and charged once, and the sixth retry is charged", async () => {
    const service = await paidService("starter");
    const first = await service.send({ idempotencyKey });
    expect(creditsOf(first)).toEqual(["2", "1998", null]);
    const bytes = await first.arrayBuffer();
    for (let repetition = 1; repetition <= 5; repetition += 1) {
      const again = await service.send({ idempotencyKey });
      expect(creditsOf(again)).toEqual(["0", "1998", "true"]);
      expect(await again.arrayBuffer()).toEqual(bytes);
    }
    expect(creditsOf(await service.send({ idempotencyKey }))).toEqual(["2", "1996", null]);
    expect(creditsOf(await service.send({ idempotencyKey }))).toEqual(["0", "1996", "true"]);
  });

  test("a retry may have its fields in another order and another boundary", async () => {
    const service = await paidService("starter");
    const file: [string, string] = ['name="file"; filename="report.pdf"', "%PDF-1.7\n"];
    const note: [string, string] = ['name="note"', "a note"];
    await service.send({ idempotencyKey, ...multipart("one", [file, note]) });
    const again = await service.send({ idempotencyKey, ...multipart("another", [note, file]) });
    expect(creditsOf(again)).toEqual(["0", "1998", "true"]);
  });

  test("a retry is processed even when no credits are left", async () => {
    const service = await paidService();
    await service.leave(3);
    await service.send({ idempotencyKey });
    expect(await outcome(await service.send())).toEqual([429, "quota_exceeded"]);
    expect(await outcome(await service.send({ idempotencyKey: "a new one" }))).toEqual([429, "quota_exceeded"]);
    expect(creditsOf(await service.send({ idempotencyKey }))).toEqual(["0", "1", "true"]);
  });

  test("a retry counts for the rate limit", async () => {
    const service = await paidService();
    const left = async () =>
      /r=(\d+)/.exec((await service.send({ idempotencyKey })).headers.get("RateLimit") ?? "")?.[1];
    const nextMinute = Math.floor(Date.now() / 60_000) + 1;
    await env.DB.prepare("UPDATE accounts SET minute = ? WHERE id = ?").bind(nextMinute, service.account).run();
    expect([await left(), await left(), await left()]).toEqual(["2999", "2998", "2997"]);
  });

  test("a retry 24 hours after the charge is charged anew", async () => {
    const service = await paidService("starter");
    await service.send({ idempotencyKey });
    const age = async (ms: number) =>
      env.DB.prepare("UPDATE idempotency SET created_at = created_at - ? WHERE id LIKE ? || '%'")
        .bind(ms, service.account)
        .run();
    await age(24 * HOUR - 60_000);
    expect(creditsOf(await service.send({ idempotencyKey }))).toEqual(["0", "1998", "true"]);
    await age(60_000);
    // Forgotten, so that it may be another request, too.
    expect(creditsOf(await service.send({ idempotencyKey, fields: { note: "x" } }))).toEqual(["2", "1996", null]);
  });
});

describe("reused keys", () => {
  test.each([
    ["a parameter", { fields: { note: "another" } }],
    ["one byte of the file", { file: pdf("Content") }],
    ["an added byte", { file: pdf("content ") }],
  ])("another request under the same key is refused: %s", async (_what, change) => {
    const service = await paidService("starter");
    await service.send({ idempotencyKey });
    const response = await service.send({ idempotencyKey, ...change });
    expect(await outcome(response)).toEqual([422, "idempotency_key_reused"]);
    expectNoCredits(response);
    expect(await service.used()).toBe(2);
    expect(creditsOf(await service.send({ idempotencyKey }))).toEqual(["0", "1998", "true"]);
  });

  test("a key is independent at another path, of another account, and for another kind of API key", async () => {
    const service = await paidService("starter");
    const stranger = await paidService("starter");
    await service.send({ idempotencyKey });
    expect(creditsOf(await service.send({ idempotencyKey, path: "/api/v1/other" }))).toEqual(["1", "1997", null]);
    expect(creditsOf(await stranger.send({ idempotencyKey }))).toEqual(["2", "1998", null]);
    const testKey = await service.newKey({ livemode: false });
    const headers = { Authorization: `Bearer ${testKey}` };
    expect(creditsOf(await service.send({ idempotencyKey, headers }))).toEqual(["2", "998", null]);
    // Every key of the account and kind repeats what one of them has sent.
    const colleague = { Authorization: `Bearer ${await service.newKey({ livemode: true })}` };
    expect(creditsOf(await service.send({ idempotencyKey, headers: colleague }))).toEqual(["0", "1997", "true"]);
  });
});

describe("concurrent and failed requests", () => {
  test("a second request under a key is a conflict until the first has ended", async () => {
    const service = await paidService("starter");
    const fields = { act: "wait" };
    const working = service.send({ idempotencyKey, fields });
    await gate.reached.promise;
    const conflict = await service.send({ idempotencyKey, fields });
    expect(await outcome(conflict)).toEqual([409, "idempotency_conflict"]);
    expectNoCredits(conflict);
    expect(await outcome(await service.send({ idempotencyKey }))).toEqual([422, "idempotency_key_reused"]);
    gate.resolve();
    expect(creditsOf(await working)).toEqual(["2", "1998", null]);
    expect(creditsOf(await service.send({ idempotencyKey, fields }))).toEqual(["0", "1998", "true"]);
  });

  test.each(["refuse", "throw", "trap", "first"])(
    "a request that failed (%s) may be sent again, also with other fields",
    async (act) => {
      const service = await paidService("starter");
      for (const fields of [{ act }, { act, note: "changed" }, { act }]) {
        expect((await service.send({ idempotencyKey, fields })).status).toBeGreaterThanOrEqual(400);
      }
      const mended = { idempotencyKey, file: pdf("mended") };
      expect(creditsOf(await service.send(mended))).toEqual(["2", "1998", null]);
      expect(creditsOf(await service.send(mended))).toEqual(["0", "1998", "true"]);
    },
  );

  test("a request whose connection broke during the body is charged once, when it is sent again", async () => {
    const service = await paidService("starter");
    const { body, headers } = multipart("b", [['name="file"; filename="report.pdf"', "%PDF-1.7\n".repeat(1_000)]]);
    const bytes = new TextEncoder().encode(body);
    let sent = 0;
    const broken: ReadableStream<Uint8Array> = new ReadableStream({
      type: "bytes",
      pull(controller) {
        if (sent > 0) return controller.error(new Error("connection reset"));
        sent = 4_000;
        controller.enqueue(bytes.slice(0, sent));
      },
    });
    const response = await service.send({ idempotencyKey, headers, body: broken });
    expect([...(await outcome(response)), sent]).toEqual([400, "invalid_parameters", 4_000]);
    expect(await service.used()).toBe(0);
    for (const credits of ["2", "0"]) {
      expect(creditsOf(await service.send({ idempotencyKey, headers, body }))[0]).toBe(credits);
    }
    expect(await service.used()).toBe(2);
  });
});

describe("Idempotency-Key", () => {
  test("an Idempotency-Key has 1 to 255 characters", async () => {
    const service = await paidService("starter");
    for (const bad of ["", "k".repeat(256)]) {
      const response = await service.send({ idempotencyKey: bad });
      expect(await outcome(response)).toEqual([400, "invalid_parameters"]);
      const { error } = await response.json<{ error: { details: { fields: { name: string }[] } } }>();
      expect(error.details.fields.map(({ name }) => name)).toEqual(["Idempotency-Key"]);
    }
    for (const good of ["k", "k".repeat(255)]) expect((await service.send({ idempotencyKey: good })).status).toBe(200);
    expect(await service.used()).toBe(4);
  });

  test("the database reveals neither an Idempotency-Key nor its request", async () => {
    const service = await paidService("starter");
    await service.send({ idempotencyKey, fields: { note: "a private note" } });
    const { results } = await env.DB.prepare("SELECT * FROM idempotency WHERE id LIKE ? || '%'")
      .bind(service.account)
      .all();
    expect(results).toHaveLength(1);
    for (const secret of [idempotencyKey, "private", "report.pdf", "content"]) {
      expect(JSON.stringify(results)).not.toContain(secret);
    }
    expect(results[0]).toMatchObject({ fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

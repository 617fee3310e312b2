import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { isSignedBy, startReceiver, until } from "../servers/webhook-receiver.ts";
import { callsOf } from "../servers/webhook-server.ts";

const server = ownServer();
const { call, subscribe, remove } = callsOf(
  () => server,
  () => server.liveKey,
);

/** A request whose body is a form. */
async function send(path: string, fields: Readonly<Record<string, string | Blob>>, prefer?: string): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const headers = { Authorization: `Bearer ${server.liveKey}`, ...(prefer !== undefined && { Prefer: prefer }) };
  return fetch(`${server.baseUrl}/api/v1/${path}`, { method: "POST", headers, body });
}

test("a stored file is rotated by a job; a signed webhook reports it, and its result is fetched", async () => {
  const receiver = await startReceiver();
  try {
    const subscription = await subscribe(`${receiver.url}/hooks`, ["job.succeeded"]);
    const stored = await send("files", { file: new Blob([document({ name: "stored", pages: 3 }).slice()]) });
    expect(stored.status).toBe(201);
    const { id: file } = (await stored.json()) as { readonly id: string };
    const accepted = await send("rotate", { file, angle: "90" }, "respond-async");
    expect(accepted.status).toBe(202);
    const { id } = (await accepted.json()) as { readonly id: string };
    await until(() => receiver.at("/hooks").length > 0);
    const [delivery] = receiver.at("/hooks");
    if (delivery === undefined) throw new Error("no delivery");
    expect(isSignedBy(subscription.secret, delivery)).toBe(true);
    expect(delivery.body).toMatchObject({ type: "job.succeeded", data: { id, status: "succeeded" } });
    expect(await call("GET", `/jobs/${id}`)).toMatchObject({ id, status: "succeeded" });
    const result = await fetch(`${server.baseUrl}/api/v1/jobs/${id}/result`, {
      headers: { Authorization: `Bearer ${server.liveKey}` },
    });
    const { pages } = await openPdf(new Uint8Array(await result.arrayBuffer()));
    expect(pages.map(({ rotate, text }) => [rotate, text])).toEqual(
      [1, 2, 3].map((page) => [90, expect.stringContaining(`Page ${page} of stored`)]),
    );
    await call("DELETE", `/files/${file}`);
    const gone = await send("rotate", { file, angle: "90" });
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining("No such file.")]);
    await remove(subscription);
  } finally {
    await receiver.close();
  }
});

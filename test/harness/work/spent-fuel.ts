/** Requests to all operations in this process, with what they spend. */
import { vi } from "vitest";
import { operations } from "../../../src/operations/index.ts";
import { errorOf, newKey, senderTo } from "../../http/echo-service.ts";
import type { Part } from "../requests/client.ts";
import { watchStretches } from "./longest-stretch.ts";

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const send = senderTo(...operations);
const key = await newKey("enterprise");

/** The code of the error, or `done`; the fuel that the request spent; and the most of it without a turn for others. */
export async function sent(operation: string, parts: Readonly<Record<string, Part>>) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  logged.mockClear();
  using stretches = watchStretches();
  const headers = { Authorization: `Bearer ${key}` };
  const response = await send(`/api/v1/${operation}`, { method: "POST", headers, body: form });
  const { work } = JSON.parse(String(logged.mock.lastCall?.[0])) as { work: number };
  const code = response.status === 200 ? "done" : (await errorOf(response))[1];
  return { code, work, longest: stretches.longest };
}

import { env } from "cloudflare:workers";

const keyOf = (id: string): string => `${id.slice(-1)}/${id}`;

/** What the bucket has of a file, as it is stored; undefined if it has nothing. */
export async function rawObject(id: string): Promise<Uint8Array | undefined> {
  const object = await env.FILES.get(keyOf(id));
  return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
}

/** Replaces what the bucket has of a file. */
export async function putRaw(id: string, bytes: Uint8Array): Promise<void> {
  await env.FILES.put(keyOf(id), bytes);
}

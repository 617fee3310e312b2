import type { Description } from "../../description/description.ts";

export async function loadDescription(): Promise<Description> {
  const answer = await fetch("/api/v1/openapi.json");
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  return (await answer.json()) as Description;
}

import type { Description } from "../../description/description.ts";

export async function loadDescription(): Promise<Description> {
  const response = await fetch("/api/v1/openapi.json");
  if (!response.ok) throw new Error(`openapi.json: ${response.status}`);
  return (await response.json()) as Description;
}

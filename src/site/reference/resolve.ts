import type { Description, Reference } from "../description/description.ts";

/** Follows a reference within the description; other values are returned unchanged. Throws if the target is missing. */
export function resolve<T extends object>(description: Description, value: T | Reference): T {
  if (!("$ref" in value) || value.$ref === undefined) return value as T;
  let found: unknown = description;
  for (const name of value.$ref.replace("#/", "").split("/")) {
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  if (found === undefined) throw new Error(`the description has no ${value.$ref}`);
  return found as T;
}

import { AccountRefusal } from "./refusal.ts";

/** A place in a list that begins with the newest: behind this one. What is made later does not move it. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** The place as `nextCursor`: opaque to callers, so that it can change. */
export function writeCursor({ createdAt, id }: ListPosition): string {
  return btoa(`${createdAt.getTime()}:${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** `prefix`: what ids of the list begin with. Throws `invalid_parameters` for what no such list has given out. */
export function readCursor(cursor: string, prefix: "key" | "wh" | "evt"): ListPosition {
  const [, milliseconds, id] = /^(\d{1,15}):([0-9A-Za-z_.]{1,80})$/.exec(decoded(cursor)) ?? [];
  if (milliseconds === undefined || id === undefined || !id.startsWith(`${prefix}_`)) {
    const issue = "must be the `nextCursor` of a previous response";
    throw new AccountRefusal("invalid_parameters", `\`cursor\` ${issue}.`, { fields: [{ name: "cursor", issue }] });
  }
  return { createdAt: new Date(Number(milliseconds)), id };
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

import { AccountRefusal } from "./refusal.ts";

/** A place in the list of keys: behind this one. Keys that are made later do not move it. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** The place as `nextCursor`: opaque to callers, so that it can change. */
export function writeCursor({ createdAt, id }: KeyPosition): string {
  return btoa(`${createdAt.getTime()}:${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws `invalid_parameters` for what no list has given out. */
export function readCursor(cursor: string): KeyPosition {
  const [, milliseconds, id] = /^(\d{1,15}):(key_[0-9A-Za-z]{1,40})$/.exec(decoded(cursor)) ?? [];
  if (milliseconds === undefined || id === undefined) {
    const issue = "must be the nextCursor of a list";
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

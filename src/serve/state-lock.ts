import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** How long another server that is ending may hold the lock, in ms. */
const PATIENCE = 5_000;

/** The server that uses a folder. */
export interface StateHolder {
  readonly pid: number;
  readonly url: string;
}

/** Held until the process ends: closing it would free the lock. */
const held: DatabaseSync[] = [];

/**
 * Keeps other servers from the folder `persistTo` for as long as this process lives: two would find each other's databases busy. Returns
 * the server that uses it already. The lock is SQLite's on a file of its own, so the system frees it however the process ends.
 */
export function lockState(persistTo: string, holder: StateHolder): Partial<StateHolder> | undefined {
  mkdirSync(persistTo, { recursive: true });
  const lock = new (sqlite().DatabaseSync)(join(persistTo, ".server.lock"));
  const description = join(persistTo, ".server.json");
  try {
    lock.exec(`PRAGMA busy_timeout = ${PATIENCE}; BEGIN EXCLUSIVE`);
  } catch (error) {
    lock.close();
    if (!/database is locked/.test(String(error))) throw error;
    return described(description);
  }
  held.push(lock);
  writeFileSync(description, `${JSON.stringify(holder)}\n`);
  return undefined;
}

/** Without Node's warning that its interface may change: nobody who starts the service can do anything about that. */
function sqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function described(file: string): Partial<StateHolder> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Partial<StateHolder>;
  } catch {
    return {};
  }
}

import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** The command line, its words separated by spaces. */
  readonly command: string;
  /** The value of `NAME` in its environment, by which this server recognizes those that it has started. */
  readonly name: string | undefined;
}

/** The variable of the environment that names a process. */
export const NAME = "PDF_SERVICE_PROCESS";

const nameIn = (environment: string): string | undefined =>
  new RegExp(`(?:^|[\\0\\s])${NAME}=([\\w-]+)`).exec(environment)?.[1];

/** The processes that one has started, directly or not. Empty where the system has no list that is read here, as on Windows. */
export async function processesBelow(ancestor: number): Promise<readonly Process[]> {
  const processes = process.platform === "linux" ? await readProc() : await readPs();
  const below = new Set([ancestor]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  below.delete(ancestor);
  return processes.filter(({ pid }) => below.has(pid));
}

/** Slim images of Linux have no `ps`. */
async function readProc(): Promise<Process[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (name: string, file: string): Promise<string> =>
    readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
  return Promise.all(
    names.map(async (name) => {
      const [, parent = "0"] = /\) \S (\d+)/.exec(await read(name, "stat")) ?? [];
      const command = (await read(name, "cmdline")).replaceAll("\0", " ").trim();
      return { pid: Number(name), parent: Number(parent), command, name: nameIn(await read(name, "environ")) };
    }),
  );
}

async function readPs(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-E", "-o", "pid=,ppid=,command="]).catch(() => ({
    stdout: "",
  }));
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command, name: nameIn(command) }];
  });
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills a process, also one that is stopped; nothing if it has ended. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

export const isWorkerd = ({ command }: Pick<Process, "command">): boolean =>
  /workerd(?:\.exe)?\s+serve\b/.test(command);

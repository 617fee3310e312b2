import { execFileSync } from "node:child_process";

/** Whether this machine has a program, and running it with these arguments succeeds. */
export const has = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Whether it has a Python that the client supports. */
export const hasPython = has("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))");

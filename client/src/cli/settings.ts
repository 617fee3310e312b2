/** The key and the address of the service. */
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, exitCodes, Failure, withPath } from "./failure.ts";

export interface Settings {
  readonly apiKey: string | undefined;
  readonly url: string;
}

interface ConfigFile {
  readonly apiKey?: string;
  readonly url?: string;
}

/** Where `npm start` listens. */
const LOCAL_URL = "http://localhost:8787";

function configPath(): string {
  const { XDG_CONFIG_HOME } = process.env;
  return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "pdf-service", "config.json");
}

/** Options override the environment, which overrides the config file. */
export async function readSettings(typedUrl: string | undefined, readsConfig: boolean): Promise<Settings> {
  const { PDF_SERVICE_KEY, PDF_SERVICE_URL } = process.env;
  const isComplete = PDF_SERVICE_KEY && (typedUrl ?? PDF_SERVICE_URL);
  const config = isComplete || !readsConfig ? {} : await readConfig();
  const url = typedUrl ?? (PDF_SERVICE_URL || (config.url ?? LOCAL_URL));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure(exitCodes.usage, `The address of the service is not an http or https URL: ${url}`);
  }
  return { apiKey: PDF_SERVICE_KEY || config.apiKey, url };
}

/** @throws Failure if others can read the file: a key in it may have been read already. */
async function readConfig(): Promise<ConfigFile> {
  const path = configPath();
  const text = await withPath("read", path, async () => {
    try {
      // Windows has no such modes.
      if (process.platform !== "win32") {
        const { mode, uid } = await stat(path);
        if ((mode & 0o077) !== 0) {
          throw new Failure(exitCodes.access, `Others can read ${path}. Run: chmod 600 ${path}`);
        }
        if (uid !== process.getuid?.()) throw new Failure(exitCodes.access, `${path} belongs to another user.`);
      }
      return await readFile(path, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "{}";
      throw error;
    }
  });
  try {
    const { apiKey, url } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return { ...(typeof apiKey === "string" && { apiKey }), ...(typeof url === "string" && { url }) };
  } catch {
    throw new Failure(exitCodes.usage, `${path} is not JSON.`);
  }
}

export async function writeConfig(config: ConfigFile): Promise<string> {
  const path = configPath();
  const temporary = `${path}.${process.pid}.tmp`;
  await withPath("write", path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporary, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
      await chmod(temporary, 0o600);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  });
  return path;
}

export async function removeConfig(): Promise<string> {
  const path = configPath();
  await withPath("remove", path, () => rm(path, { force: true }));
  return path;
}

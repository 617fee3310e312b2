import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readEnv } from "../src/env.ts";

describe("readEnv", () => {
  test("reads what wrangler.toml binds", () => {
    expect(readEnv(env)).toMatchObject({ memoryBudgetBytes: 128 * 1024 * 1024, baseUrl: "http://localhost:8787" });
  });

  test("reads one set of bindings once", () => {
    expect(readEnv(env)).toBe(readEnv(env));
  });

  test("takes the slash off the base URL, which paths are appended to", () => {
    const bindings = { ...env, BASE_URL: "https://pdf.example.com/" };
    expect(readEnv(bindings).baseUrl).toBe("https://pdf.example.com");
  });

  test("names everything that is missing or wrong, and no value", () => {
    const read = () => readEnv({ MEMORY_BUDGET_MIB: "lots-and-lots", BASE_URL: "ftp://secret.example.com" });
    expect(read).toThrow(/DB: .*MEMORY_BUDGET_MIB: .*BASE_URL: /);
    expect(read).not.toThrow(/lots-and-lots|secret/);
  });

  test("refuses a budget that no engine fits in", () => {
    expect(() => readEnv({ ...env, MEMORY_BUDGET_MIB: "16" })).toThrow("MEMORY_BUDGET_MIB: must be at least 64");
  });
});

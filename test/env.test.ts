import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { readEnv } from "../src/env.ts";

describe("readEnv", () => {
  test("reads what wrangler.toml binds", () => {
    expect(readEnv(env)).toMatchObject({ memoryBudgetBytes: 128 * 1024 * 1024, baseUrl: "http://localhost:8787" });
  });

  test("reads each set of bindings once", () => {
    expect(readEnv(env)).toBe(readEnv(env));
  });

  test("strips the trailing slash of the base URL", () => {
    const bindings = { ...env, SERVER_SECRET: "x".repeat(32), BASE_URL: "https://pdf.example.com/" };
    expect(readEnv(bindings).baseUrl).toBe("https://pdf.example.com");
  });

  test("lists every missing or invalid setting, without its value", () => {
    const read = () => readEnv({ MEMORY_BUDGET_MIB: "lots-and-lots", BASE_URL: "ftp://secret.example.com" });
    expect(read).toThrow(/DB: .*KEY_SHIELD: .*SERVER_SECRET: .*MEMORY_BUDGET_MIB: .*BASE_URL: /);
    expect(read).not.toThrow(/lots-and-lots|secret\.example/);
  });

  test("refuses the public development secret where the service is deployed", () => {
    expect(() => readEnv({ ...env, BASE_URL: "https://pdf.example.com" })).toThrow(
      "SERVER_SECRET is the one for local use",
    );
  });

  test("readEnv opens data sealed under a previous secret, but seals under the current one", () => {
    const previous = "p".repeat(32);
    expect(readEnv({ ...env }).serverSecrets).toEqual([env.SERVER_SECRET]);
    const both = { ...env, SERVER_SECRET_PREVIOUS: previous };
    expect(readEnv(both).serverSecrets).toEqual([env.SERVER_SECRET, previous]);
    expect(() => readEnv({ ...env, SERVER_SECRET_PREVIOUS: "short" })).toThrow("SERVER_SECRET_PREVIOUS: must have 32");
  });

  test("opens loopback to webhooks only for development", () => {
    const local = { ...env, WEBHOOK_ALLOW_LOCAL: "true" };
    expect(readEnv({ ...env }).webhooks.endpoints.allowLocal).toBe(false);
    expect(readEnv(local).webhooks.endpoints).toEqual({ baseUrl: "http://localhost:8787", allowLocal: true });
    const deployed = { ...local, SERVER_SECRET: "x".repeat(32), BASE_URL: "https://pdf.example.com" };
    expect(() => readEnv(deployed)).toThrow("WEBHOOK_ALLOW_LOCAL is only for development");
    expect(() => readEnv({ ...env, WEBHOOK_ALLOW_LOCAL: "yes" })).toThrow('WEBHOOK_ALLOW_LOCAL: must be "true"');
  });

  test("fetches documents from loopback only for development", () => {
    const local = { ...env, FETCH_ALLOW_LOCAL: "true" };
    expect(readEnv({ ...env }).documentUrls.allowLocal).toBe(false);
    expect(readEnv(local).documentUrls).toEqual({ baseUrl: "http://localhost:8787", allowLocal: true });
    const deployed = { ...local, SERVER_SECRET: "x".repeat(32), BASE_URL: "https://pdf.example.com" };
    expect(() => readEnv(deployed)).toThrow("FETCH_ALLOW_LOCAL is only for development");
  });

  test("sends traces and metrics only to the configured collector", () => {
    expect(readEnv({ ...env }).telemetry).toBeUndefined();
    const OTEL_EXPORTER_OTLP_ENDPOINT = "https://otel.example.com/v9/";
    const given = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-a=1=2", OTEL_SERVICE_NAME: "pdf" };
    expect(readEnv({ ...env, ...given, OTEL_EXPORTER_OTLP_ENDPOINT }).telemetry).toMatchObject({
      endpoint: "https://otel.example.com/v9",
      headers: { authorization: "Bearer abc", "x-a": "1=2" },
      resource: { "service.name": "pdf" },
      spanDelay: 1_000,
      metricInterval: 60_000,
    });
    const wrong = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "otel:4318",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_HEADERS: "no pair",
      OTEL_RESOURCE_ATTRIBUTES: "a=%",
      OTEL_BSP_SCHEDULE_DELAY: "1s",
    };
    for (const [name, value] of Object.entries(wrong))
      expect(() => readEnv({ ...env, [name]: value }), name).toThrow(`${name}: must be`);
  });

  test("accepts another retry schedule for webhooks", () => {
    expect(readEnv({ ...env }).webhooks.retrySeconds).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
    expect(readEnv({ ...env, WEBHOOK_RETRY_SECONDS: "0,60" }).webhooks.retrySeconds).toEqual([0, 60]);
    for (const wrong of ["", "5,", "-1", "1.5", "100000"]) {
      expect(() => readEnv({ ...env, WEBHOOK_RETRY_SECONDS: wrong })).toThrow("WEBHOOK_RETRY_SECONDS: must be 1 to 50");
    }
  });

  test("accepts further databases, in order and without a gap", () => {
    expect(readEnv({ ...env, DB_1: env.DB, DB_2: env.DB }).databases).toHaveLength(3);
    expect(() => readEnv({ ...env, DB_2: env.DB })).toThrow("has DB_2, but not DB_1");
  });

  test("refuses a memory budget that is too small for an engine", () => {
    expect(() => readEnv({ ...env, MEMORY_BUDGET_MIB: "16" })).toThrow("MEMORY_BUDGET_MIB: must be at least 64");
  });
});

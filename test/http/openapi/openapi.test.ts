import { describe, expect, it } from "vitest";
import { z } from "zod";
import { at, document, isObject, type Json } from "./description.ts";
import { errorRows } from "../../../src/http/errors/error-table.ts";
import { describeApi } from "../../../src/http/openapi/openapi.ts";
import { defineOperation, resultHeaders } from "../../../src/operations/definition/define.ts";
import { pdfFile, pdfFiles, text } from "../../../src/operations/definition/fields.ts";
import { operations } from "../../../src/operations/index.ts";
import {
  formBoolean,
  formChoice,
  formInteger,
  jsonField,
  pageRange,
} from "../../../src/operations/definition/values.ts";
import { eventTypes } from "../../../src/events/event-types.ts";

/** Every object in a document, from the outside in. */
function* objectsOf(value: unknown): Generator<Json> {
  if (!isObject(value)) return;
  yield value;
  for (const member of Object.values(value)) yield* objectsOf(member);
}

const described = Object.values(at(document, "paths") as Json).flatMap((path) => Object.values(path as Json)) as Json[];

describe("openapi.json", () => {
  it("a parameter that depends on another names only values that exist", () => {
    let told = 0;
    for (const schema of objectsOf(document)) {
      for (const member of Object.values((schema["properties"] ?? {}) as Record<string, Json>)) {
        for (const [name, values] of Object.entries((member["x-when"] ?? {}) as Record<string, string[]>)) {
          expect(at(schema, "properties", name, "enum")).toEqual(expect.arrayContaining(values));
          told += 1;
        }
      }
    }
    expect(told).toBeGreaterThan(10);
  });

  it("the description has every operation of the registry, each under an ID of its own", () => {
    for (const { name, summary } of operations)
      expect(at(document, "paths", `/api/v1/${name}`, "post", "summary")).toBe(summary);
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(at(document, "servers", "0", "url")).toBe("https://pdf.example.com");
    expect(at(document, "openapi")).toBe("3.1.0");
  });

  it("the description has no dangling reference", () => {
    const references = Array.from(objectsOf(document), ({ $ref }) => $ref).filter(
      (reference) => typeof reference === "string",
    );
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      expect(at(document, ...reference.replace("#/", "").split("/")), reference).toBeDefined();
    }
  });

  it("the description has webhook events by type, with the headers that sign them", () => {
    const webhooks = at(document, "webhooks") as Json;
    expect(Object.keys(webhooks)).toEqual([...eventTypes]);
    for (const type of eventTypes) {
      const { parameters, requestBody } = at(webhooks, type, "post") as Json;
      expect((parameters as readonly Json[]).map(({ name }) => name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]);
      const schema = at(requestBody, "content", "application/json", "schema", "properties");
      expect(at(schema, "type", "const")).toBe(type);
      expect(at(schema, "data", "properties", "sequence", "type")).toBe("integer");
    }
    const told = at(webhooks, "operation.failed", "post", "requestBody", "content", "application/json", "schema");
    expect(Object.keys(at(told, "properties", "data", "properties") as Json)).toContain("requestId");
  });

  it("the description is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it("the description has every code and every header", () => {
    const codes = at(document, "components", "schemas", "Error", "properties", "error", "properties", "code", "enum");
    const sent = errorRows.map(([code]) => code).filter((code) => code !== "client_closed_request");
    expect(codes).toEqual(sent);
    const headers = Object.keys(at(document, "components", "headers") as Json);
    expect(headers).toEqual(expect.arrayContaining(Object.keys(resultHeaders)));
    for (const operation of described) {
      for (const [status, response] of Object.entries(operation["responses"] as Json))
        expect(response, status).toBeDefined();
    }
  });
});

describe("forms", () => {
  const { post } = at(
    describeApi(
      [
        defineOperation({
          name: "two-words",
          summary: "",
          group: "Edit",
          keywords: "pair couple",
          example: { file0: "letter.pdf", file1: "enclosure.pdf", mode: "b" },
          description: "",
          credits: 2,
          modes: { scope: "pdf:read", returns: ["application/pdf", "application/zip"] },
          fields: {
            files: pdfFiles("file", { min: 2, max: 9 }, "The PDFs."),
            pages: text(pageRange(), "Which."),
            flag: text(formBoolean(), "Whether."),
            size: text(formInteger(1, 9), "How much.", { label: "Size (mm)", default: 3, when: { style: ["x"] } }),
            style: text(formChoice("x", "y"), "How."),
            mode: text(formChoice("a", "b"), "What.", { required: true }),
            angles: text(jsonField(z.record(z.string(), z.number())), "Angles.", {
              required: true,
              when: { mode: ["a"], style: ["x", "y"] },
            }),
            box: text(
              jsonField(z.strictObject({ page: z.int(), origin: z.enum(["top", "end"]).default("top") })),
              "Where.",
            ),
          },
          headers: ["X-Page-Count"],
          run: async () => ({ kind: "json", value: null, headers: {} }),
        }),
        defineOperation({
          name: "one",
          summary: "",
          group: "More",
          keywords: "",
          example: {},
          description: "",
          credits: 1,
          modes: { scope: "pdf:read", returns: ["application/json"] },
          fields: { file: pdfFile("The PDF.") },
          headers: [],
          run: async () => ({ kind: "json", value: null, headers: {} }),
        }),
      ],
      [],
      "",
    ),
    "paths",
    "/api/v1/two-words",
  ) as { post: Json };
  const schema = at(post, "requestBody", "content", "multipart/form-data", "schema") as Json;

  it("a form is described by the schemas that validate it", () => {
    expect(post["operationId"]).toBe("twoWords");
    expect(schema["required"]).toEqual(["file0", "file1", "mode"]);
    expect(schema["additionalProperties"]).toBe(false);
    const pdf = { type: "string", format: "binary", contentMediaType: "application/pdf" };
    const reference = { $ref: "#/components/schemas/FileReference" };
    expect(schema["properties"]).toEqual({
      file0: { anyOf: [pdf, reference], description: "The PDFs." },
      file1: { anyOf: [pdf, reference], description: "The PDFs." },
      password: expect.objectContaining({ type: "string" }) as unknown,
      pages: {
        type: "string",
        format: "page-range",
        examples: expect.any(Array) as unknown,
        description: "Which.",
      },
      flag: { type: "boolean", default: false, description: "Whether." },
      size: {
        title: "Size (mm)",
        type: "integer",
        minimum: 1,
        maximum: 9,
        default: 3,
        "x-when": { style: ["x"] },
        description: "How much. Only applies when `style` is `x`. Default: `3`.",
      },
      style: { type: "string", enum: ["x", "y"], description: "How." },
      mode: { type: "string", enum: ["a", "b"], description: "What." },
      angles: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: expect.objectContaining({ type: "object" }) as unknown,
        "x-when": { mode: ["a"], style: ["x", "y"] },
        "x-required": true,
        description: "Angles. Required when `mode` is `a` and `style` is `x` or `y`.",
      },
      box: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: {
          type: "object",
          properties: {
            page: expect.anything() as unknown,
            origin: expect.objectContaining({ default: "top" }) as unknown,
          },
          required: ["page"],
          additionalProperties: false,
        },
        description: "Where.",
      },
      expiresIn: expect.objectContaining({ type: "integer", default: 86_400 }) as unknown,
      deliverTo: expect.objectContaining({ type: "string" }) as unknown,
    });
    const patterns = Object.keys(schema["patternProperties"] as Json).map((pattern) => new RegExp(pattern));
    expect(patterns.map((pattern) => pattern.test("file12") || pattern.test("password3"))).toEqual([true, true]);
    expect(patterns.some((pattern) => pattern.test("file01"))).toBe(false);
  });

  it("a form says where people look for its operation, and with which words", () => {
    expect([post["x-group"], post["x-keywords"]]).toEqual(["Edit", "pair couple"]);
    expect(at(post, "requestBody", "content", "multipart/form-data", "example")).toEqual({
      file0: "letter.pdf",
      file1: "enclosure.pdf",
      mode: "b",
    });
  });

  it("a form lists the responses that it can get", () => {
    expect(Object.keys(post["responses"] as Json)).toEqual([
      "200",
      "202",
      "400",
      "401",
      "403",
      "404",
      "408",
      "409",
      "410",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503",
    ]);
    expect(Object.keys(at(post, "responses", "200", "headers") as Json)).toEqual([
      "X-Request-Id",
      "traceparent",
      "Content-Disposition",
      "Content-Length",
      "Preference-Applied",
      "ETag",
      "Accept-Ranges",
      "X-Page-Count",
      "X-Ignored-Parameters",
      "X-Credits-Charged",
      "X-Credits-Remaining",
      "Idempotency-Replayed",
      "RateLimit-Policy",
      "RateLimit",
    ]);
    expect(at(post, "parameters", "0", "name")).toBe("Idempotency-Key");
    expect(Object.keys(at(post, "responses", "200", "content") as Json)).toEqual([
      "application/pdf",
      "application/zip",
    ]);
  });
});

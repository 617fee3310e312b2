import { describe, expect, it } from "vitest";
import { at, document, type Json } from "./description.ts";
import { errorsOf } from "../../../src/http/openapi/operation-errors.ts";
import { operations } from "../../../src/operations/index.ts";

describe("errors of an operation", () => {
  const codesOf = (name: string): string[] =>
    Object.values(at(document, "paths", `/api/v1/${name}`, "post", "responses") as Json).flatMap((given) => {
      const reference = String(at(given, "$ref") ?? "").replace("#/", "");
      const response = reference === "" ? given : at(document, ...reference.split("/"));
      return Object.keys((at(response, "content", "application/json", "examples") ?? {}) as Json);
    });

  it.each(operations)("$name lists the errors that it declares, and no others", (operation) => {
    expect(codesOf(operation.name).toSorted()).toEqual(errorsOf(operation).toSorted());
  });

  it("an operation does not list the errors of another", () => {
    expect(codesOf("rotate")).toContain("invalid_page_range");
    expect(codesOf("merge")).not.toContain("invalid_page_range");
    expect(codesOf("from-images")).not.toContain("password_required");
    expect(codesOf("fill-form")).toContain("no_form");
    // It is the response to other methods, and described once.
    for (const { name } of operations) expect(codesOf(name)).not.toContain("method_not_allowed");
    expect(at(document, "components", "responses", "Public405")).toBeDefined();
  });

  it("an operation omits errors that cannot be sent", () => {
    const form = at(document, "paths", "/api/v1/sign", "post", "requestBody", "content", "multipart/form-data");
    expect(at(form, "schema", "properties", "field", "contentSchema", "required")).toEqual([
      "page",
      "x",
      "y",
      "width",
      "height",
    ]);
  });
});

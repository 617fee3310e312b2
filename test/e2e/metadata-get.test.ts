import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { MetadataCalls } from "../harness/requests/metadata-calls.ts";
import { FormDraft } from "../harness/fixtures/form-fixtures.ts";
import { smallDocument, xmpPacket } from "../harness/fixtures/metadata-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const calls = new MetadataCalls(service);

describe("metadata get", () => {
  test("the document is described", async () => {
    const facts = await calls.get(document({ name: "facts", pages: 10, features: ["form", "boxes"] }));
    expect(facts).toMatchObject({
      title: "Title of facts",
      author: "The author",
      subject: "A fixture",
      keywords: null,
      creator: null,
      producer: "fixtures",
      creationDate: "2026-01-02T03:04:05Z",
      modificationDate: "2026-01-02T03:04:05Z",
      custom: {},
      pageCount: 10,
      pdfVersion: "1.7",
      encrypted: false,
      permissions: ["print", "print-high", "modify", "copy", "annotate", "fill-forms", "accessibility", "assemble"],
    });
    const plain = { width: 595, height: 842, rotation: 0 };
    const pages = facts["pages"] as unknown[];
    expect(pages.slice(0, 4)).toEqual([
      { width: 1190, height: 1684, rotation: 0 },
      { width: 350, height: 640, rotation: 0 },
      { width: 595, height: 842, rotation: 270 },
      plain,
    ]);
    expect(pages[8]).toEqual({ width: 842, height: 595, rotation: 90 });
    const field = { value: null, options: null, page: 1, required: false, readOnly: false, maxLength: null };
    expect(facts["formFields"]).toEqual([
      { ...field, name: "person.name", type: "text", value: "Ada of facts" },
      { ...field, name: "person.city", type: "text", value: "Turin", page: 2, maxLength: 20 },
      { ...field, name: "agree", type: "checkbox", value: true },
      { ...field, name: "radio", type: "radio", value: "choice2", options: ["choice1", "choice2", "choice3"] },
      { ...field, name: "color", type: "dropdown", value: "red", options: ["red", "g"], page: 10 },
    ]);
  });

  test("text in every encoding and keys that are not UTF-8 are read", async () => {
    const info =
      "/Title (Caf\\351 \\200 \\240) /Author <FEFF001B0065006E001B65E5D83D> /Subject <FFFEE5653DD800DE>" +
      " /Keywords <EFBBBFE697A5> /Creator (a\\000b) /Producer () /CreationDate (D:202601) /ModDate (yesterday)" +
      " /Gr#F6#DFe (Latin-1) /Gr#C3#B6#C3#9Fe2 (UTF-8) /Trapped /False /Number 7 /__proto__ (own)";
    expect(await calls.get(smallDocument({ info }))).toMatchObject({
      title: "Café • €",
      author: "日\ufffd",
      subject: "日😀",
      keywords: "日",
      creator: "ab",
      producer: "",
      creationDate: "2026-01-01T00:00:00",
      modificationDate: null,
      custom: { Größe: "Latin-1", Größe2: "UTF-8", Trapped: "False" },
    });
  });

  test("XMP supplies entries that the Info dictionary lacks", async () => {
    const list = (form: string, ...items: readonly string[]): string => `<rdf:${form}>${items.join("")}</rdf:${form}>`;
    const item = (text: string, language = ""): string => `<rdf:li ${language}>${text}</rdf:li>`;
    const title = list("Alt", item("Titel", 'xml:lang="de"'), item("A &amp; title", 'xml:lang="x-default"'));
    const xmp = xmpPacket(
      `<dc:title>${title}</dc:title><dc:creator>${list("Seq", item("Ann"), item("Bo"))}</dc:creator>` +
        `<dc:subject>${list("Bag", item("one"), item("two"))}</dc:subject><pdf:Producer>Maker</pdf:Producer>`,
      'xmp:CreatorTool="Writer" xmp:CreateDate="2024-05-06T07:08:09.5+02:00" xmp:ModifyDate="2024-06"',
    );
    const fromXmp = {
      title: "A & title",
      author: "Ann; Bo",
      subject: null,
      keywords: "one, two",
      creator: "Writer",
      producer: "Maker",
      creationDate: "2024-05-06T07:08:09+02:00",
      modificationDate: "2024-06-01T00:00:00",
      custom: {},
    };
    expect(await calls.get(smallDocument({ xmp }))).toMatchObject(fromXmp);
    const info = "/Title (Own) /Producer () /ModDate (yesterday)";
    expect(await calls.get(smallDocument({ xmp, info }))).toMatchObject({
      ...fromXmp,
      title: "Own",
      producer: "",
      modificationDate: null,
    });
    expect(await calls.get(smallDocument({ xmp: new Uint8Array(5 * 1024 * 1024).fill(32) }))).toMatchObject({
      title: null,
    });
    expect(await calls.get(smallDocument({ xmp: new TextEncoder().encode("<broken") }))).toMatchObject({ title: null });
  });

  test("the selected check box of a group is reported", async () => {
    const draft = new FormDraft();
    for (const [name, value] of [
      ["chosen", "/V /two"],
      ["none", "/V /Off"],
    ] as const) {
      const group = draft.add("null");
      const kids = ["one", "two"].map((state) => {
        const current = value === `/V /${state}` ? state : "Off";
        return draft.widget(`/Parent ${group} ${draft.states(state)} /AS /${current}`, draft.place(20));
      });
      draft.objects[Number.parseInt(group, 10) - 1] = `<< /FT /Btn /T (${name}) ${value} /Kids [${kids.join(" ")}] >>`;
      draft.field(group);
    }
    const same = draft.add("null");
    const kids = [0, 1].map(() => draft.widget(`/Parent ${same} ${draft.states("Yes")} /AS /Yes`, draft.place(20)));
    draft.objects[Number.parseInt(same, 10) - 1] = `<< /FT /Btn /T (same) /V /Yes /Kids [${kids.join(" ")}] >>`;
    draft.field(same);
    const { formFields } = await calls.get(draft.bytes());
    expect(formFields).toMatchObject([
      { name: "chosen", type: "checkbox", value: "two", options: ["one", "two"] },
      { name: "none", type: "checkbox", value: false, options: ["one", "two"] },
      { name: "same", type: "checkbox", value: true, options: null },
    ]);
  });

  test("missing values are null", async () => {
    expect(await calls.get(smallDocument({}))).toMatchObject({
      title: null,
      creationDate: null,
      custom: {},
      formFields: [],
    });
  });

  test.each(ciphers)("the permissions of %s are listed", async (cipher) => {
    const restrictions = cipher === "rc4-40" ? ["--print=n"] : ["--print=low", "--modify=form", "--extract=n"];
    const bytes = await encrypt(document({ name: "locked", pages: 1 }), {
      cipher,
      userPassword: "",
      ownerPassword: "owner",
      restrictions,
    });
    const facts = await calls.get(bytes);
    expect(facts).toMatchObject({ encrypted: true, title: "Title of locked" });
    expect(facts["permissions"]).toEqual(
      cipher === "rc4-40"
        ? ["modify", "copy", "annotate", "fill-forms", "accessibility", "assemble"]
        : ["print", "fill-forms", "accessibility", "assemble"],
    );
  });

  test("a repaired input is reported", async () => {
    const response = await post(service, "metadata", {
      file: pdfPart(withoutXref(document({ name: "repaired", pages: 1 }))),
      action: "get",
    });
    expect(response.headers.get("X-Input-Repaired")).toBe("true");
    expect(response.headers.get("Content-Type")).toBe("application/json");
  });
});

describe("refusals", () => {
  const bytes = smallDocument({});
  const problems = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    const response = await post(service, "metadata", { file: pdfPart(bytes), ...fields });
    expect([response.status, response.code]).toEqual([400, "invalid_parameters"]);
    const { error } = JSON.parse(new TextDecoder().decode(response.body)) as {
      error: { details: { fields: { name: string; issue: string }[] } };
    };
    return error.details.fields.map(({ name, issue }) => `${name} ${issue}`).join("\n");
  };

  test("invalid fields are refused with all problems", async () => {
    expect(await problems({})).toBe("action is required");
    expect(await problems({ action: "put" })).toBe("action must be get or set");
    expect(await problems({ action: "set" })).toBe("metadata is required when `action` is set");
    // Ignored where they do not apply, but not unread.
    expect(await problems({ action: "get", metadata: "{", replace: "2" })).toBe(
      "metadata must be valid JSON\nreplace must be true or false",
    );
  });

  test("problems of a JSON value are listed all at once", async () => {
    const metadata = '{"title":{},"ModDate":"2026","modificationDate":null,"custom":{"a":[],"Trapped":"x","":"y"}}';
    expect((await problems({ action: "set", metadata })).split("\n")).toHaveLength(5);
  });

  test.each([
    ["{", "must be valid JSON"],
    ["[]", "must be an object"],
    ['{"pageCount":1}', "is invalid: `pageCount` is read-only"],
    ['{"formFields":[],"color":1}', "is invalid: `formFields` is read-only; `color` is not a metadata field"],
    ['{"title":true}', "is invalid: `title` must be a string"],
    ['{"title":"a\\u0000"}', "is invalid: `title` must not contain control characters"],
    ['{"title":"\\ud800"}', "is invalid: `title` must not contain control characters or unpaired surrogates"],
    ['{"creationDate":"yesterday"}', "is invalid: `creationDate` must be an ISO 8601 date"],
    ['{"ModDate":"2026-02-30"}', "is invalid: `modificationDate` must be an ISO 8601 date"],
    ['{"ModDate":"2026","modificationDate":null}', "is invalid: `ModDate` is set twice: it is `modificationDate`"],
    ['{"custom":{"Title":"x"}}', "is invalid: `custom.Title` is not a custom entry"],
    ['{"custom":{"":"x"}}', "is invalid: `custom.` must not be empty"],
    ['{"custom":{"a":{}}}', "is invalid: `custom.a` must be a string"],
    ['{"custom":{"Trapped":"maybe"}}', "is invalid: `custom.Trapped` must be True, False, or Unknown"],
  ])("an invalid `metadata` is refused: %s", async (metadata, issue) => {
    expect(await problems({ action: "set", metadata })).toContain(`metadata ${issue}`);
  });
});

/** `accuracy` of ocr chooses among the models that an operator has put in place. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { models } from "../../wasm/generated/models.js";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { errorOf } from "../http/echo-service.ts";
import { type Recognized, setPage } from "./ocr-service.ts";
import { operationService } from "./operation-service.ts";

// Which fast models a machine has depends on its operator. Here it is one for German, which is the English one in truth, so that its text tells.
(models.fast as string[]).splice(0, Infinity, "deu");
const assets = (env as unknown as { readonly ASSETS: Fetcher }).ASSETS;
const ASSETS = {
  fetch: (url: string) => assets.fetch(url.replace("/models/fast/deu.", "/models/eng.")),
};
const post = await operationService("ocr", { ...env, ASSETS });
const page = await setPage("Größe, Höhe, Länge, Gewähr", drawing({ width: 420, height: 100, content: "" }));

const textOf = async (fields: Readonly<Record<string, string>>): Promise<string> => {
  const response = await post(page, { languages: "deu", mode: "force", ...fields });
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as Recognized).text;
};

test("each accuracy reads with models of its own", async () => {
  expect(await textOf({})).toBe("Größe, Höhe, Länge, Gewähr");
  expect(await textOf({ accuracy: "fast" })).toMatch(/^[^äöüß]*Gew.hr$/);
  expect(await textOf({ accuracy: "best" })).toBe("Größe, Höhe, Länge, Gewähr");
});

test.each([
  ["deu,fra,ita", "must be best for fra, ita: this service has fast models only for deu"],
  ["eng", "must be best for eng: this service has fast models only for deu"],
])("`accuracy` is rejected without such a model for %s", async (languages, issue) => {
  expect(await errorOf(await post(page, { languages, accuracy: "fast" }))).toEqual([
    400,
    "invalid_parameters",
    { fields: [{ name: "accuracy", issue }] },
  ]);
});

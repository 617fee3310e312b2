/** Runs the node in n8n's own engine against a started service: PDF_SERVICE_URL and PDF_SERVICE_KEY say which. */
const assert = require("node:assert/strict");
const { randomBytes } = require("node:crypto");
const { readFile } = require("node:fs/promises");
const { join } = require("node:path");
const { test } = require("node:test");
const { ExecuteContext, RoutingNode } = require("n8n-core");
const { createRunExecutionData, NodeHelpers, Workflow } = require("n8n-workflow");
const { PdfServiceApi } = require("../dist/credentials/PdfServiceApi.credentials.js");
const { PdfService } = require("../dist/nodes/PdfService/PdfService.node.js");

const { PDF_SERVICE_URL: baseUrl, PDF_SERVICE_KEY: apiKey } = process.env;
const examples = join(__dirname, "../../../examples");
const type = new PdfService();
const nodeTypes = { getByNameAndVersion: () => type, getByName: () => type, getKnownTypes: () => ({}) };
const credentials = { baseUrl, apiKey };

/** n8n keeps credentials in its database. */
const credentialsHelper = {
  getDecrypted: async () => credentials,
  getParentTypes: () => [],
  preAuthentication: async () => undefined,
  authenticate: async (_credentials, _type, request) => {
    const { headers } = new PdfServiceApi().authenticate.properties;
    const Authorization = headers.Authorization.replace(/^=|\{\{\$credentials\.apiKey\}\}/g, (found) =>
      found === "=" ? "" : apiKey,
    );
    return { ...request, headers: { ...request.headers, Authorization } };
  },
  getCredentialsProperties: () => new PdfServiceApi().properties,
  isCredentialUsableByNode: () => true,
};

async function binary(name, mimeType) {
  return { data: (await readFile(join(examples, name))).toString("base64"), mimeType, fileName: name };
}

async function run(parameters, item) {
  const given = { id: "1", name: "PDF", type: "pdfService", typeVersion: 1, position: [0, 0], parameters };
  given.parameters = NodeHelpers.getNodeParameters(
    type.description.properties,
    parameters,
    true,
    false,
    given,
    type.description,
  );
  const node = { ...given, credentials: { pdfServiceApi: { id: "1", name: "service" } } };
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
  const items = [{ json: {}, ...item }];
  const input = { main: [items] };
  const executeData = { node, data: input, source: null };
  const additionalData = {
    credentialsHelper,
    executionId: "1",
    webhookWaitingBaseUrl: "http://localhost/",
    formWaitingBaseUrl: "http://localhost/",
    variables: {},
    currentNodeParameters: node.parameters,
  };
  const data = createRunExecutionData();
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    "manual",
    data,
    0,
    items,
    input,
    executeData,
    [],
    undefined,
  );
  const [result] = await new RoutingNode(context, type).runNode();
  return result;
}

test("files of an item become one PDF", async () => {
  const files = {
    data: await binary("letter.pdf", "application/pdf"),
    more: await binary("enclosure.pdf", "application/pdf"),
  };
  const [{ json, binary: result }] = await run(
    { operation: "merge", files: "data, more", options: { title: "Both" } },
    { binary: files },
  );
  assert.equal(json.pageCount, 3);
  assert.equal(json.fileName, "letter-merge.pdf");
  assert.equal(result.data.mimeType, "application/pdf");
  assert.match(Buffer.from(result.data.data, "base64").toString("latin1"), /^%PDF-/);
});

test("what is read comes as JSON", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  const [{ json }] = await run({ operation: "extract-text", file: "data" }, { binary: { data } });
  assert.equal(json.pages.length, 2);
});

test("parameters of a mode are sent with it, and JSON as JSON", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  const [{ json, binary: zip }] = await run({ operation: "split", mode: "chunks", chunkSize: 1 }, { binary: { data } });
  assert.equal(zip.data.mimeType, "application/zip");
  assert.match(json.fileName, /\.zip$/);
  const metadata = JSON.stringify({ title: "Näme" });
  const [set] = await run({ operation: "metadata", action: "set", metadata }, { binary: { data } });
  const [{ json: facts }] = await run({ operation: "metadata", action: "get" }, { binary: set.binary });
  assert.equal(facts.title, "Näme");
});

test("a job is awaited, and has the result and the error of the operation", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  const options = { angle: "90", job: true };
  const [{ json }] = await run({ operation: "rotate", options }, { binary: { data } });
  assert.equal(json.pageCount, 2);
  await assert.rejects(run({ operation: "rotate", options: { ...options, pages: "9" } }, { binary: { data } }), {
    description: /^invalid_page_range/,
  });
});

test("a pipeline takes the files that its steps refer to", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  const mark = await binary("signature.png", "image/png");
  const steps = JSON.stringify([
    { operation: "extract-pages", range: "2" },
    { operation: "watermark", kind: "image", image: "part:mark" },
  ]);
  const [{ json }] = await run(
    { operation: "pipeline", steps, options: { parts: "mark" } },
    { binary: { data, mark } },
  );
  assert.equal(json.pageCount, 1);
});

test("a large file is uploaded in parts, and processed by a job", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  const bytes = randomBytes(20 * 1024 * 1024);
  const large = { data: bytes.toString("base64"), mimeType: "application/octet-stream", fileName: "large.bin" };
  const [{ json, binary: attached }] = await run(
    { operation: "attachments", action: "add", attachment: "large" },
    { binary: { data, large } },
  );
  assert.equal(json.pageCount, 2);
  const [{ binary: extracted }] = await run({ operation: "attachments", action: "extract" }, { binary: attached });
  assert.ok(Buffer.from(extracted.data.data, "base64").equals(bytes));
});

test("an error says what is wrong with which parameter", async () => {
  const data = await binary("letter.pdf", "application/pdf");
  await assert.rejects(run({ operation: "extract-pages", range: "9" }, { binary: { data } }), {
    message: "`range` names page 9, but the document has 2 pages.",
    description: /^invalid_page_range/,
    httpCode: "400",
  });
  await assert.rejects(run({ operation: "rotate" }, { binary: { data } }), {
    description: /^invalid_parameters\nangle /,
  });
  await assert.rejects(run({ operation: "flatten", file: "nothing" }, { binary: { data } }), /nothing/);
});

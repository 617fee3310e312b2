import { z } from "zod";
import { defineEndpoint, fileResponse } from "./define.ts";
import { receiveForm, receivePart, receiveUrl, STREAM_BYTES, takeMemory, uploadFields } from "./receive-file.ts";
import { publicUrl } from "./url-schema.ts";
import { sendFile } from "../exchange/send-file.ts";
import { fileNameIn } from "../fetch/fetch-document.ts";
import { safeFileName } from "../../operations/definition/file-names.ts";
import { dateTime } from "../../accounts/api-key-schema.ts";
import type { StoredFile } from "../../files/file.ts";
import { deleteFile, fetchFile, listFiles } from "../../files/manage-files.ts";
import { beginParts, completeParts } from "../../files/parts.ts";
import { openFile } from "../../files/read.ts";
import { limits } from "../../limits.ts";
import { formInteger, formText } from "../../operations/definition/values.ts";

const { shortestSeconds, longestSeconds, defaultSeconds } = limits.storage;

const fileSchema = z
  .object({
    id: z.string().describe("`file_...`"),
    name: z.string(),
    size: z.int().min(0).describe("In bytes."),
    contentType: z
      .string()
      .nullable()
      .describe(
        "`application/pdf`, `image/png`, `image/jpeg`, `image/webp`, `image/tiff`, `image/gif`, `image/bmp`, `application/zip`, or `application/octet-stream`. It is detected from the content. Null while the file is `pending`.",
      ),
    sha256: z
      .string()
      .nullable()
      .describe("The SHA-256 of the content, in hexadecimal. Null while the file is `pending`."),
    status: z.enum(["pending", "ready"]).describe("`pending` until an upload in parts is completed."),
    livemode: z.boolean().describe("True for files of live keys, false for files of test keys."),
    createdAt: dateTime("ISO 8601, UTC."),
    expiresAt: dateTime("When the file is deleted. While it is `pending`: when the upload is abandoned."),
    parts: z
      .object({
        size: z.int().describe("The size of each part in bytes, except the last."),
        count: z.int(),
        received: z.array(z.int()).describe("The numbers of the parts that have arrived, from 1."),
      })
      .optional()
      .describe("Only while the file is `pending`."),
  })
  .meta({ id: "StoredFile" });

const shown = ({ parts, ...file }: StoredFile) => ({
  ...file,
  createdAt: file.createdAt.toISOString(),
  expiresAt: file.expiresAt.toISOString(),
  ...(parts && { parts: { ...parts, received: [...parts.received] } }),
});

const create = defineEndpoint({
  name: "createFile",
  tag: "Files",
  method: "POST",
  path: "/files",
  summary: "Upload a file",
  description: `Keeps a file, encrypted, until it expires or you delete it. Send it as a form, in one request. Or send JSON with its \`name\` and \`size\` to begin an
upload in parts: upload each part with \`PUT /files/{id}/parts/{n}\`, then complete it. Or send JSON with a \`url\`, which must respond with 200 to a request
without credentials; at most three redirects are followed. The size of a file and of all files together is limited by your plan; a body without
\`Content-Length\` counts as the largest file. Costs no credits.`,
  scope: "files:write",
  status: 201,
  upload: { type: "multipart/form-data", description: "The file.", fields: uploadFields },
  body: z
    .strictObject({
      url: publicUrl.optional(),
      name: z
        .string({ error: "must be a string" })
        .min(1, "must have at least 1 character")
        .max(limits.storage.name, `must have at most ${limits.storage.name} characters`)
        .optional()
        .describe("The name of the file. With a `url`, the default is the last segment of its path."),
      size: z
        .int({ error: "must be a whole number" })
        .min(1, "must be at least 1")
        .optional()
        .describe("The size of a file that is uploaded in parts, in bytes."),
      expiresIn: z
        .int({ error: "must be a whole number" })
        .min(shortestSeconds, `must be at least ${shortestSeconds}`)
        .max(longestSeconds, `must be at most ${longestSeconds}`)
        .default(defaultSeconds)
        .describe("How many seconds the file is kept once it is complete."),
    })
    .check(({ value: { url, name, size }, issues }) => {
      const issue = (path: string, message: string): void =>
        void issues.push({ code: "custom", path: [path], message, input: undefined });
      if (url !== undefined && size !== undefined) issue("size", "is not used with `url`");
      if (url === undefined && size === undefined) issue("size", "is required unless `url` is sent");
      if (url === undefined && name === undefined) issue("name", "is required unless `url` is sent");
    })
    .optional()
    .meta({
      oneOf: [{ required: ["url"] }, { required: ["size"] }],
      dependentRequired: { size: ["name"] },
      examples: [
        { name: "scans.pdf", size: 12 },
        { name: "archive.pdf", size: 734_003_200, expiresIn: 3_600 },
        { url: "https://example.com/report.pdf" },
      ],
    }),
  response: fileSchema,
  errors: ["limit_reached", "invalid_file", "fetch_failed", "overloaded"],
  async handle({ context, db, files, caller, now, body }) {
    if (body === undefined) return shown(await receiveForm(context));
    const { url, size = 0, expiresIn: keptSeconds } = body;
    const name = safeFileName(body.name ?? fileNameIn(url ?? ""));
    if (url !== undefined) return shown(await receiveUrl(context, url, { name, keptSeconds }));
    const request = { name, size, keptSeconds };
    return shown(await beginParts(db, files, caller, request, now));
  },
});

const putPart = defineEndpoint({
  name: "uploadFilePart",
  tag: "Files",
  method: "PUT",
  path: "/files/{id}/parts/{n}",
  summary: "Upload a part of a file",
  description: `The body is the part itself, of any \`Content-Type\`. Each part has \`parts.size\` bytes, the last one what remains; \`Content-Length\` is required
and must be exactly that. Parts can be sent in any order, several at a time, and again. With \`Content-Digest: sha-256=:...:\` (RFC 9530), a part that arrives
with other bytes is rejected. Costs no credits.`,
  scope: "files:write",
  status: 200,
  upload: { type: "application/octet-stream", description: "The bytes of the part." },
  response: fileSchema,
  errors: ["upload_finished", "expired", "overloaded"],
  async handle({ context, params }) {
    return shown(await receivePart(context, params.id, params.n));
  },
});

const complete = defineEndpoint({
  name: "completeFile",
  tag: "Files",
  method: "POST",
  path: "/files/{id}/complete",
  summary: "Complete an upload in parts",
  description: `Joins the parts and reads the file through to compute its SHA-256, which takes seconds for each GiB. The file is then \`ready\`, and its
\`expiresIn\` begins. You can send this request again, for example if you did not get the response. Costs no credits.`,
  scope: "files:write",
  status: 200,
  body: z
    .strictObject({
      sha256: z
        .string({ error: "must be a string" })
        .regex(/^[\da-fA-F]{64}$/, "must have 64 hexadecimal digits")
        .transform((digits) => digits.toLowerCase())
        .optional()
        .describe("The SHA-256 that the file must have, in hexadecimal. With another one, the file stays `pending`."),
    })
    .meta({ examples: [{}] }),
  response: fileSchema,
  errors: ["not_ready", "expired", "overloaded"],
  async handle({ context, db, files, caller, now, params, body }) {
    using memory = await takeMemory(context, STREAM_BYTES);
    const request = { id: params.id, sha256: body.sha256 };
    return shown(await completeParts(db, files, caller, request, { now, alive: () => memory.check() }));
  },
});

const list = defineEndpoint({
  name: "listFiles",
  tag: "Files",
  method: "GET",
  path: "/files",
  summary: "List files",
  description:
    "Returns the files of your account in the mode of the API key you use, newest first. To get the next page, send `nextCursor` as `cursor`. Costs no credits.",
  scope: "files:read",
  status: 200,
  query: z.object({
    limit: formInteger(1, limits.storage.page).describe(
      `The number of files per page. Default: \`${limits.storage.page}\`.`,
    ),
    cursor: formText(200).describe("The `nextCursor` of the previous page."),
  }),
  response: z.object({
    data: z.array(fileSchema),
    count: z.int().min(0).describe("The number of files in this mode."),
    storedBytes: z
      .int()
      .min(0)
      .describe("The size of all files in this mode, including those that are being uploaded."),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe("Null on the last page."),
  }),
  errors: [],
  async handle({ db, caller, now, query }) {
    const { limit = limits.storage.page, cursor } = query;
    const page = await listFiles(db, caller, { limit, cursor }, now);
    return { ...page, data: page.data.map(shown) };
  },
});

const fetchOne = defineEndpoint({
  name: "getFile",
  tag: "Files",
  method: "GET",
  path: "/files/{id}",
  summary: "Get a file",
  description:
    "Returns what is known about a file of your account in the mode of the API key you use. Costs no credits.",
  scope: "files:read",
  status: 200,
  response: fileSchema,
  errors: ["expired"],
  async handle({ db, caller, now, params }) {
    return shown(await fetchFile(db, caller, params.id, now));
  },
});

const content = defineEndpoint({
  name: "getFileContent",
  tag: "Files",
  method: "GET",
  path: "/files/{id}/content",
  summary: "Download a file",
  description:
    "Returns the bytes of a file. A `Range` header with a single range gets a part of it, and `If-None-Match` and `If-Range` take its `ETag`. Costs no credits.",
  scope: "files:read",
  status: 200,
  response: fileResponse,
  errors: ["not_ready", "expired", "range_not_satisfiable"],
  async handle({ db, files, caller, now, params, context }) {
    return sendFile(context, await openFile(db, files, caller, params.id, now));
  },
});

const remove = defineEndpoint({
  name: "deleteFile",
  tag: "Files",
  method: "DELETE",
  path: "/files/{id}",
  summary: "Delete a file",
  description: "Deletes a file at once, or abandons an upload in parts. Costs no credits.",
  scope: "files:write",
  status: 200,
  response: fileSchema,
  errors: ["expired"],
  async handle({ db, files, caller, now, params }) {
    return shown(await deleteFile(db, files, caller, params.id, now));
  },
});

export const files = [list, create, putPart, complete, fetchOne, content, remove];

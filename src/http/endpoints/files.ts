import { z } from "zod";
import { defineEndpoint, fileResponse } from "./define.ts";
import { receiveForm, uploadFields } from "./receive-file.ts";
import { sendFile } from "./send-file.ts";
import { dateTime } from "../../accounts/api-key-schema.ts";
import type { StoredFile } from "../../files/file.ts";
import { deleteFile, fetchFile } from "../../files/manage-files.ts";
import { openFile } from "../../files/read.ts";

const fileSchema = z
  .object({
    id: z.string().describe("`file_...`"),
    name: z.string(),
    size: z.int().min(0).describe("In bytes."),
    contentType: z
      .string()
      .nullable()
      .describe(
        "`application/pdf`, `image/png`, `image/jpeg`, `image/webp`, or `application/octet-stream`. It is detected from the content. Null while the file is `pending`.",
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
  description: `Keeps a file, encrypted, until it expires or you delete it. The size of a file and of all files together is limited by your plan; a body without
\`Content-Length\` counts as the largest file. Costs no credits.`,
  scope: "files:write",
  status: 201,
  upload: { type: "multipart/form-data", description: "The file.", fields: uploadFields },
  response: fileSchema,
  errors: ["limit_reached", "invalid_file", "overloaded"],
  async handle({ context }) {
    return shown(await receiveForm(context));
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
  errors: ["not_ready", "expired", "range_not_satisfiable", "overloaded"],
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

export const files = [create, fetchOne, content, remove];

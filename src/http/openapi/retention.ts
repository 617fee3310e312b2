import { limits } from "../../limits.ts";

const hours = (seconds: number): string => (seconds === 3_600 ? "an hour" : `${seconds / 3_600} hours`);
const { defaultSeconds, shortestSeconds, longestSeconds } = limits.storage;
const range = `${shortestSeconds / 60} minutes to ${longestSeconds / 86_400} days with \`expiresIn\``;

/**
 * How long the service keeps documents. `openapi.json` shows this text, and `npm run generate -- docs` copies it into the README, the
 * security policy, and the guides.
 */
export const retention = `Operations store nothing: documents are held in memory only and discarded when the request ends.

Three kinds of files are stored, encrypted, until they expire or you delete them:

- Files that you upload to \`/files\`: for ${hours(defaultSeconds)} by default, or for ${range}.
- The documents of a job until it ends, and then its result for the same time.
- Files that a tool of the MCP server returns: for ${hours(limits.mcp.resultSeconds)} by default.

Documents and their names are never logged.`;

import { limits } from "../../limits.ts";

const hours = (seconds: number): string => (seconds === 3_600 ? "an hour" : `${seconds / 3_600} hours`);
const { defaultSeconds, shortestSeconds, longestSeconds } = limits.storage;
const range = `${shortestSeconds / 60} minutes to ${longestSeconds / 86_400} days with \`expiresIn\``;

/**
 * What the service keeps of documents, and for how long. It is said once: in `openapi.json`, and by `npm run generate -- docs` in the README, the
 * security policy, and the guides.
 */
export const retention = `A request to an operation keeps nothing: its documents are in memory only, and are discarded when the request ends. Three things are stored, encrypted, until they expire or you delete them: files that you upload to \`/files\` (for ${hours(defaultSeconds)}, or ${range}); the documents of a job, until it ends, and then its result (for as long, likewise); and files that a tool of the MCP server returns (for ${hours(limits.mcp.resultSeconds)}, likewise). Neither documents nor their names are ever logged.`;

import { z } from "zod";
import { publicUrlIssue } from "../../public-url.ts";

/** A URL that the service sends requests to. */
export const publicUrl = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
  // URLs that no configuration allows are reported with the other problems; loopback and the service's own host are checked
  // later.
  .check(({ value, issues }) => {
    const message = publicUrlIssue(value, { baseUrl: "http://localhost:0", allowLocal: true });
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  })
  .meta({ format: "uri", title: "URL" })
  .describe(
    "An HTTPS URL on port 443 with a public host name. IP addresses, credentials, local and internal names, and this service are not allowed.",
  );

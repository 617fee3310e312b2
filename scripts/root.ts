import { join } from "node:path";

/** The folder of the checkout, or that of a bundle (scripts/build-server.ts) that this is part of. */
export const root = join(import.meta.dirname, "..");

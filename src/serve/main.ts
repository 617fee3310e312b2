/** The program of the bundle: its folder is the one above. */
import { join } from "node:path";
import { serve } from "./serve.ts";

await serve(async () => join(import.meta.dirname, ".."));

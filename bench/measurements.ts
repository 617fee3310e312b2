/** What can be measured, by name. Each runs on import, with the arguments of the process. */
export const measurements: Readonly<Record<string, { readonly about: string; run(): Promise<unknown> }>> = {
  bench: {
    about: "operations next to other programs, in time and quality",
    run: () => import("./bench.ts"),
  },
  archive: {
    about: "real documents that become PDF/A, next to Ghostscript",
    run: () => import("./archive.ts"),
  },
  memory: {
    about: "the memory of the isolate at the largest inputs of each operation",
    run: () => import("./memory.ts"),
  },
  load: {
    about: "all operations from several clients at once",
    run: () => import("./load.ts"),
  },
  workers: {
    about: "requests per second, response times, and memory of npm run serve, by its workers",
    run: () => import("./workers.ts"),
  },
  browser: {
    about: "to-pdf with the browser: beside Chromium's own PDFs, and documents per second",
    run: () => import("./browser.ts"),
  },
  turns: {
    about: "how long requests wait while others need much work",
    run: () => import("./turns.ts"),
  },
  drift: {
    about: "the memory of the process while costly requests follow one another",
    run: () => import("./drift.ts"),
  },
  pages: {
    about: "the weight, layout shift, and accessibility of the pages, with Chromium",
    run: () => import("../scripts/pages.ts"),
  },
  pictures: {
    about: "pictures of every operation with a result, and what is covered or too wide in them, with Chromium",
    run: () => import("../scripts/pictures.ts"),
  },
  largest: {
    about: "the largest objects of the PDFs in folders, for the limits of objects",
    run: () => import("../scripts/largest-objects.ts"),
  },
  fuzz: {
    about: "damaged files through every operation",
    run: () => import("../scripts/fuzz.ts"),
  },
  mutants: {
    about: "whether tests notice when the service is broken on purpose",
    run: () => import("../scripts/mutants.ts"),
  },
};

/** The mutation run: damaged files through every operation, and what must hold for each call. */
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { patiently, post, pdfPart, type Part, type Service } from "../requests/client.ts";
import { faultsOf } from "./fuzz-checks.ts";
import { drawForm, type Drawn, drawnOperations, type Form } from "./fuzz-forms.ts";
import { document } from "../fixtures/fixtures.ts";
import { markedDocument, Markers } from "./markers.ts";
import { mutate } from "./mutations.ts";
import { Random } from "./random.ts";
import { describedOperations } from "../../../scripts/described-api.ts";
import { root } from "../../../scripts/root.ts";
import type { Description } from "../../../src/site/description/description.ts";

/** A file that is damaged before it is sent. */
export interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly password?: string | undefined;
}

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first call; a call is the same whatever came before it. */
  readonly first: number;
  readonly count: number;
  /** No call begins later than this many milliseconds after the first. */
  readonly milliseconds: number;
  /** Only operations whose names hold this text. */
  readonly only: string;
  /** Folder for what failing calls sent. */
  readonly folder: string;
}

export interface Failure {
  readonly call: number;
  readonly operation: string;
  readonly faults: readonly string[];
  /** Where the call's parts were written. */
  readonly folder: string;
}

export interface FuzzResult {
  readonly calls: number;
  /** How many responses there were of each kind: `200`, or status and code. */
  readonly responses: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
  /** The calls that cost the most fuel, dearest first, where the server's log is read. */
  readonly dearest: readonly { readonly call: number; readonly operation: string; readonly work: number }[];
  /** ms of the longest wait for `/health` meanwhile: how long the event loop was blocked. */
  readonly longestBlock: number;
  /** Bytes that the server's process grew by at most, where it was started here; all its isolates, garbage included. */
  readonly growth: number;
}

/** ms for one response, on a busy machine. */
const SOON = 150_000;
/** ms between two looks at whether the event loop is free. */
const LOOK = 100;
/** Dearest calls that are kept. */
const DEAREST = 5;
/** Calls under way together: engines work side by side, too. */
const AT_ONCE = 2;
/** Failures after which a run ends. */
const MOST_FAILURES = 25;

/** The operations of the service. @throws Error if none has `only` in its name */
async function operationsOf(service: Service, only: string): Promise<Drawn[]> {
  const response = await fetch(`${service.baseUrl}/api/v1/openapi.json`);
  const facts = await describedOperations();
  const tries = Object.fromEntries(facts.map((one) => [one.name, one.tries]));
  const all = drawnOperations((await response.json()) as Description, tries);
  const chosen = all.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no operation's name holds ${only}`);
  return chosen;
}

/** @throws Error if no operation has `only` in its name, or the service does not respond to a plain request. */
export async function fuzz(
  service: Service,
  sources: readonly Source[],
  options: FuzzOptions,
  report: (failure: Failure) => void,
): Promise<FuzzResult> {
  const operations = await operationsOf(service, options.only);
  const markers = new Markers(new Random(options.seed));
  const failures: Failure[] = [];
  const responses: Record<string, number> = {};
  const ids: { call: number; operation: string; id: string }[] = [];
  let [calls, dead] = [0, false];
  const plain = plainRequest(service, markers);
  const first = await plain();
  if (first.length > 0) throw new Error(`the service does not respond to a plain request: ${first.join("; ")}`);

  const end = Date.now() + options.milliseconds;
  let next = options.first;
  const worker = async (): Promise<void> => {
    while (next < options.first + options.count && Date.now() < end && failures.length < MOST_FAILURES && !dead) {
      const call = next++;
      const { operation, form, damage } = makeCall(call, operations, sources, markers, options.seed);
      const faults: string[] = [];
      try {
        const response = await patiently(() => post(service, operation, form, SOON));
        const kind = response.status === 200 ? "200" : `${response.status} ${response.code ?? ""}`;
        responses[kind] = (responses[kind] ?? 0) + 1;
        ids.push({ call, operation, id: response.headers.get("X-Request-Id") ?? "" });
        faults.push(...(await faultsOf(response, form, call, markers)));
        if (response.code === "overloaded") faults.push("the service stays full");
      } catch (error) {
        faults.push(`no response, or none that can be read: ${String(error)}`);
      }
      const after = await plain();
      faults.push(...after.map((fault) => `the next plain request: ${fault}`));
      dead = after.length > 0;
      calls++;
      if (faults.length === 0) continue;
      const folder = await keep(join(options.folder, `${options.seed}-${call}`), form, [
        operation,
        ...damage,
        ...faults,
      ]);
      const failure = { call, operation, faults, folder };
      failures.push(failure);
      report(failure);
    }
  };
  const watch = watchServer(service);
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const { longestBlock, growth } = await watch();
  const costs = ids.map(({ call, operation, id }) => ({ call, operation, work: service.work?.get(id)?.fuel ?? 0 }));
  const dearest = costs.toSorted((a, b) => b.work - a.work).slice(0, DEAREST);
  return { calls, responses, failures, dearest, longestBlock, growth };
}

/** Asks for `/health`, and looks at the memory, again and again until the function that it gives is called. */
function watchServer({ baseUrl, residentBytes = async () => 0 }: Service): () => Promise<{
  readonly longestBlock: number;
  readonly growth: number;
}> {
  const state = { longestBlock: 0, growth: 0, on: true };
  const watching = (async () => {
    const before = await residentBytes();
    while (state.on) {
      const start = performance.now();
      await (await fetch(`${baseUrl}/api/v1/health`)).arrayBuffer();
      state.longestBlock = Math.max(state.longestBlock, performance.now() - start);
      state.growth = Math.max(state.growth, (await residentBytes()) - before);
      await new Promise((done) => setTimeout(done, LOOK));
    }
  })();
  return async () => {
    state.on = false;
    await watching;
    return state;
  };
}

function makeCall(
  call: number,
  operations: readonly Drawn[],
  sources: readonly Source[],
  markers: Markers,
  seed: number,
): { operation: string; form: Form; damage: string[] } {
  const random = new Random(seed, call);
  const mark = markers.of(call);
  const operation = random.pick(operations);
  const damage: string[] = [];
  const [images, documents] = [
    sources.filter(({ bytes }) => isImage(bytes)),
    sources.filter((source) => !isImage(source.bytes)),
  ];
  const damaged = (source: Source, others: readonly Source[]): Uint8Array => {
    const other = random.pick(others).bytes;
    // One in eight whole: what it holds is then in the engine for sure.
    const { bytes, names } = random.once(8) ? { bytes: source.bytes, names: [] } : mutate(source.bytes, random, other);
    damage.push(`${source.name}: ${names.join(", ")}`);
    return bytes;
  };
  const image = (): Part => pdfPart(damaged(random.pick(images), images), `${mark}.png`);
  const document = (): { file: Part; password?: string } => {
    const source = random.once(4) ? { name: "marked", bytes: markedDocument(mark) } : random.pick(documents);
    const bytes = damaged(source, documents);
    const own = "password" in source ? source.password : undefined;
    const password = own ?? (random.once(4) ? mark : undefined);
    return { file: pdfPart(bytes, `${mark}.pdf`), ...(password === undefined ? {} : { password }) };
  };
  const example = (name: string): Part => {
    const bytes = new Uint8Array(readFileSync(join(root, "examples", name)));
    return pdfPart(damaged({ name, bytes }, documents), name);
  };
  return { operation: operation.name, form: drawForm(operation, { random, mark, document, image, example }), damage };
}

/** An image that the service takes, by the first bytes. */
export const isImage = (bytes: Uint8Array): boolean =>
  /^(?:\u0089PNG|\u00ff\u00d8\u00ff|RIFF|II\*|MM\0|GIF8|BM)/.test(Buffer.from(bytes.subarray(0, 4)).toString("latin1"));

/** A request that must succeed, whatever came before, and its response show nothing of anybody else. */
function plainRequest(service: Service, markers: Markers): () => Promise<string[]> {
  const file = pdfPart(document({ name: "plain", pages: 2, features: ["outline", "links"] }), "plain.pdf");
  return async () => {
    try {
      const response = await patiently(() => post(service, "rotate", { file, angle: "90" }, SOON));
      if (response.status !== 200) return [`${response.status} ${response.code ?? ""}`];
      return await faultsOf(response, {}, -1, markers);
    } catch (error) {
      return [String(error)];
    }
  };
}

async function keep(folder: string, form: Form, notes: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, part] of Object.entries(form)) {
    if (typeof part !== "string") await writeFile(join(folder, `${name}.pdf`), part.bytes);
  }
  const fields = Object.entries(form).filter(([, part]) => typeof part === "string");
  await writeFile(join(folder, "call.txt"), [...notes, JSON.stringify(Object.fromEntries(fields))].join("\n"));
  return folder;
}

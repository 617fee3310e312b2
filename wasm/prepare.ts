/**
 * Runs at install: puts the engines in place from their npm packages, into `wasm/generated/` (ignored by git).
 *
 * MuPDF's wrapper binds one instance when its module is loaded and keeps its hooks on `globalThis`. The service needs an
 * instance per request, so this step turns the wrapper into a factory, `createMuPDF(module, options)`. Each edit names the
 * text it expects, and how often: a new MuPDF that reads differently stops the install instead of breaking at run time.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "node_modules/mupdf/dist");
const target = join(root, "wasm/generated");

/** SHA-256 of the wasm that wasm/SOURCES.md names: another binary is not put in place silently. */
const MUPDF_WASM_SHA256 = "5a30ef7b027f541ea8fc54e7c73f16414b0b59940741a12efe5e55f1fd0a99d7";

/** Families of the packages @expo-google-fonts/*, their regular weight; src/engines/fonts.ts names the files. */
const FONTS = {
  NotoSans: "noto-sans",
  IBMPlexSansArabic: "ibm-plex-sans-arabic",
  NotoSansHebrew: "noto-sans-hebrew",
  NotoSansThai: "noto-sans-thai",
  GreatVibes: "great-vibes",
};

function replace(text: string, what: string | RegExp, by: string, times: number): string {
  const parts = text.split(what);
  if (parts.length - 1 !== times) {
    throw new Error(`wasm/prepare.ts: expected ${times} of ${String(what)} in mupdf, found ${parts.length - 1}`);
  }
  return parts.join(by);
}

/** The emscripten glue: hooks from the instance's own object, never Node, MuPDF's errors with a class of their own. */
function glue(text: string): string {
  text = replace(text, "async function(_={}){", "async function(_={}){const $hooks=_.hooks;", 1);
  text = replace(text, "globalThis.$libmupdf_", "$hooks.", 37);
  text = replace(
    text,
    `"object"==typeof process&&"object"==typeof process.versions&&"string"==typeof process.versions.node&&"renderer"!=process.type`,
    "false",
    1,
  );
  text = replace(text, `const{createRequire:_}=await(import("module"));var o=_(import.meta.url)`, "var o", 1);
  return replace(text, "throw new Error(G(_))", "throw new $hooks.Failure(G(_))", 1);
}

/** The wrapper: all of it becomes the body of one function. */
function wrapper(text: string): string {
  const start = `const libmupdf = await libmupdf_wasm(globalThis["$libmupdf_wasm_Module"]);\n`;
  const at = text.indexOf(start);
  if (at < 0) throw new Error("wasm/prepare.ts: mupdf.js does not instantiate as expected");
  let body = text.slice(at + start.length);
  const end = body.indexOf("export default {");
  body = body.slice(0, end) + body.slice(end).replace("export default {", "const mupdf = {");
  body = replace(
    body,
    /^export (?=class|const|function)/m,
    "",
    body.match(/^export (?=class|const|function)/gm)?.length ?? 0,
  );
  body = replace(body, "globalThis.$libmupdf_", "$hooks.", 9);
  // Finalisers would keep the instance alive and delay its release; the service ends an instance as a whole. Where that is
  // too late, for the parts of a split, it collects what is made in between and destroys it.
  body = replace(
    body,
    `			let ctor = this.constructor;
			if (!ctor._finalizer)
				ctor._finalizer = new FinalizationRegistry(ctor._drop);
			ctor._finalizer.register(this, pointer, this);
`,
    "			$made?.add(this);\n",
    1,
  );
  body = replace(body, "			ctor._finalizer.unregister(this);\n", "			$made?.delete(this);\n", 1);
  // A second reference that nobody drops: every object that was looked at would live as long as the instance.
  body = replace(body, "		super(libmupdf._wasm_pdf_keep_obj(pointer));\n", "		super(pointer);\n", 1);
  body = replace(
    body,
    "return new PDFObject(this, libmupdf._wasm_pdf_trailer(this.pointer));",
    "return this._fromPDFObjectKeep(libmupdf._wasm_pdf_trailer(this.pointer));",
    1,
  );
  // `Null` has no document and would throw a TypeError; what is absent has nothing below it, either.
  body = replace(body, "	get(...path) {\n", "	get(...path) {\n		if (this._doc === null)\n			return this;\n", 1);
  body = replace(
    body,
    "	getInheritable(key) {\n",
    "	getInheritable(key) {\n		if (this._doc === null)\n			return this;\n",
    1,
  );
  return `${text.slice(0, text.indexOf('"use strict";'))}
import libmupdf_wasm from "./mupdf-wasm.js";
const node_fs = null;
export async function createMuPDF({ instantiateWasm, Failure }) {
	const $hooks = { Failure };
	let $made = null;
	const libmupdf = await libmupdf_wasm({ instantiateWasm, hooks: $hooks, print: () => {}, printErr: () => {} });
${body}
	/** Runs \`work\`, then destroys all that it made but for what it gives back. */
	function scope(work) {
		const outer = $made;
		const made = ($made = new Set());
		try {
			const result = work();
			made.delete(result);
			return result;
		}
		finally {
			for (const handle of [...made])
				handle.destroy();
			$made = outer;
		}
	}
	/** Puts the wrapper's own state back to what it was when the instance was new. */
	function forget() {
		_wasm_string[0] = _wasm_string[1] = 0;
		$libmupdf_log = null;
		$libmupdf_load_font_file_js = undefined;
		$libmupdf_text_font = null;
		for (const table of [$libmupdf_stm_table, $libmupdf_device_table, $libmupdf_path_table, $libmupdf_text_table])
			table.clear();
	}
	return { mupdf, libmupdf, scope, forget };
}
`;
}

const wasm = readFileSync(join(source, "mupdf-wasm.wasm"));
const sha256 = createHash("sha256").update(wasm).digest("hex");
if (sha256 !== MUPDF_WASM_SHA256)
  throw new Error(`wasm/prepare.ts: mupdf-wasm.wasm has SHA-256 ${sha256}, not the one named`);

mkdirSync(target, { recursive: true });
writeFileSync(join(target, "mupdf.wasm"), wasm);
writeFileSync(join(target, "mupdf-wasm.js"), glue(readFileSync(join(source, "mupdf-wasm.js"), "utf8")));
writeFileSync(join(target, "mupdf.js"), wrapper(readFileSync(join(source, "mupdf.js"), "utf8")));

const fonts = join(target, "assets/fonts");
mkdirSync(fonts, { recursive: true });
for (const [family, name] of Object.entries(FONTS)) {
  const folder = join(root, "node_modules/@expo-google-fonts", name);
  copyFileSync(join(folder, "400Regular", `${family}_400Regular.ttf`), join(fonts, `${family}.ttf`));
}

/**
 * Runs at install: puts the engines in place from their npm packages, into `wasm/generated/` (ignored by git).
 *
 * MuPDF's wrapper binds one instance when its module is loaded and keeps its hooks on `globalThis`. The service needs an instance per request, so
 * this step turns the wrapper into a factory, `createMuPDF(module, options)`. The codecs of jSquash are factories already; this step removes glue
 * code that workerd does not need, and sets the growth of their memory. Each edit names the text it expects, and how often: a new version that
 * reads differently stops the install instead of breaking at run time.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withSmallAppearances } from "./appearances.ts";
import { withFuel } from "./fuel.ts";
import { withInitialMemory } from "./initial-memory.ts";
import { listModels, putModel } from "./models.ts";
import { attempt, replace, requireAllReplaced } from "./replace.ts";
import { tesseractGlue } from "./tesseract-glue.ts";
import { callbackModule } from "./callback.ts";
import { jpegKernel } from "./jpeg-kernel.ts";
import { jpxModule, withReducedJpx } from "./jpx.ts";
import { withLargerStack } from "./stack.ts";
import { tickModule } from "./tick.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const packages = join(root, "node_modules");
const source = join(packages, "mupdf/dist");
const target = join(root, "wasm/generated");

/**
 * The binaries that wasm/SOURCES.md names, with their SHA-256: another one is not put in place silently. Last, the pages of memory that each starts
 * with: data, stack, and a little room.
 */
const BINARIES = [
  ["mupdf/dist/mupdf-wasm.wasm", "mupdf.wasm", "5a30ef7b027f541ea8fc54e7c73f16414b0b59940741a12efe5e55f1fd0a99d7", 135],
  [
    "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm",
    "mozjpeg-encoder.wasm",
    "24d4177f1c4963e2058b107189249651c61fdef125570e79b1dfb63c8bb49326",
    16,
  ],
  [
    "@jsquash/webp/codec/enc/webp_enc_simd.wasm",
    "webp-encoder.wasm",
    "39c279269ec1163b987b6d69749458e3d5b03b9585f58b6ca5455b76b504a305",
    16,
  ],
  [
    "@jsquash/webp/codec/dec/webp_dec.wasm",
    "webp-decoder.wasm",
    "30fb52fa2a80166d25ba7debf902218904ba1f05ccce9f959f722beff9e2f344",
    16,
  ],
  [
    "tesseract.js-core/tesseract-core-relaxedsimd-lstm.wasm",
    "tesseract.wasm",
    "7985c92d4c64e7267d24cadffe1b2a1da6bf8aa55fdcaf953fe94fe122a24545",
    16,
  ],
] as const;

/** What MuPDF's stack gets besides its 64 KiB, so that it holds the levels of elements that MuPDF lays out, 98; some 40 fit into 64 KiB. */
const STACK_BYTES = 448 * 1024;

/** The codecs' glue. */
const CODECS = [
  ["@jsquash/jpeg/codec/enc/mozjpeg_enc.js", "mozjpeg-encoder.js"],
  ["@jsquash/webp/codec/enc/webp_enc_simd.js", "webp-encoder.js"],
  ["@jsquash/webp/codec/dec/webp_dec.js", "webp-decoder.js"],
] as const;

/** Files of the packages @expo-google-fonts/*: the package, and its style if it is not the regular one; src/engines/fonts.ts names the files. */
const FONTS: Readonly<Record<string, string | readonly [string, string]>> = {
  NotoSans: "noto-sans",
  NotoSansBold: ["noto-sans", "700Bold"],
  NotoSansItalic: ["noto-sans", "400Regular_Italic"],
  NotoSansBoldItalic: ["noto-sans", "700Bold_Italic"],
  NotoSerif: "noto-serif",
  NotoSerifBold: ["noto-serif", "700Bold"],
  NotoSerifItalic: ["noto-serif", "400Regular_Italic"],
  NotoSerifBoldItalic: ["noto-serif", "700Bold_Italic"],
  NotoSansMono: "noto-sans-mono",
  NotoSansMonoBold: ["noto-sans-mono", "700Bold"],
  NotoSansSymbols2: "noto-sans-symbols-2",
  NotoEmoji: "noto-emoji",
  IBMPlexSansArabic: "ibm-plex-sans-arabic",
  NotoSansHebrew: "noto-sans-hebrew",
  NotoSansThai: "noto-sans-thai",
  GreatVibes: "great-vibes",
};

/** The emscripten glue: hooks from the instance's own object, never Node, MuPDF's errors with a class of their own. */
function glue(text: string): string {
  text = replace(text, "async function(_={}){", "async function(_={}){const $hooks=_.hooks;", 1);
  text = replace(text, "globalThis.$libmupdf_", "$hooks.", "all");
  // A callback may call into the instance again, which must not be suspended below its frames.
  text = replace(
    text,
    /(return \w+\[\w+\]\(\.\.\.\w+\))\}/,
    "$hooks.gauge.enter();try{$1}finally{$hooks.gauge.leave()}}",
    1,
  );
  // Which of the callbacks reads from a stream.
  const read = /(\d+):\(\w(?:,\w)+\)=>\$hooks\.stm_read\(/.exec(text)?.[1];
  text = replace(text, "const $hooks=_.hooks;", `const $hooks=_.hooks;$hooks.reads.code=${read};`, 1);
  // Little more than is asked for: a fifth taken in advance counts as used, and may be all that a request has left.
  text = replace(text, "var s=a*(1+.2/t);", "var s=a+1048576/t;", 1);
  text = replace(
    text,
    `"object"==typeof process&&"object"==typeof process.versions&&"string"==typeof process.versions.node&&"renderer"!=process.type`,
    "false",
    1,
  );
  // The minifier's names and parentheses differ from version to version.
  text = replace(
    text,
    /const\{createRequire:_\}=await[( ]import\("module"\)\)?;(?=var \w=_\(import\.meta\.url\))/,
    "",
    1,
  );
  text = replace(text, "=_(import.meta.url)", "", 1);
  return replace(text, /throw new Error\((\w+\(\w+\))\)/, "throw new $hooks.Failure($1)", 1);
}

/** The wrapper: all of it becomes the body of one function. */
function wrapper(text: string): string {
  const start = `const libmupdf = await libmupdf_wasm(globalThis["$libmupdf_wasm_Module"]);\n`;
  const at = text.indexOf(start);
  if (at < 0) throw new Error("mupdf.js does not instantiate as expected");
  let body = text.slice(at + start.length);
  const end = body.indexOf("export default {");
  body = body.slice(0, end) + body.slice(end).replace("export default {", "const mupdf = {");
  body = replace(body, /^export (?=class|const|function)/m, "", "all");
  body = replace(body, "globalThis.$libmupdf_", "$hooks.", "all");
  // Our own loops over a document make a handle at each step, which is how they are counted. Finalisers would keep the instance alive and delay its
  // release; the service ends an instance as a whole. If that is too late, as for the parts of a split, it collects the handles made in between and
  // destroys them.
  body = replace(
    body,
    `			let ctor = this.constructor;
			if (!ctor._finalizer)
				ctor._finalizer = new FinalizationRegistry(ctor._drop);
			ctor._finalizer.register(this, pointer, this);
`,
    "			gauge.handle();\n			$made?.add(this);\n",
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
  // The same: an image that was loaded would stay with all its data.
  body = replace(
    body,
    "		return new Image(libmupdf._wasm_pdf_load_image(this.pointer, ref.pointer));\n",
    `		const pointer = libmupdf._wasm_pdf_load_image(this.pointer, ref.pointer);
		const image = new Image(pointer);
		libmupdf._wasm_drop_image(pointer);
		return image;
`,
    1,
  );
  // `Null` has no document and would throw a TypeError. An absent object has no entries, either.
  body = replace(body, "	get(...path) {\n", "	get(...path) {\n		if (this._doc === null)\n			return this;\n", 1);
  body = replace(
    body,
    "	getInheritable(key) {\n",
    "	getInheritable(key) {\n		if (this._doc === null)\n			return this;\n",
    1,
  );
  // May have to wait first.
  body = replace(
    body,
    "		return handle.read(libmupdf.HEAPU8, addr, size, pos);\n",
    "		return $hooks.reads.read(handle, libmupdf.HEAPU8, addr, size, pos);\n",
    1,
  );
  return `${text.slice(0, text.indexOf('"use strict";'))}
import libmupdf_wasm from "./mupdf-wasm.js";
const node_fs = null;
export async function createMuPDF({ gauge, reads, instantiateWasm, Failure, report }) {
	const $hooks = { gauge, reads, Failure };
	let $made = null;
	const libmupdf = await libmupdf_wasm({ instantiateWasm, hooks: $hooks, print: () => {}, printErr: report });
${body}
	/** Runs \`work\`, then destroys all that it made but for what it gives back. */
	function scope(work) {
		const outer = $made;
		const made = ($made = new Set());
		const end = () => {
			for (const handle of [...made])
				handle.destroy();
			$made = outer;
		};
		const keep = (result) => {
			made.delete(result);
			return result;
		};
		let result;
		try {
			result = work();
			if (result instanceof Promise)
				return result.then(keep).finally(end);
			return keep(result);
		}
		finally {
			if (!(result instanceof Promise))
				end();
		}
	}
	/** A handle that has an owner: the scope that it was made in does not destroy it. */
	function own(handle) {
		$made?.delete(handle);
	}
	/** The calls that can take long. */
	const $open = gauge.long(libmupdf._wasm_open_document_with_buffer);
	const $openStream = gauge.long(libmupdf._wasm_open_document_with_stream);
	const $findPage = gauge.long(libmupdf._wasm_pdf_lookup_page_obj);
	const $isDictionary = gauge.long(libmupdf._wasm_pdf_is_dict);
	const $loadPage = gauge.long(libmupdf._wasm_load_page);
	const $graft = gauge.long(libmupdf._wasm_pdf_graft_mapped_object);
	const $loadStream = gauge.long(libmupdf._wasm_pdf_load_raw_stream);
	const $readStream = gauge.long(libmupdf._wasm_pdf_load_stream);
	const $loadImage = gauge.long(libmupdf._wasm_pdf_load_image);
	const $list = gauge.long(libmupdf._wasm_new_display_list_from_page);
	const $contentList = gauge.long(libmupdf._wasm_new_display_list_from_page_contents);
	const $fillImage = gauge.long(libmupdf._wasm_fill_image);
	const $pixmapOf = gauge.long(libmupdf._wasm_get_pixmap_from_image);
	const $asJpeg = gauge.long(libmupdf._wasm_new_buffer_from_pixmap_as_jpeg);
	const $run = gauge.long(libmupdf._wasm_run_display_list);
	const $pageText = gauge.long(libmupdf._wasm_new_stext_page_from_page);
	const $listText = gauge.long(libmupdf._wasm_new_stext_page_from_display_list);
	const $redact = gauge.long(libmupdf._wasm_pdf_redact_page);
	const $updateAnnotation = gauge.long(libmupdf._wasm_pdf_update_annot);
	const $save = gauge.long(libmupdf._wasm_pdf_write_document_buffer);
	const $layOut = gauge.long(libmupdf._wasm_layout_document);
	const $countPages = gauge.long(libmupdf._wasm_count_pages);
	const $runPage = gauge.long(libmupdf._wasm_run_page);
	const $subsetFonts = gauge.long(libmupdf._wasm_pdf_subset_fonts);
	const $closeWriter = gauge.long(libmupdf._wasm_close_document_writer);
	const long = {
		async open(from) {
			const pointer = await (from instanceof Stream ? $openStream : $open)(STRING("application/pdf"), from.pointer);
			const pdf = libmupdf._wasm_pdf_document_from_fz_document(pointer);
			return pdf ? new PDFDocument(pdf) : null;
		},
		async load(object) {
			await $isDictionary(object.pointer);
			return object;
		},
		async findPage(document, index) {
			return document._fromPDFObjectKeep(await $findPage(document.pointer, index));
		},
		async loadPage(document, index) {
			const pointer = await $loadPage(document.pointer, index);
			return new PDFPage(document, libmupdf._wasm_pdf_page_from_fz_page(pointer));
		},
		async graft(map, object) {
			return map._doc._fromPDFObjectNew(await $graft(map.pointer, object.pointer));
		},
		async updateAnnotation(annotation) {
			return Boolean(await $updateAnnotation(annotation.pointer));
		},
		async loadStream(stream) {
			new Buffer(await $loadStream(stream.pointer)).destroy();
		},
		async readStream(stream) {
			return new Buffer(await $readStream(stream.pointer));
		},
		async loadImage(object) {
			const pointer = await $loadImage(object._doc.pointer, object.pointer);
			const image = new Image(pointer);
			libmupdf._wasm_drop_image(pointer);
			return image;
		},
		async displayList(page, { annotations } = { annotations: true }) {
			return new DisplayList(await (annotations ? $list : $contentList)(page.pointer));
		},
		async fillImage(device, image, matrix) {
			await $fillImage(device.pointer, image.pointer, MATRIX(matrix), 1);
		},
		async pixmapOf(image) {
			return new Pixmap(await $pixmapOf(image.pointer));
		},
		async asJpeg(pixmap, quality) {
			return new Buffer(await $asJpeg(pixmap.pointer, quality, false));
		},
		async run(list, device, matrix) {
			await $run(list.pointer, device.pointer, MATRIX(matrix));
		},
		async textOfPage(page, options) {
			return new StructuredText(await $pageText(page.pointer, STRING(options)));
		},
		async textOfList(list, options) {
			return new StructuredText(await $listText(list.pointer, STRING(options)));
		},
		async redact(page, { images, lines, text }) {
			await $redact(page.pointer, 0, images, lines, text);
		},
		async openAs(type, buffer) {
			return new Document(await $open(STRING(type), buffer.pointer));
		},
		async layOut(document, width, height, em) {
			await $layOut(document.pointer, width, height, em);
		},
		async countPages(document) {
			return $countPages(document.pointer);
		},
		async loadAnyPage(document, index) {
			return new Page(await $loadPage(document.pointer, index));
		},
		async runPage(page, device, matrix) {
			await $runPage(page.pointer, device.pointer, MATRIX(matrix));
		},
		async subsetFonts(document) {
			await $subsetFonts(document.pointer);
		},
		async closeWriter(writer) {
			await $closeWriter(writer.pointer);
		},
		async save(document, options) {
			return new Buffer(await $save(document.pointer, STRING(options)));
		},
	};
	/** Puts the wrapper's own state back to what it was when the instance was new. */
	function forget() {
		_wasm_string[0] = _wasm_string[1] = 0;
		$libmupdf_log = null;
		$libmupdf_load_font_file_js = undefined;
		$libmupdf_text_font = null;
		for (const table of [$libmupdf_stm_table, $libmupdf_device_table, $libmupdf_path_table, $libmupdf_text_table])
			table.clear();
	}
	return { mupdf, libmupdf, scope, own, long, forget };
}
`;
}

/** A codec's glue: no other surroundings than workerd, `Module.globals` for the global object, a heap that asks. */
function codec(text: string): string {
  text = replace(text, /const isServiceWorker=[^\n]*?(?=var moduleOverrides=)/, "", 1);
  text = replace(text, /(?<=var ENVIRONMENT_IS_(?:WEB|WORKER)=)typeof \w+=="(?:object|function)"/, "false", 2);
  text = replace(
    text,
    /typeof process=="object"&&typeof process\.versions=="object"&&typeof process\.versions\.node=="string"/,
    "false",
    text.includes("ENVIRONMENT_IS_NODE=") ? 1 : 0,
  );
  text = replace(text, /new URL\("\w+\.wasm",import\.meta\.url\)\.href/, '""', 1);
  text = replace(text, "var _scriptDir = import.meta.url;", 'var _scriptDir = "";', 1);
  text = replace(text, "emval_get_global()[name]", 'Module["globals"][name]', 1);
  // A byte at a time it takes longer than the encoding of a small image. What writes itself there needs no memory elsewhere.
  text = replace(
    text,
    "for(var i=0;i<length;++i){HEAPU8[ptr+i]=value[i]}",
    "if(value.writeTo)value.writeTo(HEAPU8.subarray(ptr,ptr+length));else HEAPU8.set(value,ptr)",
    1,
  );
  text = replace(text, "value instanceof Uint8Array||", "value instanceof Uint8Array||value.writeTo||", 1);
  // Room that is filled before the call, by what may take its time.
  text = replace(
    text,
    /(?=(?:function|var) __embind_register_std_string\b)/,
    'Module["reserve"]=function(length){var base=_malloc(4+length+1);HEAPU32[base>>2]=length;return{base:base,length:length,set:function(bytes,at){HEAPU8.set(bytes,base+4+at)}}};',
    1,
  );
  text = replace(
    text,
    "if(value instanceof ArrayBuffer)",
    "if(value.base){if(destructors!==null)destructors.push(_free,value.base);return value.base}if(value instanceof ArrayBuffer)",
    1,
  );
  // Not more than requested: memory taken in advance is unavailable to other requests.
  text = replace(text, "oldSize*(1+.2/cutDown)", "oldSize", 1);
  // The codecs do not look whether malloc found memory, and would write to address 0.
  const denied = 'throw new RangeError("heap limit")';
  text = replace(text, "if(requestedSize>maxHeapSize){return false}", `if(requestedSize>maxHeapSize){${denied}}`, 1);
  // The codec's own function is asynchronous; the use of its result waits for it.
  text = replace(text, "var rv=cppInvokerFunc", 'var rv=Module["gauge"].long(cppInvokerFunc)', 1);
  text = replace(text, /(?<=return )onDone\(rv\)(?=\})/, "rv.then(onDone)", 1);
  return replace(text, "if(replacement){return true}}return false}", `if(replacement){return true}}${denied}}`, 1);
}

mkdirSync(target, { recursive: true });
for (const [from, to, expected, pages] of BINARIES) {
  const wasm = readFileSync(join(packages, from));
  const sha256 = createHash("sha256").update(wasm).digest("hex");
  if (sha256 !== expected) throw new Error(`wasm/prepare.ts: ${from} has SHA-256 ${sha256}, not the one named`);
  const edited = attempt(to, () => {
    const own = to === "mupdf.wasm" ? withSmallAppearances(withReducedJpx(withLargerStack(wasm, STACK_BYTES))) : wasm;
    return withInitialMemory(withFuel(own).bytes, pages);
  });
  if (edited) writeFileSync(join(target, to), edited);
}
writeFileSync(join(target, "tick.wasm"), tickModule());
writeFileSync(join(target, "callback.wasm"), callbackModule());
writeFileSync(join(target, "jpeg-kernel.wasm"), jpegKernel());
writeFileSync(join(target, "jpx.wasm"), jpxModule());
writeFileSync(join(target, "mupdf-wasm.js"), glue(readFileSync(join(source, "mupdf-wasm.js"), "utf8")));
const wrapped = attempt("mupdf.js", () => wrapper(readFileSync(join(source, "mupdf.js"), "utf8")));
if (wrapped !== undefined) writeFileSync(join(target, "mupdf.js"), wrapped);
for (const [from, to] of CODECS) writeFileSync(join(target, to), codec(readFileSync(join(packages, from), "utf8")));

const fonts = join(target, "assets/fonts");
mkdirSync(fonts, { recursive: true });
for (const [file, of] of Object.entries(FONTS)) {
  const [name, style] = typeof of === "string" ? [of, "400Regular"] : of;
  const folder = join(root, "node_modules/@expo-google-fonts", name, style);
  const family = file.replace(/(Bold)?(Italic)?$/, "");
  copyFileSync(join(folder, `${family}_${style}.ttf`), join(fonts, `${file}.ttf`));
}

const tesseract = join(packages, "tesseract.js-core/tesseract-core-relaxedsimd-lstm.js");
writeFileSync(join(target, "tesseract.js"), tesseractGlue(readFileSync(tesseract, "utf8")));
requireAllReplaced();
// Models that somebody added stay where they are.
const models = join(packages, "@tesseract.js-data");
for (const code of readdirSync(models)) {
  putModel(target, code, readFileSync(join(models, code, "4.0.0_best_int", `${code}.traineddata.gz`)));
}
listModels(target);

import { replace } from "./replace.ts";

/** Tesseract's emscripten glue as a module: no other surroundings than workerd's, a heap that asks before it grows. */
export function tesseractGlue(text: string): string {
  text = replace(text, 'typeof document!="undefined"?document.currentScript?.src:undefined', "undefined", 1);
  text = replace(text, '"object"==typeof window,', "false,", 1);
  text = replace(text, '"undefined"!=typeof WorkerGlobalScope', "false", 1);
  text = replace(text, '"object"==typeof process&&process.versions?.node&&"renderer"!=process.type', "false", 1);
  // Bundlers look into these, although they are never reached.
  text = replace(text, 'require("fs")', "undefined", 1);
  text = replace(text, 'require("crypto")', "undefined", 1);
  text = replace(text, "l=new Uint8Array(a);", "e.HEAPU8=l=new Uint8Array(a);", 1);
  // The files are models that nobody else has: without this they would be copied.
  text = replace(text, "b.byteLength,void 0,c.Gh)", "b.byteLength,void 0,!0)", 1);
  // Not more than requested: memory taken in advance is unavailable to other requests.
  text = replace(text, "var d=b*(1+.2/c);", "var d=b;", 1);
  // Calls that may throw go by way of JavaScript.
  text = replace(text, "=Lh();try{", "=Lh();e.gauge.enter();try{", 11);
  text = replace(text, "Jh(1,0)}", "Jh(1,0)}finally{e.gauge.leave()}", 11);
  // Its messages do not belong in the log.
  text = replace(text, "console.log.bind(console)", "()=>{}", 1);
  text = replace(text, "console.error.bind(console)", "()=>{}", 1);
  // What takes its time.
  text = replace(text, "TessBaseAPI_Init_3=pf=c.bd", "TessBaseAPI_Init_3=pf=e.gauge.long(c.bd)", 1);
  text = replace(text, "TessBaseAPI_AnalyseLayout_0=Rf=c.Dd", "TessBaseAPI_AnalyseLayout_0=Rf=e.gauge.long(c.Dd)", 1);
  text = replace(text, "void 0===a?E(Rf(b),M):", "void 0===a?Rf(b).then(function(p){return E(p,M)}):", 1);
  text = replace(text, "TessBaseAPI_Recognize_1=Tf=c.Fd", "TessBaseAPI_Recognize_1=Tf=e.gauge.long(c.Fd)", 1);
  // Tesseract does not look whether malloc found memory, and would write to address 0.
  const denied = 'throw new RangeError("heap limit")';
  text = replace(text, "catch(h){}f=void 0}if(f)return!0}return!1}", `catch(h){}f=void 0}if(f)return!0}${denied}}`, 1);
  text = replace(text, "if(2147483648<a)return!1;", `if(2147483648<a)${denied};`, 1);
  const start = text.indexOf('if(typeof exports==="object"&&typeof module==="object")');
  if (start < 0) throw new Error("wasm/prepare.ts: tesseract-core does not export as expected");
  return `${text.slice(0, start)}export default TesseractCore;\n`;
}

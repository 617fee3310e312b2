import { BinaryReader, concatenated, section, SECTION } from "./wasm-binary.ts";
import { editFunctions, functionNames } from "./edit-functions.ts";

/** Bytes that MuPDF takes for an appearance before it writes it. */
const [TAKEN, ENOUGH] = [1024, 64];

/**
 * MuPDF's binary with a smaller buffer for each appearance. MuPDF makes the appearances that annotations lack when it loads their page, and keeps each in
 * the buffer that it wrote it to. Most are shorter than 200 bytes, and a buffer grows if it is too small.
 * @throws Error if the binary does not read as expected
 */
export function withSmallAppearances(binary: Uint8Array): Uint8Array {
  const reader = new BinaryReader(binary);
  reader.header();
  const sections: { id: number; content: Uint8Array }[] = [];
  while (!reader.done) sections.push(reader.section());
  const imports = sections.find(({ id }) => id === SECTION.import)?.content ?? new Uint8Array();
  const known = { names: functionNames(binary), imported: new BinaryReader(imports).imports().functions };
  const edit = {
    in: "pdf_update_appearance",
    given: [
      ["i32.const", TAKEN],
      ["call", "fz_new_buffer"],
    ],
    find: [["i32.const", TAKEN]],
    replaceBy: [["i32.const", ENOUGH]],
  } as const;
  const parts = sections.map(({ id, content }) =>
    section(id, id === SECTION.code ? editFunctions(content, known, [edit]) : content),
  );
  return concatenated([binary.subarray(0, 8), ...parts]);
}

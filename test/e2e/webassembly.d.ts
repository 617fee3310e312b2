/** What the engines need of WebAssembly, which Node's types leave out. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  const Module: new (bytes: Uint8Array) => Module;
  class Instance {
    readonly exports: Record<string, unknown>;
    constructor(module: Module, imports: object);
  }
}

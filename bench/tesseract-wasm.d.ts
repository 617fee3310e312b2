/** Its own declarations are out of reach: `exports` of its package.json does not name them. */
declare module "tesseract-wasm" {
  export function createOCREngine(options: { wasmBinary: Uint8Array }): Promise<{
    loadModel(model: Uint8Array): void;
    /** RGBA. */
    loadImage(image: { data: Uint8ClampedArray; width: number; height: number }): void;
    getText(): string;
    destroy(): void;
  }>;
}

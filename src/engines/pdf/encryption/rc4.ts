/** RC4, which platforms no longer provide. Content is encrypted with it only in a document that is encrypted with it. */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 0xff] ?? 0;
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [at(b), at(a)];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 0xff;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Uint8Array.from(data, (byte) => {
    i = (i + 1) & 0xff;
    j = (j + at(i)) & 0xff;
    swap(i, j);
    return byte ^ at(at(i) + at(j));
  });
}

/** Encodes bytes as base64 (RFC 4648, section 4). For short input only. */
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Throws on invalid base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));

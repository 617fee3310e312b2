/**
 * The Content Security Policy: load from this origin only. pdf.js decodes JPEG 2000 and JBIG2 in wasm, and shows images it
 * created (blob:). Workers follow the policy of their own response, so files carry it too.
 */
const policy = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self'",
  "img-src": "'self' blob: data:",
  "font-src": "'self'",
  "worker-src": "'self'",
  "connect-src": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

export const siteHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};

import { timingSafeEqual } from "node:crypto";

declare module "node:crypto" {
  namespace webcrypto {
    interface SubtleCrypto {
      timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
    }
  }
}

// What workerd's WebCrypto has and Node's lacks; the service's own code runs in both.
Object.assign(crypto.subtle, { timingSafeEqual });

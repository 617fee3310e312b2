/** The types of WebCrypto that the engines name, which Node has in a module only. */
type Crypto = import("node:crypto").webcrypto.Crypto;
type CryptoKey = import("node:crypto").webcrypto.CryptoKey;
type SubtleCrypto = import("node:crypto").webcrypto.SubtleCrypto;

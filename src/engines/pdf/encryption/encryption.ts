/** Encrypts documents with keys from the platform's cryptographic random generator, and verifies the result. */
import type { PDFDocument, PDFObject } from "mupdf";
import type { FileEncryption, PlatformCrypto, Protection } from "./parameters.ts";
import { Cipher } from "./object-cipher.ts";
import { prepareR4 } from "./revision4.ts";
import { hasPermissions, prepareR6 } from "./revision6.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import { keyByRevision6, type Role, ROLES, stringEntry } from "./passwords.ts";
import { revision5View } from "./revision5-view.ts";
import { cipherUnavailable } from "../../result-errors.ts";

/** Version and revision of the encryption dictionary, and the method of its crypt filter, by cipher. */
const METHODS = {
  "aes-128": { V: 4, R: 4, CFM: "AESV2" },
  "aes-256": { V: 5, R: 6, CFM: "AESV3" },
} as const;

export class PdfEncryption {
  readonly #crypto: PlatformCrypto;

  constructor(crypto: PlatformCrypto) {
    this.#crypto = crypto;
  }

  /** 192 random bits as 32 ASCII characters: the owner password when the client gives none. */
  randomPassword(): string {
    const bytes = this.#crypto.getRandomValues(new Uint8Array(24));
    return btoa(latin1(bytes));
  }

  /**
   * Derives the key and the encryption dictionary, independently of any document.
   * @throws Refusal `encryption_unavailable` if the platform lacks the cipher
   */
  async prepare(protection: Protection): Promise<FileEncryption> {
    try {
      return await (protection.method === "aes-256" ? prepareR6 : prepareR4)(this.#crypto, protection);
    } catch (cause) {
      throw cipherUnavailable(protection.method, cause);
    }
  }

  /** What encrypts a file that is written with this encryption. */
  cipher({ key }: FileEncryption): Cipher {
    return new Cipher(this.#crypto, key);
  }

  /**
   * Opens the final bytes and throws an Error unless they are protected as requested. Cipher and permissions must match, nothing
   * may be readable without the user password (if there is one), and each password must open the file as user or as owner. A
   * password of revision 6, and none, is tried on the dictionary in these bytes as the standard requires (passwords.ts), and MuPDF reads with
   * the key that it yields.
   */
  async verify(engine: PdfEngine, bytes: EngineBytes, protection: Protection, pageCount: number): Promise<void> {
    const { method, userPassword, ownerPassword, permissions } = protection;
    using stack = new DisposableStack();
    const { V, R, CFM } = METHODS[method];
    const view = R === 6 ? revision5View(bytes) : undefined;
    expect("the revision of the cipher", R !== 6 || view !== undefined);
    const source = engine.streamOf(view ?? bytes);
    const document = await engine.long.open(source);
    source.destroy();
    if (!document) throw new Error("the encrypted file is no PDF");
    stack.adopt(document, (open) => open.destroy());

    const dictionary = document.getTrailer().get("Encrypt");
    expect("an encryption dictionary", dictionary.isDictionary());
    expect("the version of the cipher", dictionary.get("V").asNumber() === V);
    expect("the revision of the cipher", dictionary.get("R").asNumber() === (view ? 5 : R));
    for (const use of ["StmF", "StrF"]) {
      expect(`${CFM} as ${use}`, dictionary.get("CF", dictionary.get(use).asName(), "CFM").asName() === CFM);
    }
    expect("the permissions", dictionary.get("P").asNumber() === permissions);

    // One password for both is that of both.
    const both = ROLES.user | ROLES.owner;
    const roles = userPassword === ownerPassword ? { user: both, owner: both } : ROLES;
    const sample = encryptedStream(document);
    const without = rawBytes(sample);
    const opens = async (role: Role, password: string): Promise<boolean> => {
      if (R !== 6) return document.authenticatePassword(password) === roles[role];
      const key = await keyByRevision6(dictionary, role, password);
      if (key === undefined) return false;
      const perms = stringEntry(dictionary, "Perms");
      expect("the permissions sealed", await hasPermissions(this.#crypto.subtle, key, perms, permissions));
      engine.setFileKey(document, key);
      return true;
    };
    const read = async (role: Role, password: string): Promise<string> => {
      // MuPDF has tried the empty password, unless the revision is 6.
      if (password === "" && R !== 6) return without;
      expect(`the ${role} password`, await opens(role, password));
      // They may be in object streams with large objects.
      const root = await engine.long.load(document.getTrailer().get("Root"));
      await engine.long.load(root.get("Pages"));
      expect(`its pages for the ${role}`, document.countPages() === pageCount && !document.wasRepaired());
      return rawBytes(sample);
    };
    const asUser = await read("user", userPassword);
    const asOwner = await read("owner", ownerPassword);
    expect("one content for both", asUser === asOwner);
    expect("a lock", userPassword === "" || without !== asUser);
    for (const role of R === 6 && userPassword !== "" ? (["user", "owner"] as const) : [])
      expect("a lock", (await keyByRevision6(dictionary, role, "")) === undefined);
  }
}

function expect(what: string, condition: boolean): void {
  if (!condition) throw new Error(`the encrypted file does not have ${what}`);
}

/** An encrypted stream: the last one before the cross-references, which is small if the file has object streams. */
function encryptedStream(document: PDFDocument): PDFObject {
  for (let number = document.countObjects() - 1; number > 0; number--) {
    const object = document.newIndirect(number);
    if (!object.isStream()) continue;
    const type = object.get("Type");
    if (!type.isName() || type.asName() !== "XRef") return object;
  }
  throw new Error("the encrypted file does not have a stream");
}

/** The bytes of a stream, decrypted with the last password tried, one character each. Garbage for a wrong password. */
function rawBytes(stream: PDFObject): string {
  const buffer = stream.readRawStream();
  const bytes = latin1(buffer.asUint8Array());
  buffer.destroy();
  return bytes;
}

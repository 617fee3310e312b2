import { expect, it } from "vitest";
import {
  conformanceVerdict,
  documentVerdict,
  integrityOf,
  nameOf,
  type Signature,
  signedBy,
  trustOf,
} from "../../src/site/browser/playground/reports/words.ts";

const signature: Signature = {
  field: "Signature1",
  kind: "signature",
  integrity: "intact",
  changesAfter: "none",
  changes: [],
  signer: { subject: "O=Example Ltd,CN=Ada\\, Countess of Lovelace,C=GB", issuer: "CN=Root" },
  chain: "untrusted",
  signedAt: null,
  timeSource: "none",
};

it("the signer is named by the common name of the certificate", () => {
  expect(signedBy(signature)).toBe("Signed by Ada, Countess of Lovelace, at an unknown time");
  expect(signedBy({ ...signature, kind: "document-timestamp", signer: null })).toBe(
    "Time stamp by an unknown signer, at an unknown time",
  );
  expect(signedBy({ ...signature, signedAt: "2026-11-28T10:00:00Z", timeSource: "signer" })).toMatch(
    /on Nov 28, 2026.*, by the signer's own clock$/,
  );
  expect(nameOf("O=No common name,C=DE")).toBe("O=No common name,C=DE");
});

it("an intact signature with forbidden changes is no good one", () => {
  const tones = (changesAfter: Signature["changesAfter"], integrity: Signature["integrity"] = "intact"): string =>
    integrityOf({ ...signature, changesAfter, integrity }).tone;
  expect([tones("none"), tones("allowed"), tones("forbidden")]).toEqual(["good", "good", "bad"]);
  expect([tones("none", "broken"), tones("none", "unsupported")]).toEqual(["bad", "unsure"]);
  expect(integrityOf({ ...signature, integrity: "broken", reason: "The digest differs." }).text).toBe(
    "The signature is not valid. The digest differs.",
  );
});

it("only a trusted chain proves who signed", () => {
  const chains = ["trusted", "untrusted", "expired", "revoked", "unknown"] as const;
  expect(chains.map((chain) => trustOf({ ...signature, chain }).tone)).toEqual([
    "good",
    "unsure",
    "bad",
    "bad",
    "unsure",
  ]);
});

it("a document without signatures is not called intact", () => {
  expect(documentVerdict({ signatures: [], documentIntact: false })).toEqual({
    tone: "unsure",
    text: "The document has no digital signatures.",
  });
  expect(documentVerdict({ signatures: [signature], documentIntact: true }).tone).toBe("good");
  expect(documentVerdict({ signatures: [signature], documentIntact: false }).tone).toBe("bad");
});

it("rules that were not checked are no conformance", () => {
  const report = { profile: "2b", conforms: false, claimed: null, coverage: { rules: 100, of: 144 }, failures: [] };
  expect(conformanceVerdict(report)).toEqual({
    tone: "unsure",
    text: "No rule of PDF/A-2b is broken, but only 100 of 144 could be checked. It does not claim PDF/A.",
  });
  expect(conformanceVerdict({ ...report, conforms: true, claimed: "2b" })).toEqual({
    tone: "good",
    text: "The document conforms to PDF/A-2b. It claims to.",
  });
  const first = { object: 1, page: null, context: null };
  const failures = [{ clause: "6.6.2.1", test: 1, message: "The catalog has no metadata stream.", count: 1, first }];
  expect(conformanceVerdict({ ...report, claimed: "3b", failures })).toEqual({
    tone: "bad",
    text: "The document does not conform to PDF/A-2b: it breaks a rule. It claims PDF/A-3b.",
  });
});

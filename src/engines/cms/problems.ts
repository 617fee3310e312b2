/**
 * The problems of certificates, signatures, and the services around them, one function for each situation. The messages are ends of sentences about
 * the file, the signature, the response, or the service.
 */
import { count } from "../errors.ts";
import { limits, MiB } from "../../limits.ts";
import { Revoked, Unsupported, Unusable } from "./refusal.ts";

// Parsing

export const unreadable = (cause?: unknown): Unusable => new Unusable("cannot be read", { cause });

export const asn1TooDeep = (): Unusable =>
  new Unusable(`has ASN.1 with more than ${limits.certificates.asn1Levels} levels`);

export const asn1TooLong = (bytes: number): Unusable =>
  new Unusable(`has ASN.1 with a value of more than ${count(bytes)} bytes`);

export const asn1HasTooManyValues = (values: number): Unusable =>
  new Unusable(`has ASN.1 with more than ${count(values)} values`);

export const larger = (bytes: number): Unusable => new Unusable(`is larger than ${bytes / MiB} MiB`);

// Certificates and keys

export const notInDer = (): Unusable => new Unusable("has a certificate that is not in DER");

export const noCertificate = (): Unusable => new Unusable("has no certificate (-----BEGIN CERTIFICATE-----)");

export const tooManyCertificates = (): Unusable =>
  new Unusable(`has more than ${limits.certificates.most} certificates`);

export const protectedWithPublicKey = (): Unusable =>
  new Unusable("is protected with a public key, not with a password");

export const passwordDoesNotOpen = (cause: unknown): Unusable =>
  new Unusable("cannot be opened with this password", { cause });

export const tooManyIterations = (iterations: number): Unusable =>
  new Unusable(
    `derives its key with ${iterations} iterations, and at most ${count(limits.certificates.iterations)} are supported`,
  );

export const saltTooLong = (bytes: number): Unusable =>
  new Unusable(
    `derives its key with a salt of ${bytes} bytes, and at most ${count(limits.certificates.saltBytes)} are supported`,
  );

export const unknownScheme = (scheme: string): Unusable =>
  new Unusable(
    `is encrypted with a scheme that is not supported (${scheme}). Export it again, for example with \`openssl pkcs12 -export\``,
  );

/** Lengths in bytes. */
export const macHasOtherLength = (length: number, ofDigest: number): Unusable =>
  new Unusable(`has a MAC of ${length} bytes, and its digest has ${ofDigest}`);

// Algorithms

export const digestTooWeak = (digest: string): Unsupported =>
  new Unsupported(`uses the digest ${digest}, which can be forged`);

/** `what`: with an article. `type`: its object identifier. */
export const algorithmUnknown = (what: string, type: string): Unsupported =>
  new Unsupported(`uses ${what} that is not supported (${type})`);

export const rsaKeyTooShort = (bits: number): Unsupported =>
  new Unsupported(`uses an RSA key of ${bits} bits, which can be broken`);

export const twoDigests = (): Unusable => new Unusable("names two different digests");

export const twoAlgorithms = (): Unusable => new Unusable("names two different algorithms");

// Chains

export const noPathToRoot = (issuer: string): Unusable =>
  new Unusable(`does not lead to a root: the certificate of ${issuer} is missing`);

/** `day`: as in ISO 8601. */
export const leadsThroughRevoked = (name: string, day: string): Revoked =>
  new Revoked(`leads through ${name}, which was revoked on ${day}`);

/** `problem`: a clause. */
export const leadsThroughUnknown = (name: string, problem: string): Unusable =>
  new Unusable(`leads through ${name}, and ${problem}`);

export const leadsThroughUnchecked = (name: string): Unusable =>
  new Unusable(`leads through ${name}, which does not name where its issuer says whether it was revoked`);

export const constraintUnsupported = (): Unusable => new Unusable("limits names in a way that is not supported");

export const constrainedKindUnsupported = (): Unusable => new Unusable("limits names of a kind that is not supported");

export const nameUnreadable = (): Unusable => new Unusable("has a name that cannot be read");

export const uriWithoutHost = (): Unusable => new Unusable("has a URI without a host, which its issuer limits");

// Revocation

export const responseStatus = (status: string | number): Unusable => new Unusable(`has the status ${status}`);

export const responseTypeUnsupported = (): Unusable => new Unusable("has a type that is not supported");

export const certificateUnknownToIssuer = (): Unusable => new Unusable("says that its issuer does not know it");

export const aboutAnother = (): Unusable => new Unusable("is not about it, or not from its issuer");

export const outOfDate = (): Unusable => new Unusable("is out of date");

export const criticalExtension = (type: string): Unusable =>
  new Unusable(`has a critical extension that is not supported (${type})`);

export const listForSome = (): Unusable => new Unusable("is a list for some reasons or for other issuers");

// Services

export const notAsked = (): Unusable => new Unusable("cannot be asked");

export const urlNotPublic = (): Unusable => new Unusable("is at a URL that is not public");

export const hostNotAllowed = (): Unusable => new Unusable("is at a host that the operator does not allow");

export const respondedWithStatus = (status: number): Unusable => new Unusable(`responded with status ${status}`);

export const didNotRespond = (milliseconds: number, cause: unknown): Unusable =>
  new Unusable(`did not respond within ${milliseconds / 1000} seconds`, { cause });

export const notReached = (cause: unknown): Unusable => new Unusable("could not be reached", { cause });

export const sentTooMuch = (bytes: number): Unusable => new Unusable(`sent more than ${bytes / 1024} KiB`);

// Signatures

export const notSignedData = (): Unusable => new Unusable("is no signed data");

export const notOneSigner = (): Unusable => new Unusable("does not have exactly one signer");

export const versionUnknown = (): Unusable => new Unusable("has a version that does not exist");

export const otherDigests = (): Unusable => new Unusable("names other digests than that of its signer");

export const noSignedAttributes = (): Unsupported => new Unsupported("has no signed attributes");

export const noSignersCertificate = (): Unusable => new Unusable("does not have the certificate of its signer");

export const attributeTwice = (name: string): Unusable => new Unusable(`has an attribute twice (${name})`);

export const contentOfOtherType = (): Unusable => new Unusable("is for content of another type");

/** `which`: the bytes. */
export const digestDiffers = (which: "signed" | "stamped"): Unusable =>
  new Unusable(`does not fit: the digest of the ${which} bytes differs`);

export const madeWithOtherCertificate = (): Unusable =>
  new Unusable("was made with another certificate than the one that it has");

export const signersCertificateNotNamed = (): Unusable => new Unusable("does not name the certificate of its signer");

export const madeWithOtherKey = (): Unusable => new Unusable("was not made with the key of its certificate");

export const contentInPlaceOfFile = (): Unusable =>
  new Unusable("has content of its own, in place of the bytes of the file");

export const ownContent = (): Unusable => new Unusable("has content of its own");

export const otherDigestThanParameter = (): Unusable => new Unusable("has another digest than `digest`");

/** `format`: the SubFilter; empty if there is none. */
export const signatureFormatUnsupported = (format: string): Unsupported =>
  new Unsupported(`has a format that is not supported (${format || "none"})`);

export const byteRangeOfOtherFile = (): Unusable => new Unusable("has a `ByteRange` that is not one of this file");

export const byteRangeLeavesMoreOut = (): Unusable =>
  new Unusable("leaves more than its own value out of its `ByteRange`");

export const byteRangeLeavesOtherOut = (): Unusable =>
  new Unusable("leaves out of its `ByteRange` what is not its own value");

export const byteRangeTwice = (): Unusable => new Unusable("has its `ByteRange` twice");

// Time stamps

export const noTimeStamp = (): Unusable => new Unusable("has no time stamp");

export const noStampedContent = (): Unusable => new Unusable("has no content");

export const certificateNotForStamps = (): Unusable => new Unusable("has a certificate that is not for time stamps");

export const stampTimeInvalid = (): Unusable =>
  new Unusable("has a time at which its certificate is not valid, or that is in the future");

export const stampForOther = (): Unusable => new Unusable("is for another signature");

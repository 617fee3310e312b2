/** The mutations of `mutants.ts`: each breaks one promise in one place, and names the fast tests that hold it. */
export interface Mutant {
  /** The operation or the part of the service, and its defect. */
  readonly name: string;
  readonly file: string;
  /** Text that the file has exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Files of `npm test`; one of them must fail. */
  readonly tests: readonly string[];
}

/** Mutants of one file that the same tests should kill: name, text, and what replaces it. */
const of = (
  file: string,
  tests: readonly string[],
  ...changes: readonly (readonly [name: string, find: string, replace: string])[]
): Mutant[] => changes.map(([name, find, replace]) => ({ name, file: `src/${file}`, find, replace, tests }));

const e2e = (...names: string[]): string[] => names.map((name) => `test/e2e/${name}.test.ts`);
const operation = (name: string): string[] => [`test/operations/${name}.test.ts`];

export const mutants: readonly Mutant[] = [
  ...of(
    "operations/rotate.ts",
    e2e("rotate"),
    ["rotate: does nothing", 'object.put("Rotate", (((multiple + turn) % 360) + 360) % 360);', ""],
    ["rotate: counterclockwise", "multiple + turn", "multiple - turn"],
    ["rotate: forgets the rotation before", "multiple + turn", "turn"],
  ),
  ...of(
    "operations/merge.ts",
    e2e("merge"),
    ["merge: wrong order", ": sources.flatMap((source) => pagesOf(source))", ": sources.toReversed().flatMap(pagesOf)"],
    ["merge: does not interleave", "interleave ? inTurn(sources)", "!pdf ? inTurn(sources)"],
    ["merge: loses outlines", 'bookmarks === "none" ?', 'bookmarks !== "per-file" ?'],
    ["merge: loses attachments", "attachments: true,", "attachments: false,"],
  ),
  ...of(
    "operations/split.ts",
    e2e("split"),
    [
      "split: shifted ranges",
      'range.resolveSet("ranges", pageCount))',
      'range.resolveSet("ranges", pageCount).map((page) => (page + 1) % pageCount))',
    ],
    ["split: shifted chunks", "=> index * size + page)", "=> Math.max(0, index * size + page - 1))"],
    ["split: loses pages before the first bookmark", "const from = index === 0 ? 0 : start;", "const from = start;"],
  ),
  ...of(
    "operations/extract-pages.ts",
    e2e("extract-pages"),
    ["extract-pages: sorts the pages", 'range.resolve("range"', 'range.resolveSet("range"'],
    ["extract-pages: keeps attachments", "attachments: false", "attachments: true"],
  ),
  ...of(
    "engines/pdf/signatures/byte-range.ts",
    e2e("verify-signatures"),
    ["verify-signatures: a gap with anything in it", "if (!isString) throw", "if (gap.length === 0) throw"],
    ["verify-signatures: a range that starts later", "return start === 0 && length > 0", "return length > 0"],
    ["verify-signatures: two ranges", "!== 1) throw byteRangeTwice()", "> 9) throw byteRangeTwice()"],
  ),
  ...of(
    "engines/pdf/signatures/comparison.ts",
    e2e("verify-signatures"),
    ["verify-signatures: any changed object", "return this.#judged.has(number) ||", "return known.has(number) ||"],
    ["verify-signatures: objects that nothing uses", "return this.#isCrossReference(number);", "return true;"],
    ["verify-signatures: deleted objects", "if (removed.has(number)) this.#forbid", "if (number < 0) this.#forbid"],
    [
      "verify-signatures: appearances that are used elsewhere",
      "else if (this.#isUsedBeside(objectNumber(one.object), holder))",
      "else if (holder < 0)",
    ],
    [
      "verify-signatures: appearances of states",
      'if (isFilled && !object.get("AS").isNull()) this.#followStates(one);',
      "if (holder < 0) this.#followStates(one);",
    ],
    ["verify-signatures: names of new fields", "if (names.has(partial) || partial", "if (partial"],
    ["verify-signatures: security stores", "if (problem === undefined) this.#add", "if (problem !== null) this.#add"],
    ["verify-signatures: objects that are shared", "reached?.has(number) !== true);", "number > 0);"],
    [
      "verify-signatures: appearances without values",
      "else if (!isSame) this.#forbid(holder, `The appearance",
      "else if (!isSame && holder < 0) this.#forbid(holder, `The appearance",
    ],
    [
      "verify-signatures: another catalog",
      "objectNumber(one) === 0 || objectNumber(one) !== objectNumber(other)",
      "objectNumber(one) === 0",
    ],
  ),
  ...of(
    "engines/pdf/signatures/comparison.ts",
    e2e("dangling-references"),
    [
      "verify-signatures: objects that were missing",
      "if (!known.has(number) && [...uses].every((one) => one === TRAILER_REST))",
      "if (!known.has(number))",
    ],
    ["verify-signatures: documents of LibreOffice", "uses.size === 0 || !this.#isFile(number)", "true"],
    [
      "verify-signatures: fields that are not in the form",
      "this.#forbid(number, `A field of page ${page} that is not in the form was changed.`, page);",
      "",
    ],
  ),
  ...of("engines/pdf/objects/damage.ts", e2e("dangling-references"), [
    "numbers that are referred to",
    "if (number > this.#number && number <= this.#most)",
    "if (number < 0)",
  ]),
  ...of(
    "engines/pdf/signatures/invalidation.ts",
    e2e("signature-invalidated"),
    ["X-Signature-Invalidated: of any change", "changes.every(({ allowed }) => allowed)", "changes.length === 0"],
    ["X-Signature-Invalidated: of no change", "changes.every(({ allowed }) => allowed)", "changes.length >= 0"],
    [
      "X-Signature-Invalidated: of signatures that are broken",
      "if (await isIntact(open, one)) return true;",
      "return true;",
    ],
  ),
  ...of(
    "engines/pdf/signatures/section.ts",
    e2e("verify-signatures"),
    [
      "verify-signatures: keys that are there twice",
      "if (duplicateKey !== undefined) throw",
      'if (duplicateKey === "") throw',
    ],
    ["verify-signatures: rows that are there twice", "if ((byte & bit) !== 0) throw", "if (number < 0) throw"],
    ["verify-signatures: lengths of streams", "if (!isEnd) throw new Broken", "if (to < 0) throw new Broken"],
  ),
  ...of("engines/pdf/signatures/update-structure.ts", e2e("verify-signatures"), [
    "verify-signatures: bytes between objects",
    "if (skipGap(this.#bytes(), at, this.#meter) !== from) throw",
    "if (skipGap(this.#bytes(), at, this.#meter) > from) throw",
  ]),
  ...of(
    "engines/cms/signed-data.ts",
    e2e("verify-signatures"),
    [
      "verify-signatures: the digest",
      "if (!isSame(octets(signed.values.get(MESSAGE_DIGEST)), digest))",
      "if (digest.length === 0)",
    ],
    [
      "verify-signatures: the certificate's name",
      "if (names === undefined && needsCertificate)",
      "if (names === undefined && !needsCertificate && digest.length === 0)",
    ],
  ),
  ...of(
    "engines/cms/chain.ts",
    e2e("verify-signatures"),
    ["verify-signatures: anybody issues certificates", "!isAuthority || pathLength", "pathLength"],
    ["verify-signatures: expired certificates", "if (until < at)", "if (until < from)"],
  ),
  ...of(
    "engines/cms/revocation.ts",
    operation("revocation"),
    ["revocation: old responses", "until >= at.getTime()", "until > 0"],
    ["revocation: later revocations", "revokedAt !== undefined && revokedAt <= at", "revokedAt !== undefined"],
    ["revocation: of tomorrow", "thisUpdate.getTime() <= Date.now() + CLOCK_SKEW", "thisUpdate.getTime() > 0"],
  ),
  ...of(
    "engines/cms/ocsp.ts",
    operation("revocation"),
    ["revocation: responses of another issuer", "isAuthorized && (await isSignedBy(one, signed))", "isAuthorized"],
    ["revocation: delegates without the purpose", "purposesOf(one)?.includes(OCSP_SIGNING) === true &&", ""],
    [
      "revocation: delegates of another issuer",
      "(await isIssuedBy(one, issuer))",
      "(await isIssuedBy(one, one)) !== undefined",
    ],
  ),
  ...of(
    "engines/cms/crl.ts",
    operation("revocation"),
    ["revocation: lists that nobody signed", "return isSignedBy(one, signed)", "return signed !== undefined"],
    ["revocation: lists of other certificates", "&& covers(scope, certificate)", ""],
    ["revocation: lists of changes", "if (isCritical) throw", "if (isCritical && parts.length > 3) throw"],
  ),
  ...of(
    "engines/cms/name-constraints.ts",
    e2e("name-constraints"),
    ["chain: excluded names", "!excluded.some(isWithin) &&", ""],
    ["chain: addresses in subjects", "...addresses.map((value) => ({ tag: EMAIL, value })),", ""],
    ["chain: hosts with a longer name", "`.${base}`", "base"],
  ),
  ...of("engines/cms/chain.ts", e2e("name-constraints"), [
    "chain: names of issuers",
    "(at === 0 || !isSelfIssued(below)) &&",
    "at === 0 &&",
  ]),
  ...of("engines/pdf/seal/complete.ts", e2e("seal-two-steps"), [
    "seal: completes a document that is signed",
    "covered?.contents.every((byte) => byte === 0)",
    "covered?.contents.every((byte) => byte >= 0)",
  ]),
  ...of(
    "operations/delete-pages.ts",
    e2e("delete-pages"),
    ["delete-pages: keeps the pages instead", 'resolveOthers("pages"', 'resolveSet("pages"'],
    ["delete-pages: drops attachments", "attachments: true", "attachments: false"],
  ),
  ...of(
    "engines/pdf/layout/hyphenation.ts",
    ["test/operations/extract-text-hyphens.test.ts"],
    [
      "extract-text: compounds lose their hyphens",
      "this.#isCompound(before, after) ? text",
      "this.#has(before) ? text",
    ],
    ["extract-text: halves of words are compounds", "if (this.#has(left + right)) return false;", ""],
  ),
  ...of(
    "engines/pdf/layout/regions.ts",
    ["test/operations/extract-text-regions.test.ts"],
    ["extract-text: columns on other baselines are mixed", "row.x0 - left > LEAST_WIDTH * row.size", "row.x0 < left"],
    [
      "extract-text: labels of rows are a column of text",
      "apart.length > MOST_APART * lines.length",
      "apart.length < 0",
    ],
  ),
  ...of(
    "engines/pdf/layout/paragraphs.ts",
    ["test/operations/extract-text-regions.test.ts"],
    ["extract-text: titles that follow each other are one", "Math.min(distance, loosest)", "distance"],
  ),
  ...of(
    "engines/pdf/export/tables.ts",
    e2e("extract-text-tables"),
    ["extract-text: formulas stay in CSV", "/^[=+\\-@", "/^[\\0"],
    ["extract-text: codes become numbers", 'digits.startsWith("0")', 'digits.startsWith("x")'],
  ),
  ...of("engines/pdf/document/ranges.ts", e2e("extract-pages"), [
    "page ranges: a range backwards is forwards",
    "upTo(to, from).reverse()",
    "upTo(to, from)",
  ]),
  ...of(
    "engines/pdf/text/text.ts",
    ["test/operations/extract-text.test.ts"],
    ["extract-text: another page", "engine.long.loadPage(document, index)", "engine.long.loadPage(document, 0)"],
  ),
  ...of(
    "operations/compress.ts",
    e2e("compress", "compress-strip", "compress-grayscale"),
    [
      "compress: returns its input",
      "const bytes = smaller && (gained || mustChange) ? smaller : file.bytes;",
      "const bytes = file.bytes;",
    ],
    ["compress: keeps colors", "if (grayscale) await turnGray(open);", "if (grayscale) await Promise.resolve();"],
    ["compress: keeps metadata", "if (stripMetadata) await stripAll(open);", ""],
  ),
  ...of("engines/pdf/images/recompress.ts", e2e("compress"), [
    "compress: keeps the resolution",
    "return { width: needed(image.width, place.width), height: needed(image.height, place.height) };",
    "return image;",
  ]),
  ...of(
    "operations/protect.ts",
    e2e("protect"),
    [
      "protect: no permissions are restricted",
      "permissions: permissionBits(given.permissions),",
      'permissions: permissionBits(["all"]),',
    ],
    ["protect: no user password", "userPassword: readPassword(method, given.userPassword).value,", 'userPassword: "",'],
  ),
  ...of("operations/unlock.ts", e2e("unlock"), [
    "unlock: keeps the encryption",
    "const bytes = await rewriteDecrypted(open);",
    "const bytes = file.bytes;",
  ]),
  ...of(
    "operations/crop.ts",
    e2e("crop"),
    ["crop: changes only headers", "setBoxes(crops, { removed: remove });", ""],
    ["crop: leaves what lies outside", "if (remove) await removeOutside(open, codecs, crops);", ""],
  ),
  ...of("engines/pdf/crop/crop-pages.ts", e2e("crop"), [
    "crop: exchanges the margins",
    "x: left, y: top,",
    "x: right, y: bottom,",
  ]),
  ...of(
    "engines/pdf/redaction/redact.ts",
    e2e("redact"),
    [
      "redact: only draws the boxes",
      "if (await namingPage(page.index, () => erase(open, page, tools, [0, 1]))) erased.add(page.index);",
      "",
    ],
    ["redact: draws no boxes", "await cover(changed.map(toCover));", ""],
    ["redact: keeps attachments", "await redactAttachments(open, matcher);", "0;"],
    ["redact: keeps strings", "await strings.redactAll(dropped);", ""],
    [
      "redact: one page less",
      "for (const page of changed) {\n    // Nothing",
      "for (const page of changed.splice(0, 1)) {\n    // Nothing",
    ],
  ),
  ...of(
    "engines/pdf/redaction/content-strings.ts",
    e2e("redact-hidden"),
    ["redact: keeps unknown words of content", "writer.replace(start, end, UNKNOWN_WORD);", "writer.result();"],
    ["redact: removes codes of CMaps", "const text = isCode ? undefined : ", "const text = "],
  ),
  ...of(
    "engines/pdf/outline/outline.ts",
    e2e("outline"),
    ["outline: drops children", "kids: itemsOf(entry.children) }", "kids: [] }"],
    ["outline: leads to the first page", "document.findPage(number - 1)", "document.findPage(0)"],
    ["outline: forgets the view", 'page, view = ["Fit"], url', "page, view: _, url"],
  ),
  ...of(
    "engines/pdf/forms/fill.ts",
    e2e("fill-form"),
    ["fill-form: sets the value without an appearance", "await drawer.draw(node, value);", ""],
    ["fill-form: draws without setting the value", "await writeValue(open, node, value);", ""],
  ),
  ...of(
    "engines/pdf/forms/flatten.ts",
    e2e("flatten", "fill-form-flatten"),
    [
      "flatten: drops what fields show",
      'await pages.draw(page, "over", (name) => `/${name("XObject", sheet)} Do`, { tagged: tags !== undefined });',
      "",
    ],
    ["flatten: keeps the form", "if (!what.forms) return;", "if (what) return;"],
    ["flatten: keeps the widgets", "dropAnnotations(open, pageAt(open, index), isGone, rest);", ""],
  ),
  ...of(
    "engines/pdf/attachments/attachments.ts",
    e2e("attachments"),
    ["attachments: remove keeps the file", "new Map([...tree].filter(([key]) => !keys.has(key)));", "new Map(tree);"],
    [
      "attachments: remove keeps the associated file",
      "eachItem(engine, associated)) if (!isGone(specification)) left.push",
      "eachItem(engine, associated)) left.push",
    ],
    ["attachments: adds a file without its content", "EF: { F: stream, UF: stream }", "EF: { F: root, UF: root }"],
  ),
  ...of("operations/attachments.ts", e2e("attachments"), [
    "attachments: extracts another file",
    "found.filter((one) => one.name === name)",
    "found.slice(0, 1)",
  ]),
  ...of(
    "engines/pdf/metadata/metadata.ts",
    e2e("metadata-set"),
    ["metadata: changes only Info", "else writeMetadata(stream, packet);", ""],
    [
      "metadata: changes only XMP",
      "const all = await writeInfo(engine, document, changes, { creates: !inXmpOnly });",
      "const all = changes.entries;",
    ],
  ),
  ...of(
    "engines/pdf/n-up/grid.ts",
    e2e("n-up"),
    [
      "n-up: wrong order",
      "{ length: pageCount }, (_, index) => index)",
      "{ length: pageCount }, (_, index) => pageCount - 1 - index)",
    ],
    ["n-up: booklet backs in the order of fronts", "side % 2 === 0 ? both : both.toReversed()", "side < 0 ? [] : both"],
  ),
  ...of(
    "operations/to-images.ts",
    ["test/operations/to-images.test.ts"],
    ["to-images: wrong dpi", "PageRaster.of(open, page, { dpi,", "PageRaster.of(open, page, { dpi: dpi * 2,"],
    ["to-images: another page", "PageRaster.of(open, page, {", "PageRaster.of(open, 0, {"],
  ),
  ...of(
    "operations/ocr.ts",
    ["test/operations/ocr.test.ts"],
    [
      "ocr: words shifted",
      "words: reading.lines.flatMap((line) => line.words),",
      "words: reading.lines.flatMap((line) => line.words).map((word) => ({ ...word, bbox: word.bbox.map((at) => at + 20) })),",
    ],
    ["ocr: no layer", "layer.add(pageNumber - 1, words);", ""],
    ["ocr: recognizes pages that have text", 'mode === "force" ?', "mode ?"],
  ),
  ...of("engines/ocr/hidden-text.ts", e2e("ocr-hidden-text"), [
    "ocr: layer shifted",
    "decimal(show.x - x, 2)",
    "decimal(show.x + 20 - x, 2)",
  ]),
  ...of(
    "operations/add-page-numbers.ts",
    e2e("add-page-numbers"),
    ["add-page-numbers: one page less", "labels: new Map(chosen.map(", "labels: new Map(chosen.slice(0, -1).map("],
    ["add-page-numbers: one too high", "startAt + page, pageCount)", "startAt + page + 1, pageCount)"],
  ),
  ...of(
    "engines/pdf/stamps/watermark.ts",
    e2e("watermark"),
    ["watermark: draws nothing", '`${numbers(...page.toPage)} cm /${name("XObject", sheet)} Do`', "`% ${name.length}`"],
    ["watermark: always opaque", "if (watermark.opacity === 1) return sheet;", "if (watermark) return sheet;"],
    ["watermark: left is right", 'position.endsWith("left")', 'position.endsWith("never")'],
  ),
  ...of("operations/watermark.ts", e2e("watermark"), [
    "watermark: always over",
    "layer: placing.layer,",
    'layer: "over",',
  ]),
  ...of(
    "engines/pdf/stamps/signature.ts",
    e2e("sign"),
    ["sign: another page", "await StampPages.of(open, [field.page - 1],", "await StampPages.of(open, [0],"],
    ["sign: no footer", "...(footer && below ? [show(footer, below, name)] : []),", ""],
  ),
  ...of("engines/pdf/document/page-tree.ts", e2e("repair"), [
    "repair: loses a page",
    "!gone.has(index + 1));",
    "!gone.has(index + 1) && index !== 1);",
  ]),
  ...of("operations/from-images.ts", e2e("from-images-pages"), [
    "from-images: wrong order",
    "for (const input of images) {",
    "for (const input of images.toReversed()) {",
  ]),
  ...of(
    "engines/pdf/embed/image-page.ts",
    e2e("from-images-pages", "from-images-jpeg"),
    ["from-images: ignores an orientation", "return [0, -h, w, 0, x, y + h];", "return [w, 0, 0, h, x, y];"],
    ["from-images: contain covers", 'fit === "contain" ?', 'fit !== "contain" ?'],
  ),
  ...of(
    "engines/pdf/embed/tiff-fax.ts",
    ["test/operations/from-images-tiff.test.ts"],
    ["from-images: fax strips without the row above", "      above = row;\n", ""],
  ),
  ...of(
    "engines/image/tiff/pages.ts",
    ["test/operations/from-images-tiff.test.ts"],
    ["from-images: previews become pages", "(REDUCED | MASK)) !== 0", "(REDUCED | MASK)) < 0"],
    ["from-images: strips may overlap", "this.#covered > this.#file.length", "this.#covered < 0"],
  ),
  ...of(
    "operations/pipeline.ts",
    ["test/operations/pipeline.test.ts"],
    ["pipeline: charges one step", "credits: steps.reduce((sum, { credits }) => sum + credits, 0),", "credits: 1,"],
  ),
  ...of("webhooks/consumer.ts", e2e("webhooks"), [
    "webhooks: signed with another secret",
    "previous ? [secret, previous] : [secret]",
    "[new Uint8Array(32)]",
  ]),
  ...of(
    "webhooks/sign.ts",
    ["test/webhooks/sign.test.ts"],
    ["webhooks: the time is not signed", "`${id}.${timestamp}.${body}`", "`${id}.${body}`"],
  ),
  ...of(
    "billing/ledger.ts",
    ["test/billing/ledger.test.ts"],
    ["credits: charged twice", "${periods.used} + ${ledger.credits}", "${periods.used} + 2 * ${ledger.credits}"],
  ),
  ...of(
    "billing/ledger.ts",
    ["test/http/operations/idempotency.test.ts"],
    ["credits: a replay costs", "THEN 0 ELSE ${credits} END", "THEN ${credits} ELSE ${credits} END"],
  ),
  ...of(
    "billing/admit.ts",
    ["test/billing/admit.test.ts"],
    ["credits: reserved without headroom", "${total} - ${highestPrice} * COALESCE(${rate}, 0)", "${total}"],
    [
      "credits: reserved over the rate limit",
      "or(isNull(rate), lte(accounts.minuteRequests, rate)), hasScope",
      "hasScope",
    ],
  ),
  ...of(
    "http/operations/mount.ts",
    ["test/http/operations/trips.test.ts"],
    ["credits: unused ones stay reserved", ".finally(() => cancelUnused(c))", ""],
  ),
  ...of(
    "http/operations/stream-response.ts",
    ["test/http/operations/respond.test.ts"],
    ["credits: the last byte does not wait", "const last = body.length - 1;", "const last = body.length;"],
  ),
  ...of(
    "http/operations/payment.ts",
    ["test/http/operations/payment.test.ts"],
    ["credits: a failure costs", 'if (this.#charge !== "made") {', 'if (this.#charge === "made") {'],
  ),
  ...of(
    "http/auth/authorize.ts",
    ["test/operations/metadata.test.ts"],
    [
      "scopes: not checked",
      "if (scopes.some((scope) => caller.scopes.includes(scope))) return;",
      "if (scopes.length > 0) return;",
    ],
  ),
  ...of(
    "accounts/caller.ts",
    ["test/keys/issue-keys.test.ts", "test/keys/manage-keys.test.ts"],
    [
      "keys: never expire",
      "key.expiresAt !== null && key.expiresAt <= now",
      "key.expiresAt !== null && now.getTime() < 0",
    ],
    ["keys: a revoked key works", "if (key.revokedAt !== null)", "if (key.revokedAt === now)"],
  ),
  ...of(
    "engines/convert/lay-out.ts",
    e2e("to-pdf"),
    ["to-pdf: wide content is cut", "tries < MOST_LAYOUTS ? widened", "!tries < MOST_LAYOUTS ? widened"],
    ["to-pdf: cut content is not named", 'this.#notConverted.add("wide-content")', "this.#pageCount += 0"],
    ["to-pdf: does not widen the page", "(width + overflow) * scale", "width * scale"],
  ),
  ...of("engines/convert/convert.ts", e2e("to-pdf-compressible"), [
    "to-pdf: archives get fuel by their packed bytes",
    "Math.min(textBytes * laidOutByte, mostForFiles)",
    "Math.min(textBytes, mostForFiles)",
  ]),
  ...of(
    "engines/convert/source/assets.ts",
    e2e("to-pdf"),
    ["to-pdf: unused assets are ignored", "if (this.#unused.size > 0) throw", "if (this.#unused.size < 0) throw"],
    [
      "to-pdf: assets outside of the archive",
      "else if (segments.pop() === undefined) return undefined;",
      "else segments.pop();",
    ],
    ["to-pdf: no limit of assets", "> limits.conversion.assetBytes)", "> limits.conversion.assetBytes * 10)"],
  ),
  ...of(
    "engines/convert/docx/fields.ts",
    e2e("to-pdf"),
    ["to-pdf: hyperlink fields lose their place", "`#${place}`}`", '""}`'],
    ["to-pdf: hyperlink fields are text", "? linked(result, hyperlinkOf(code)) :", "? result :"],
  ),
  ...of(
    "engines/convert/docx/sections.ts",
    e2e("to-pdf-headers"),
    ["to-pdf: no gutters of DOCX", "all[gutterSide] + gutter", "all[gutterSide]"],
    ["to-pdf: negative margins of DOCX are like others", "?? 0) < 0", "?? 0) < -1e9"],
  ),
  ...of(
    "accounts/authentication.ts",
    ["test/http/rate-limit.test.ts"],
    [
      "keys: an expired key uses up the minute",
      "or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))",
      "undefined",
    ],
  ),
  ...of(
    "engines/pdf/conformance/model/content-reader.ts",
    ["test/engines/conformance/content.test.ts"],
    ["conformance: a form begins in black", "fill: this.#state.setsFill ?", "fill: true ?"],
    ["conformance: colors that are only set are overlooked", "this.used.spaces.add(resolved);", ""],
    [
      "conformance: ActualText around a sequence is overlooked",
      "this.#direct(properties?.start) || marks.at(-1) === true",
      "this.#direct(properties?.start)",
    ],
  ),
  ...of(
    "engines/pdf/conformance/embedded-files.ts",
    ["test/engines/conformance/content.test.ts"],
    [
      "conformance: an embedded file that is no PDF conforms",
      '%PDF-", 0) < 0) return false;',
      '%PDF-", 0) < 0) return true;',
    ],
  ),
  ...of(
    "engines/pdf/conformance/model/signatures.ts",
    ["test/engines/conformance/signatures.test.ts"],
    ["conformance: a byte range may end anywhere", "=== MARKER;", '!== "";'],
  ),
];

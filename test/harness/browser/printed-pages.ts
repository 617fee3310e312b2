/** Pages as services print them: invoices, reports, e-mails, and articles, laid out with flex, grid, columns, floats, tables, and fonts of their own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../fuzz/random.ts";

export interface PrintedPage {
  readonly name: string;
  readonly html: string;
}

const KINDS = { invoice, report, email, article } as const;
const FONTS = join(import.meta.dirname, "../../../wasm/generated/assets/fonts");
const FACES = ["NotoSans", "NotoSerif", "NotoSansMono", "GreatVibes"] as const;
const WORDS =
  `account agreement amount annual balance board budget capital carrier chapter client column contract council customer delivery deposit design document
  early energy estimate evidence export figure freight garden growth harbor history income index interest invoice journal ledger letter library market
  measure method museum network notice number office option order paper parcel partner payment period price printer project quality quarter record reform
  region result review river sample schedule school science season section service signal station storage street summary supply survey system table target
  travel treaty typeface value vessel village volume warehouse weather window winter workshop Ångström café naïve Zürich Łódź Παρίσι Москва`.split(
    /\s+/,
  );

/** `count` pages of each kind. Every one is another mix of features, and always the same. */
export function printedPages(count: number): PrintedPage[] {
  return Object.entries(KINDS).flatMap(([kind, make], at) =>
    Array.from({ length: count }, (_, number) => ({
      name: `${kind}-${number + 1}`,
      html: make(new Random(at, number)),
    })),
  );
}

/** An invoice as many are: 12 rows on one page, with flex, grid, a table, and a logo. */
export const typicalInvoice = (): string => invoice(new Random(1), 12);

const word = (random: Random): string => random.pick(WORDS);
const words = (random: Random, count: number): string => Array.from({ length: count }, () => word(random)).join(" ");
const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const sentence = (random: Random): string => `${upper(words(random, 6 + random.below(12)))}.`;
const paragraph = (random: Random, count = 3 + random.below(4)): string =>
  Array.from({ length: count }, () => sentence(random)).join(" ");
const times = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("\n");
const color = (random: Random): string =>
  `hsl(${random.below(360)} ${30 + random.below(50)}% ${25 + random.below(30)}%)`;
const money = (cents: number): string => (cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });

function fontFace(face: string): string {
  const data = readFileSync(join(FONTS, `${face}.ttf`)).toString("base64");
  return `@font-face{font-family:own;src:url(data:font/ttf;base64,${data})} body{font-family:own,sans-serif}`;
}

const ownFont = (random: Random): string => (random.once(2) ? fontFace(random.pick(FACES)) : "");

function pageRule(random: Random): string {
  if (random.once(3)) return "";
  const size = random.pick(["A4", "letter", "A5", "A4 landscape", "180mm 240mm"]);
  return `@page{size:${size};margin:${random.pick(["2cm", "15mm 20mm", "0.75in", "20mm 10mm 30mm"])}}`;
}

const logo = (random: Random): string =>
  `<svg width="120" height="40" viewBox="0 0 120 40" role="img" aria-label="Logo"><defs><linearGradient id="g"><stop stop-color="${color(random)}"/><stop
  offset="1" stop-color="${color(random)}"/></linearGradient></defs><rect width="40" height="40" rx="8" fill="url(#g)"/><circle cx="20" cy="20" r="9"
  fill="none" stroke="#fff" stroke-width="3"/><text x="48" y="27" font-size="20" fill="${color(random)}">${upper(word(random))}</text></svg>`;

function bars(random: Random): string {
  const columns = 5 + random.below(6);
  return `<svg viewBox="0 0 ${columns * 40} 120" width="100%" height="160">${times(columns, (at) => {
    const height = 10 + random.below(100);
    return `<rect x="${at * 40 + 6}" y="${110 - height}" width="28" height="${height}" fill="${color(random)}" opacity="0.8"/>
      <text x="${at * 40 + 20}" y="119" font-size="8" text-anchor="middle">Q${at + 1}</text>`;
  })}<path d="M0 110H${columns * 40}" stroke="#333"/></svg>`;
}

const page = (title: string, style: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>\n<body>${body}</body></html>\n`;

function invoice(random: Random, typicalRows?: number): string {
  const rows = typicalRows ?? 4 + random.below(60);
  const tint = color(random);
  const number = 1_000 + random.below(9_000);
  let total = 0;
  const lines = times(rows, (at) => {
    const [count, cents] = [1 + random.below(20), 100 + random.below(90_000)];
    total += count * cents;
    return `<tr><td>${at + 1}</td><td>${upper(words(random, 2 + random.below(5)))}${random.once(5) ? `<br><small>${sentence(random)}</small>` : ""}</td>
      <td class="n">${count}</td><td class="n">${money(cents)}</td><td class="n">${money(count * cents)}</td></tr>`;
  });
  const style = `${typicalRows === undefined ? ownFont(random) + pageRule(random) : "@page{size:A4;margin:18mm}"}
    body{font-size:10pt;color:#222;margin:0} header{display:flex;justify-content:space-between;align-items:center;border-bottom:2px solid ${tint};padding-bottom:8px}
    .parties{display:grid;grid-template-columns:repeat(3,1fr);gap:16px;margin:24px 0} .parties h2{font-size:9pt;text-transform:uppercase;letter-spacing:1px;color:${tint};margin:0}
    table{width:100%;border-collapse:collapse} thead th{background:${tint};color:#fff;text-align:left;padding:4px 6px} td{padding:4px 6px;border-bottom:1px solid #ccc;vertical-align:top}
    tbody tr:nth-child(even){background:#f4f4f6} .n{text-align:right;font-variant-numeric:tabular-nums} tr{break-inside:avoid}
    .totals{display:flex;flex-direction:column;align-items:flex-end;margin-top:16px;break-inside:avoid} .totals div{display:flex;justify-content:space-between;width:240px;padding:2px 0}
    .totals .sum{font-weight:bold;font-size:13pt;border-top:2px solid ${tint}} footer{${random.once(2) ? "position:fixed;bottom:0;left:0;right:0;" : ""}font-size:8pt;color:#666;text-align:center}
    ${random.once(2) ? ".stamp{position:absolute;top:120px;right:30px;transform:rotate(-18deg);border:3px solid #c22;color:#c22;padding:4px 14px;border-radius:6px;opacity:.6}" : ".stamp{display:none}"}`;
  return page(
    `Invoice ${number}`,
    style,
    `<header>${logo(random)}<h1>Invoice ${number}</h1></header><div class="stamp">PAID</div>
    <section class="parties">${times(3, (at) => `<div><h2>${["From", "To", "Payment"][at]}</h2><p>${upper(words(random, 3))}<br>${1 + random.below(99)} ${upper(word(random))} Street<br><a href="mailto:office@example.com">office@example.com</a></p></div>`)}</section>
    <table><thead><tr><th>#</th><th>Item</th><th class="n">Count</th><th class="n">Price</th><th class="n">Amount</th></tr></thead><tbody>${lines}</tbody></table>
    <div class="totals"><div><span>Subtotal</span><span>${money(total)}</span></div><div><span>Tax 20%</span><span>${money(total / 5)}</span></div><div class="sum"><span>Total</span><span>€ ${money(total * 1.2)}</span></div></div>
    <p>${paragraph(random)} <a href="https://example.com/pay/${number}">Pay online</a>.</p><footer>${words(random, 12)}</footer>`,
  );
}

function report(random: Random): string {
  const tint = color(random);
  const chapters = 3 + random.below(4);
  const title = upper(words(random, 4));
  const style = `${ownFont(random)}${pageRule(random)} body{line-height:1.45} .cover{break-after:page;display:flex;flex-direction:column;justify-content:center;min-height:${random.pick(["60vh", "400px"])};background:linear-gradient(135deg,${tint},#fff);padding:40px}
    nav ol{columns:${1 + random.below(2)}} h2{color:${tint};${random.once(2) ? "break-before:page;" : ""}counter-increment:chapter} h2::before{content:counter(chapter) ". "}
    .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:12px} .card{border-radius:10px;box-shadow:0 2px 6px rgb(0 0 0/.3);padding:10px;background:#fff} .card b{display:block;font-size:20pt;color:${tint}}
    .two{columns:2;column-gap:24px;text-align:justify;hyphens:auto} table{border-collapse:collapse;width:100%;font-size:9pt} th,td{border:1px solid #999;padding:3px} caption{caption-side:bottom;font-style:italic} figure{margin:12px 0;break-inside:avoid}`;
  const chapter = (at: number): string => `<h2 id="c${at}">${upper(words(random, 3))}</h2><p>${paragraph(random)}</p>
    <div class="cards">${times(2 + random.below(4), () => `<div class="card"><b>${random.below(100)}%</b>${words(random, 2)}</div>`)}</div>
    <h3>${upper(words(random, 2))}</h3><div class="two">${times(3, () => `<p>${paragraph(random)}</p>`)}</div><figure>${bars(random)}<figcaption>${sentence(random)}</figcaption></figure>
    <table><caption>${sentence(random)}</caption><thead><tr>${times(4, () => `<th scope="col">${word(random)}</th>`)}</tr></thead><tbody>${times(
      5 + random.below(20),
      () => `<tr><th scope="row">${word(random)}</th>${times(3, () => `<td>${random.below(10_000)}</td>`)}</tr>`,
    )}</tbody></table><p>See <a href="#c${random.below(chapters)}">another chapter</a> and <a href="https://example.org/${word(random)}">the source</a>.</p>`;
  return page(
    title,
    style,
    `<section class="cover"><h1>${title}</h1><p>${sentence(random)}</p></section><nav><h2>Contents</h2><ol>${times(chapters, (at) => `<li><a href="#c${at}">Chapter ${at + 1}</a></li>`)}</ol></nav>${times(chapters, chapter)}`,
  );
}

function email(random: Random): string {
  const tint = color(random);
  const style = `${random.once(3) ? fontFace("NotoSans") : ""}body{margin:0;background:#eef} .button{display:inline-block;background:${tint};color:#fff;padding:12px 24px;border-radius:4px;text-decoration:none} @media (max-width:600px){.container{width:100%!important}} @media print{.web{display:none}}`;
  const offer =
    (): string => `<td valign="top" width="50%" style="padding:10px"><table role="presentation" width="100%" style="background:#fff;border:1px solid #ddd"><tr><td style="padding:8px">${bars(random)}</td></tr>
    <tr><td style="padding:8px;font:bold 15px Georgia,serif">${upper(words(random, 3))}</td></tr><tr><td style="padding:8px;font-size:13px;color:#555">${sentence(random)}</td></tr></table></td>`;
  return page(
    upper(words(random, 4)),
    style,
    `<div class="web"><a href="https://example.com/view">View in the browser</a></div><center><table class="container" role="presentation" width="600" cellpadding="0" cellspacing="0" bgcolor="#ffffff">
    <tr><td bgcolor="${random.pick(["#113355", "#553311", "#225522"])}" align="center" style="padding:20px;color:#fff;font:28px Arial,sans-serif">${upper(words(random, 2))}</td></tr>
    ${random.once(2) ? `<tr><td><img src="https://cdn.example.com/banner.png" width="600" height="120" alt="${words(random, 3)}" style="display:block"></td></tr>` : ""}
    <tr><td style="padding:24px;font:15px/1.5 Arial,sans-serif"><h1 style="font-size:22px">Hello ${upper(word(random))},</h1>${times(1 + random.below(4), () => `<p>${paragraph(random)}</p>`)}
    <p align="center"><a class="button" href="https://example.com/confirm?a=1&amp;b=2">Confirm</a></p><ul>${times(3, () => `<li>${sentence(random)}</li>`)}</ul></td></tr>
    ${times(1 + random.below(3), () => `<tr><td bgcolor="#f6f6f6"><table role="presentation" width="100%"><tr>${offer()}${offer()}</tr></table></td></tr>`)}
    <tr><td align="center" style="font-size:11px;color:#888;padding:16px">${sentence(random)} <a href="https://example.com/unsubscribe">Unsubscribe</a></td></tr></table></center>`,
  );
}

function article(random: Random): string {
  const tint = color(random);
  const style = `:root{--tint:${tint};--gap:${8 + random.below(12)}px}${ownFont(random)}${pageRule(random)} body{font-size:${10 + random.below(4)}pt;line-height:1.5;${random.once(2) ? "max-width:70ch;margin:0 auto;" : ""}}
    .lead::first-letter{float:left;font-size:3.2em;line-height:.9;padding-right:6px;color:var(--tint)} aside{float:right;width:38%;margin:0 0 var(--gap) var(--gap);padding:10px;background:color-mix(in srgb,var(--tint) 15%,white);border-left:4px solid var(--tint)}
    blockquote{margin:20px 40px;font-style:italic;border-left:4px solid #bbb;padding-left:12px} pre{background:#23272e;color:#e6e6e6;padding:12px;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
    .gallery{display:flex;flex-wrap:wrap;gap:var(--gap)} .gallery div{flex:1 1 ${random.pick(["120px", "30%"])};height:90px;border-radius:8px;background:radial-gradient(circle at 30% 30%,#fff,var(--tint))} mark{background:#fd6} sup{font-size:.7em} dt{font-weight:bold} details{border:1px dashed #999;padding:6px}`;
  const section = (
    at: number,
  ): string => `<section id="s${at}"><h2>${upper(words(random, 4))}</h2>${random.once(2) ? `<aside><b>${upper(word(random))}</b><p>${paragraph(random, 2)}</p></aside>` : ""}
    ${times(2 + random.below(4), () => `<p>${paragraph(random)} <mark>${words(random, 3)}</mark> <em>${words(random, 2)}</em> <code>${word(random)}()</code> H<sub>2</sub>O x<sup>2</sup>.</p>`)}
    ${random.once(2) ? `<blockquote><p>${paragraph(random, 2)}</p></blockquote>` : ""}${random.once(3) ? `<pre><code>${times(6, () => `const ${word(random).toLowerCase()} = ${random.below(100)};`)}</code></pre>` : ""}
    ${random.once(2) ? `<div class="gallery">${times(3 + random.below(5), () => "<div></div>")}</div>` : ""}${random.once(3) ? `<h3>${upper(word(random))}</h3><dl>${times(3, () => `<dt>${word(random)}</dt><dd>${sentence(random)}</dd>`)}</dl>` : ""}
    ${random.once(3) ? `<details open><summary>${sentence(random)}</summary><p dir="rtl" lang="ar">مرحبا بالعالم</p><p lang="ja">日本語の文章</p></details>` : ""}</section>`;
  const sections = 3 + random.below(6);
  return page(
    upper(words(random, 5)),
    style,
    `<article><header><h1>${upper(words(random, 6))}</h1><p><a href="#s${sections - 1}">To the end</a> · <a rel="author" href="https://example.net/~${random.below(99)}">${upper(word(random))}</a></p></header><p class="lead">${paragraph(random)}</p>${times(sections, section)}</article>`,
  );
}

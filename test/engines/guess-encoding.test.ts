import { expect, test } from "vitest";
import { guessEncodings } from "../../src/engines/convert/source/guess-encoding.ts";
import { encoded } from "../harness/fixtures/encoded.ts";

const texts: readonly (readonly [encoding: string, ...texts: string[]])[] = [
  [
    "windows-1252",
    "Grüße aus Köln",
    "Müller – 5 €",
    "“Hello” – it’s",
    "Où est-il déjà ? Ça, c’est être français, à Noël",
    "El año de España, ¿qué? canción",
    "Não é uma ação",
    "È più città perché è",
    "Smörgåsbord är på ön",
    "København på øen, æbler",
    "5 m³, 20 °C, ½",
    "£5.00",
  ],
  ["windows-1250", "Zażółć gęślą jaźń", "Příliš žluťoučký kůň", "Árvíztűrő tükörfúrógép"],
  ["iso-8859-2", "Příliš žluťoučký kůň"],
  ["windows-1254", "Türkçe ığdır şöyle İstanbul"],
  ["windows-1251", "Привет, мир! Это обычный текст.", "имя,город\nИван,Москва\nАнна,Киев"],
  ["koi8-u", "Привет, мир! Это обычный текст."],
  ["ibm866", "Привет, мир! Это обычный текст."],
  ["windows-1253", "Καλημέρα κόσμε, αυτό είναι ένα κείμενο"],
  ["shift_jis", "名前,都市\n太郎,東京\n花子,大阪", "これは日本語の文章です。東京から大阪まで。"],
  ["gbk", "姓名,城市\n张三,北京", "我们在北京的大学里学习中文，这是一个很好的地方。", "使用iPhone手机"],
  ["big5", "我們在台北的大學裡學習中文,這是一個很好的地方。"],
];

test.each(texts.flatMap(([encoding, ...all]) => all.map((text) => [encoding, text] as const)))(
  "%s is recognized by its words: %s",
  (encoding, text) => {
    expect(guessEncodings(encoded(text, encoding))).toEqual([encoding]);
  },
);

test("a text with words in two encodings gets both", () => {
  expect(guessEncodings(encoded("名前,都市\n太郎,東京", "euc-jp"))).toEqual(["euc-jp", "gbk"]);
  expect(guessEncodings(encoded("한국어 문장입니다. 서울에서 부산까지.", "euc-kr"))).toContain("euc-kr");
});

test("a text without words in any encoding gets none, and its beginning and end may be cut", () => {
  expect(guessEncodings(Uint8Array.of(0xff, 0xfd, 0x41, 0xff, 0xfe))).toEqual([]);
  const long = "我们在北京的大学里学习中文，".repeat(1_000);
  expect(guessEncodings(encoded(`x${long}`, "gbk"))).toEqual(["gbk"]);
  expect(guessEncodings(encoded(`${"plain\n".repeat(5_000)}Grüße`, "windows-1252"))).toEqual(["windows-1252"]);
});

/**
 * Enhances the pages below `/docs`, which work without it: search, one choice of language for all examples, the visitor's test key in
 * them, copy buttons, and the current position in the contents.
 */
import { currentKey } from "./api/key.ts";
import { addSearch } from "./documentation/search.ts";
import "./styles/reference-page.css";

const LANGUAGE = "language";

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(".example .pick")) {
    input.checked = input.value === language;
  }
}

function addCopyButton(example: Element): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const language = example.querySelector<HTMLInputElement>(".pick:checked")?.value;
    const code = example.querySelector(`[data-language="${language}"]`)?.textContent ?? "";
    void navigator.clipboard.writeText(code).then(() => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1_500);
    });
  });
  button.ariaLive = "polite";
  example.querySelector("pre")?.before(button);
}

/**
 * The test key that the playground has in this tab takes the place of the environment variable. A live key does not: whoever sees the
 * screen could spend its credits.
 */
function insertKey(): void {
  const key = currentKey();
  if (!key.startsWith("sk_test_")) return;
  for (const variable of document.querySelectorAll<HTMLElement>("[data-key]")) {
    const isQuoted = variable.dataset["key"] === "quoted";
    variable.textContent = isQuoted ? JSON.stringify(key) : key;
    if (isQuoted) variable.className = "string";
  }
}

/** Marks the section being read in the contents. */
function followReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>(".contents a")].map((link) => [link.hash.slice(1), link]),
  );
  links.delete("");
  const sections = [...document.querySelectorAll<HTMLElement>(".chapter, .method")];
  let current: HTMLAnchorElement | undefined;
  const look = () => {
    // The last section that begins above the upper third of the window.
    const reading = sections.findLast((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const link = links.get(reading?.id ?? "");
    if (link === undefined || link === current) return;
    current?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    current = link;
    const box = link.closest<HTMLElement>(".contents");
    if (box && getComputedStyle(box).position === "sticky") {
      const { top, bottom } = link.getBoundingClientRect();
      const frame = box.getBoundingClientRect();
      if (top < frame.top || bottom > frame.bottom) box.scrollTop += top - frame.top - frame.height / 2;
    }
  };
  let asked = false;
  const soon = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      look();
    });
  };
  addEventListener("scroll", soon, { passive: true });
  look();
}

/** On a phone the contents start out closed, and close again after use. */
function closeContentsOnPhones(): void {
  const contents = document.querySelector<HTMLDetailsElement>(".contents nav details");
  if (contents === null) return;
  const narrow = matchMedia("(max-width: 720px)");
  const fit = () => (contents.open = !narrow.matches);
  narrow.addEventListener("change", fit);
  fit();
  contents.dataset["ready"] = "";
  contents.addEventListener("click", ({ target }) => {
    if (narrow.matches && target instanceof HTMLAnchorElement) contents.open = false;
  });
}

insertKey();
const language = localStorage.getItem(LANGUAGE);
if (language !== null && document.querySelector(`.example .pick[value="${CSS.escape(language)}"]`)) choose(language);
for (const example of document.querySelectorAll("[data-example]")) {
  addCopyButton(example);
  example.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    localStorage.setItem(LANGUAGE, target.value);
    // Examples above it have changed in height.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" });
  });
}
document.querySelector("#links [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
closeContentsOnPhones();
addSearch();
followReading();

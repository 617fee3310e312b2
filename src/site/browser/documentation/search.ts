import { type SearchEntry, searchOf } from "../../reference/search.ts";

const MOST = 20;

/**
 * Search over everything that the documentation has. The index is loaded with the page, so that it works without a connection.
 * By keyboard: `/` or Ctrl+K, the arrow keys, Enter, Escape (the combobox pattern of the ARIA Authoring Practices).
 */
export function addSearch(): void {
  const input = document.querySelector<HTMLInputElement>(".contents search input");
  const list = document.querySelector<HTMLElement>("#found");
  if (input === null || list === null) return;
  let loading: Promise<ReturnType<typeof searchOf>> | undefined;
  /** Loaded again if it failed before. */
  const load = () => {
    loading ??= loadIndex();
    loading.catch(() => (loading = undefined));
    return loading;
  };
  load().catch(() => {});
  let chosen = 0;

  const options = () => [...list.querySelectorAll<HTMLAnchorElement>("a")];
  const choose = (at: number) => {
    const all = options();
    chosen = (at + all.length) % Math.max(all.length, 1);
    all.forEach((option, position) => option.setAttribute("aria-selected", String(position === chosen)));
    const option = all[chosen];
    option?.scrollIntoView({ block: "nearest" });
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", option.id);
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const show = async () => {
    const query = input.value;
    if (query.trim() === "") return close();
    const search = await load().catch(() => undefined);
    // Typed further while the index was loaded.
    if (input.value !== query) return;
    const found = search === undefined ? [] : search(query).slice(0, MOST);
    const none = document.createElement("p");
    none.className = "none";
    none.textContent =
      search === undefined ? "The search index could not be loaded." : `Nothing found for “${query.trim()}”.`;
    list.replaceChildren(...(found.length === 0 ? [none] : found.map(option)));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
  };

  input.addEventListener("input", () => void show());
  input.addEventListener("focus", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") options()[chosen]?.click();
    else if (event.key === "Escape" && input.value === "") input.blur();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => {
    input.value = "";
    input.blur();
    close();
  });
  document.addEventListener("click", ({ target }) => {
    if (target !== input && !(target instanceof Node && list.contains(target))) close();
  });
  input.addEventListener("blur", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && list.contains(relatedTarget))) setTimeout(close, 200);
  });
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    const isShortcut = (event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isShortcut) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(): Promise<ReturnType<typeof searchOf>> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The search index could not be loaded: ${response.status}.`);
  return searchOf((await response.json()) as readonly SearchEntry[]);
}

function option([name, place, address, text]: SearchEntry, index: number): HTMLElement {
  const link = document.createElement("a");
  link.id = `found-${index}`;
  link.href = address;
  link.role = "option";
  link.tabIndex = -1;
  const [title, where, about] = [
    document.createElement("b"),
    document.createElement("small"),
    document.createElement("small"),
  ];
  [title.textContent, where.textContent, about.textContent] = [name, place, text.slice(0, 160)];
  link.append(title, where, ...(text === "" ? [] : [about]));
  return link;
}

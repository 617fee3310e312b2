/** Runs before a page is drawn. The switch between light and dark in the header of every page. Nothing flashes. */
const NAME = "theme";

const apply = (theme: string | null): void => {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
};

apply(localStorage.getItem(NAME));

addEventListener("DOMContentLoaded", () => {
  const select = document.querySelector<HTMLSelectElement>("#theme");
  if (select === null) return;
  select.value = localStorage.getItem(NAME) ?? "";
  select.hidden = false;
  select.addEventListener("change", () => {
    if (select.value === "") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, select.value);
    apply(select.value);
  });
});

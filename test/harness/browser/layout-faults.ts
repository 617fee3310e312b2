import type { Page } from "playwright-core";

/**
 * Finds the parts of a page that people could not see or click, and returns a line for each. A control is covered if another element is on top of its
 * center or of the middle of its left or right edge, once it is scrolled into view. A page, a form, or a card may not be wider than its room.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return (await page.evaluate(FIND)) as string[];
}

/** The widths of a phone, of a small screen, and of a common one, in pixels. */
export const WIDTHS = [390, 1280, 1440] as const;

/** A point is the control's if the topmost element there is the control, something in it, or its label. */
const FIND = `(() => {
  const faults = [];
  const named = (element) => {
    const text = (element.ariaLabel || element.labels?.[0]?.textContent || element.textContent || "").trim().slice(0, 40);
    const classes = typeof element.className === "string" ? element.className.trim().replaceAll(/\\s+/g, ".") : "";
    return element.tagName.toLowerCase() + (classes && "." + classes) + (text && ' "' + text + '"');
  };
  const root = document.documentElement;
  for (const room of [root, ...document.querySelectorAll("main, .request, .outcome, .card, .operations, .field")]) {
    const more = room.scrollWidth - room.clientWidth;
    if (more > 0) faults.push(named(room).replace(/ ".*/, "") + " is " + more + " px wider than its room");
  }
  const scrolled = new Map([...document.querySelectorAll("*")].map((element) => [element, [element.scrollLeft, element.scrollTop]]));
  for (const control of document.querySelectorAll("a[href], button, input, select, textarea, summary, label, [role=option], [tabindex='0']")) {
    // Skip links are hidden until they have the focus, and inputs may be: then their labels are clicked.
    if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || control.matches(".skip, :disabled")) continue;
    const whole = control.getBoundingClientRect();
    if (whole.width <= 1 || whole.height <= 1) continue;
    control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { left, right, top, height } = control.getClientRects()[0];
    const y = top + height / 2;
    const points = { center: (left + right) / 2, "left edge": left + 3, "right edge": right - 3 };
    // What is wider than the scroll container around it, such as code, has its edges outside.
    const around = [];
    for (let box = control.parentElement; box !== null; box = box.parentElement)
      if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth) around.push(box.getBoundingClientRect());
    const covered = Object.entries(points).flatMap(([name, x]) => {
      if (around.some((box) => x < box.left || x > box.right)) return [];
      const top = document.elementFromPoint(x, y);
      const own = top !== null && (control.contains(top) || [...(control.labels ?? [])].some((label) => label.contains(top)) || control.control === top);
      return own ? [] : [name + " by " + (top === null ? "the edge of the window" : named(top))];
    });
    if (covered.length > 0) faults.push(named(control) + " is covered: " + covered.join(", "));
  }
  for (const [element, [left, top]] of scrolled) element.scrollTo({ left, top, behavior: "instant" });
  return faults;
})()`;

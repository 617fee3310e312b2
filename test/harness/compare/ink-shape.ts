import { areaOf, type Picture } from "../engines/render.ts";

const COLUMNS = 96;
const ROWS = 24;

/** What is ink, its box stretched to one size: the share of ink of each cell. */
export function shapeOf(picture: Picture, isInk: (red: number, green: number, blue: number) => boolean): number[] {
  const [left, top, right, bottom] = (areaOf(picture, isInk) ?? [0, 0, 0, 0]).map((edge) => edge * picture.scale);
  const cells = Array.from({ length: COLUMNS * ROWS }, () => 0);
  const [width, height] = [(right ?? 0) - (left ?? 0), (bottom ?? 0) - (top ?? 0)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = ((Math.floor(top ?? 0) + y) * picture.stride + Math.floor(left ?? 0) + x) * 4;
      const ink = 255 - (picture.pixels[at + 1] ?? 255);
      const cell = Math.floor((y / height) * ROWS) * COLUMNS + Math.floor((x / width) * COLUMNS);
      cells[cell] = (cells[cell] ?? 0) + ink;
    }
  }
  const most = Math.max(...cells, 1);
  return cells.map((ink) => ink / most);
}

/** 1 for the same ink, 0 for none in common. */
export function likeness(one: readonly number[], other: readonly number[]): number {
  const common = one.reduce((sum, ink, cell) => sum + Math.min(ink, other[cell] ?? 0), 0);
  const either = one.reduce((sum, ink, cell) => sum + Math.max(ink, other[cell] ?? 0), 0);
  return common / either;
}

/** Compound files (MS-CFB) with empty streams: they have a directory and nothing else. */

const SECTOR = 512;
const [FREE, END, FAT, DIFAT] = [0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc];
const IN_HEADER = 109;

interface CompoundOptions {
  /** Free sectors before the directory. */
  readonly before?: number;
  /** Changes the finished file. */
  readonly change?: (view: DataView) => void;
}

/** A file with these streams at its root. The directory is the first sector after `before`. */
export function compoundFile(names: readonly string[], { before = 0, change }: CompoundOptions = {}): Uint8Array {
  const directory = Math.ceil((names.length + 1) / 4);
  let [tables, lists] = [1, 0];
  const total = (): number => before + directory + tables + lists;
  while (tables * 128 < total() || lists < Math.ceil((tables - IN_HEADER) / 127)) {
    tables = Math.ceil(total() / 128);
    lists = Math.max(0, Math.ceil((tables - IN_HEADER) / 127));
  }
  const bytes = new Uint8Array(SECTOR * (1 + total()));
  const view = new DataView(bytes.buffer);
  const at = (sector: number): number => (sector + 1) * SECTOR;
  const [firstTable, firstList] = [before + directory, before + directory + tables];

  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  for (const [position, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    view.setUint16(position, value, true);
  for (const [position, value] of [
    [44, tables],
    [48, before],
    [56, 4_096],
    [60, END],
    [68, lists > 0 ? firstList : END],
    [72, lists],
  ] as const)
    view.setUint32(position, value, true);
  for (let index = 0; index < IN_HEADER; index += 1)
    view.setUint32(76 + index * 4, index < tables ? firstTable + index : FREE, true);
  for (let index = 0; index < lists * 127; index += 1) {
    const number = index + IN_HEADER;
    const place = at(firstList + Math.floor(index / 127)) + (index % 127) * 4;
    view.setUint32(place, number < tables ? firstTable + number : FREE, true);
  }
  for (let list = 0; list < lists; list += 1)
    view.setUint32(at(firstList + list) + 508, list + 1 < lists ? firstList + list + 1 : END, true);

  const next = (sector: number): number => {
    if (sector < before || sector >= total()) return FREE;
    if (sector < firstTable) return sector + 1 < firstTable ? sector + 1 : END;
    return sector < firstList ? FAT : DIFAT;
  };
  for (let sector = 0; sector < tables * 128; sector += 1)
    view.setUint32(at(firstTable) + sector * 4, next(sector), true);

  const entry = (id: number, name: string, type: number, right: number, child: number): void => {
    const start = at(before) + id * 128;
    for (const [index, character] of [...name].entries())
      view.setUint16(start + index * 2, character.charCodeAt(0), true);
    view.setUint16(start + 64, name.length * 2 + 2, true);
    view.setUint8(start + 66, type);
    for (const [position, value] of [
      [68, FREE],
      [72, right],
      [76, child],
      [116, END],
    ] as const)
      view.setUint32(start + position, value, true);
  };
  entry(0, "Root Entry", 5, FREE, names.length > 0 ? 1 : FREE);
  for (const [index, name] of names.entries())
    entry(index + 1, name, 2, index + 1 < names.length ? index + 2 : FREE, FREE);
  change?.(view);
  return bytes;
}

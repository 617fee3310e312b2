/** What a filter of PNG subtracts from a byte, by the bytes to the left, above, and above to the left (RFC 2083, 6). */
export function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  return filter === 4 ? paeth(left, up, corner) : 0;
}

function paeth(left: number, up: number, corner: number): number {
  const a = Math.abs(up - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + up - corner - corner);
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

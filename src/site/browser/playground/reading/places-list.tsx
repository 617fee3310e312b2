import type { Cell, Place } from "./places.ts";

interface Props {
  readonly places: readonly Place[];
  /** The one that is looked at. */
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
}

/** The findings on a page, in order. Each is shown on the page while it is hovered or focused. */
export function PlacesList({ places, chosen, choose }: Props) {
  return (
    <ol class="places">
      {places.map((place, index) => (
        <li
          key={index}
          tabIndex={0}
          data-kind={place.kind}
          aria-current={chosen === index}
          onMouseEnter={() => choose(index)}
          onMouseLeave={() => choose(undefined)}
          onFocus={() => choose(index)}
          onBlur={() => choose(undefined)}
        >
          <span class="kind">
            {place.kind}
            {place.level !== undefined && ` ${place.level}`}
          </span>
          <Content place={place} />
        </li>
      ))}
    </ol>
  );
}

function Content({ place: { kind, text, marker, rows } }: { place: Place }) {
  if (kind === "code") return <pre>{text}</pre>;
  if (rows === undefined) return <p>{marker === undefined ? text : `${marker} ${text}`}</p>;
  return (
    <table>
      <tbody>
        {filled(rows.flat(), rows.length).map((row, index) => (
          <tr key={index}>
            {row.map((cell, at) => (
              <td key={at} rowSpan={cell?.rowSpan} colSpan={cell?.columnSpan}>
                {cell?.text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The cells that begin in each row, and undefined where no cell is. */
function filled(cells: readonly Cell[], rows: number): (Cell | undefined)[][] {
  const width = Math.max(0, ...cells.map(({ column, columnSpan }) => column + columnSpan));
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: width }, (_, column) => column).flatMap((column) => {
      const here = cells.find(
        (cell) =>
          cell.row <= row &&
          row < cell.row + cell.rowSpan &&
          cell.column <= column &&
          column < cell.column + cell.columnSpan,
      );
      return here === undefined ? [undefined] : here.row === row && here.column === column ? [here] : [];
    }),
  );
}

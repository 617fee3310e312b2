/** The subset of Markdown used in descriptions: paragraphs, lists, tables, bold text, and code. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((block) => (
        <Block key={block} text={block} />
      ))}
    </>
  );
}

function Block({ text }: { text: string }) {
  if (text.startsWith("- "))
    return (
      <ul>
        {text.split(/^- /m).map(
          (item) =>
            item !== "" && (
              <li key={item}>
                <Inline text={item} />
              </li>
            ),
        )}
      </ul>
    );
  if (text.startsWith("|")) return <Table text={text} />;
  return (
    <p>
      <Inline text={text} />
    </p>
  );
}

function Table({ text }: { text: string }) {
  const [head = [], , ...rows] = text.trim().split("\n").map(cellsOf);
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              <Inline text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, index) => (
              <td key={index}>
                <Inline text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The cells of a row. A bar within a cell is escaped. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** One line of it. */
export function Inline({ text }: { text: string }) {
  return <>{text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(marked)}</>;
}

function marked(part: string, index: number) {
  if (part.startsWith("`") && index % 2 === 1) return <code key={index}>{part.slice(1, -1)}</code>;
  if (part.startsWith("**") && index % 2 === 1) return <strong key={index}>{part.slice(2, -2)}</strong>;
  return part;
}

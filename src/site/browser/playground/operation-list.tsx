import { useMemo, useState } from "preact/hooks";
import type { Operation } from "../../description/description.ts";
import { grouped, type OperationGroup, operationSearch } from "../../description/operation-list.ts";

interface Props {
  readonly operations: readonly Operation[];
  readonly current: Operation;
}

/** What a search finds, of which the last are only similar. */
const best = (operations: readonly Operation[]): OperationGroup[] =>
  operations.length === 0 ? [] : [{ name: "Found", operations: operations.slice(0, 8) }];

/** The operations by group, with a search: a list beside the form, or one choice above it where there is little room. */
export function OperationList({ operations, current }: Props) {
  const [search, setSearch] = useState("");
  const find = useMemo(() => operationSearch(operations), [operations]);
  // By group; the results of a search, best first.
  const found = search.trim() === "" ? grouped(operations) : best(find(search));
  const open = ({ name }: Operation): void => {
    location.hash = `#/${name}`;
  };
  return (
    <>
      <nav class="operations" aria-label="Operations">
        <a class="skip" href="#operation-title">
          Skip the list
        </a>
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = found.flatMap((group) => group.operations);
            if (event.key === "Enter" && first) open(first);
            if (event.key === "Escape") setSearch("");
          }}
        />
        {found.length === 0 && <p class="quiet">No operation matches.</p>}
        {found.map((group) => (
          <div key={group.name}>
            <p class="group" id={`group-${group.name}`}>
              {group.name}
            </p>
            <ul aria-labelledby={`group-${group.name}`}>
              {group.operations.map((operation) => (
                <li key={operation.name}>
                  <a href={`#/${operation.name}`} aria-current={operation === current ? "true" : undefined}>
                    {operation.summary}
                    <code>{operation.name}</code>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="operation-choice field">
        <label for="operation">Operation</label>
        <select id="operation" onChange={(event) => (location.hash = `#/${event.currentTarget.value}`)}>
          {grouped(operations).map((group) => (
            <optgroup key={group.name} label={group.name}>
              {group.operations.map(({ name, summary }) => (
                <option key={name} value={name} selected={name === current.name}>
                  {summary} ({name})
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
    </>
  );
}

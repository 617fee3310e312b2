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

/** The operations to which arrow keys move the focus, from the search or from another one; the Tab key stops at one of them. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("li a")];
  const at = links.findIndex((link) => link === document.activeElement);
  const inList = at >= 0;
  const to = {
    ArrowDown: at + 1,
    ArrowUp: inList ? at - 1 : undefined,
    Home: inList ? 0 : undefined,
    End: inList ? links.length - 1 : undefined,
  }[event.key];
  const link = to === undefined ? undefined : links[to];
  if (link === undefined) return;
  event.preventDefault();
  link.focus();
}

/** The operations by group, with a search: a list beside the form, or one choice above it where there is little room. */
export function OperationList({ operations, current }: Props) {
  const [search, setSearch] = useState("");
  const find = useMemo(() => operationSearch(operations), [operations]);
  // By group; the results of a search, best first.
  const found = search.trim() === "" ? grouped(operations) : best(find(search));
  const listed = found.flatMap((group) => group.operations);
  const stop = listed.includes(current) ? current : listed[0];
  const open = ({ name }: Operation): void => {
    location.hash = `#/${name}`;
  };
  return (
    <>
      <nav class="operations" aria-label="Operations" onKeyDown={moveFocus}>
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
            const [first] = listed;
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
                  <a
                    href={`#/${operation.name}`}
                    aria-current={operation === current ? "true" : undefined}
                    tabIndex={operation === stop ? 0 : -1}
                  >
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

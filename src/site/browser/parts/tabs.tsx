import { useId } from "preact/hooks";
import type { ComponentChildren } from "preact";

interface Props<T extends string> {
  readonly label: string;
  readonly names: readonly T[];
  readonly chosen: T;
  readonly choose: (name: T) => void;
  /** Shown beside the tabs. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Tabs that follow the ARIA pattern: one stop of the Tab key, arrow keys between them. */
export function Tabs<T extends string>({ label, names, chosen, choose, aside, children }: Props<T>) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs">
        <div role="tablist" aria-label={label} onKeyDown={move}>
          {names.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => choose(name)}
            >
              {name}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Operation } from "../../description/description.ts";
import type { FileField, FilesField } from "../../description/fields.ts";
import { asFile, type ChosenFile } from "../../description/form-values.ts";
import { isFileId } from "../api/stored-files.ts";
import { useArrival } from "../parts/arriving.ts";
import { useReorder } from "../parts/use-reorder.ts";
import { Drop } from "../parts/drop.tsx";
import { bytes } from "../parts/figures.ts";
import { Inline } from "../parts/prose.tsx";
import { ReferenceInput } from "./reference-input.tsx";
import { SketchPad } from "./sketch-pad.tsx";
import { fetchSample, samplesFor } from "./samples.ts";
import { sorted } from "./workspace.ts";

export const chosenFrom = (file: File): ChosenFile => asFile(file, file.name);

interface ChooseProps {
  readonly operation: Operation;
  readonly field: FileField | FilesField;
  readonly multiple: boolean;
  readonly add: (files: readonly ChosenFile[]) => void;
  readonly issue: string | undefined;
  readonly describedBy: string;
  /** Called with the reason why files were not added, or undefined if all were. */
  readonly refuse: (reason: string | undefined) => void;
}

/** Accepts files of this computer, examples, stored files, and URLs. */
function Choose({ operation, field, multiple, add, issue, describedBy, refuse }: ChooseProps) {
  const { name: label, accept } = field;
  const take = (files: readonly File[]): void => {
    const { taken, reason } = sorted(field, files, multiple);
    refuse(reason);
    if (taken.length > 0) add(taken.map(chosenFrom));
  };
  const arrive = useArrival(add);
  const fetchSamples = (names: readonly string[]): void => {
    refuse(undefined);
    arrive(Promise.all(names.map(fetchSample))).catch((error: unknown) => {
      refuse(`The example did not load: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const samples = samplesFor(operation, field);
  const offered =
    multiple && samples.length > 1
      ? [samples.slice(0, 2), ...samples.slice(2).map((one) => [one])]
      : samples.map((one) => [one]);
  return (
    <Drop {...{ label, accept, multiple, describedBy }} invalid={issue !== undefined} take={take}>
      <div class="samples">
        {offered.length > 0 && (
          <p>
            Try
            {offered.map((some) => (
              <button key={some.join()} type="button" class="plain" onClick={() => fetchSamples(some)}>
                {some.join(" + ")}
              </button>
            ))}
          </p>
        )}
        <ReferenceInput label={label} add={(file) => add([file])} />
      </div>
    </Drop>
  );
}

function Refused({ reason }: { reason: string | undefined }) {
  if (reason === undefined) return null;
  return (
    <p class="issue" role="alert">
      <Inline text={reason} />
    </p>
  );
}

interface Props<F> {
  readonly operation: Operation;
  readonly field: F;
  readonly chosen: readonly ChosenFile[];
  /** Changes the files that are chosen by then. */
  readonly choose: (change: (chosen: readonly ChosenFile[]) => readonly ChosenFile[]) => void;
}

/** The password of a file, which is a parameter of its own. */
interface PasswordOf {
  readonly value: string;
  readonly set: (password: string) => void;
  readonly issue: string | undefined;
}

interface FileInputProps extends Props<FileField> {
  readonly issue: string | undefined;
  readonly password?: PasswordOf | undefined;
}

export function FileInput({ operation, field, chosen, choose, issue, password }: FileInputProps) {
  const id = useId();
  const { name, label, required, description, accept } = field;
  const [file] = chosen;
  const [refused, refuse] = useState<string>();
  return (
    <fieldset class="field">
      <legend>
        {label} <code class="api-name">{name}</code>
        {required && <span class="required">required</span>}
      </legend>
      <p class="about" id={`${id}-about`}>
        <Inline text={description} />
      </p>
      {file ? (
        <ul class="files">
          <FileRow
            file={password ? { ...file, password: password.value } : file}
            setPassword={password?.set}
            passwordIssue={password?.issue}
            accept={accept}
            replace={(file) => choose(() => [file])}
            remove={() => {
              refuse(undefined);
              choose(() => []);
            }}
            invalid={issue !== undefined}
          />
        </ul>
      ) : (
        <>
          <Choose
            {...{ operation, field, issue, refuse }}
            multiple={false}
            add={(files) => choose(() => files)}
            describedBy={`${id}-about ${id}-issue`}
          />
          {name === "signatureImage" && <SketchPad draw={(file) => choose(() => [file])} />}
        </>
      )}
      <Refused reason={refused} />
      <p class="issue" id={`${id}-issue`}>
        {issue && <Inline text={issue} />}
      </p>
    </fieldset>
  );
}

export function FilesInput({
  operation,
  field,
  chosen,
  choose,
  issues,
}: Props<FilesField> & { issues: ReadonlyMap<string, string> }) {
  const id = useId();
  const { name, label, description, accept, passwords, min } = field;
  const [refused, refuse] = useState<string>();
  const issueOf = (index: number) => issues.get(`${name}${index}`);
  // Issues about missing files are shown next to the place to add them.
  const missing = [...issues].find(([key]) => key.startsWith(name) && Number(key.slice(name.length)) >= chosen.length);
  const move = (from: number, to: number) =>
    choose((chosen) => chosen.toSpliced(from, 1).toSpliced(to, 0, ...chosen.slice(from, from + 1)));
  const drag = useReorder(move);
  const list = useRef<HTMLOListElement>(null);
  // The focus goes with the file, so that it can be moved on.
  const follow = useRef<readonly [row: number, step: number]>(undefined);
  const [moved, setMoved] = useState("");
  const moveBy = (index: number, step: number) => {
    move(index, index + step);
    follow.current = [index + step, step];
    setMoved(`${chosen[index]?.name} is now ${index + step + 1} of ${chosen.length}`);
  };
  useLayoutEffect(() => {
    const [row, step] = follow.current ?? [];
    follow.current = undefined;
    const buttons = list.current?.children[row ?? -1]?.querySelectorAll<HTMLElement>(".moves :enabled") ?? [];
    [...buttons].at(step === 1 ? -1 : 0)?.focus();
  });
  return (
    <fieldset class="field">
      <legend>
        {label}{" "}
        <code class="api-name">
          {name}0, {name}1, …
        </code>
        <span class="required">{min === 1 ? "at least one" : `at least ${min}`}</span>
      </legend>
      <p class="about" id={`${id}-about`}>
        <Inline text={description} />
      </p>
      {chosen.length > 0 && (
        <ol class="files" ref={list}>
          {chosen.map((file, index) => (
            <FileRow
              key={index}
              name={`${name}${index}`}
              file={file}
              invalid={issueOf(index) !== undefined}
              issue={issueOf(index)}
              passwordIssue={passwords === undefined ? undefined : issues.get(`${passwords}${index}`)}
              accept={accept}
              drag={drag(index)}
              replace={(file) => choose((chosen) => chosen.with(index, file))}
              remove={() => choose((chosen) => chosen.toSpliced(index, 1))}
              up={index > 0 ? () => moveBy(index, -1) : undefined}
              down={index < chosen.length - 1 ? () => moveBy(index, 1) : undefined}
              setPassword={
                passwords === undefined
                  ? undefined
                  : (password) => choose((chosen) => chosen.with(index, { ...file, password }))
              }
            />
          ))}
        </ol>
      )}
      <p class="visually-hidden" role="status">
        {moved}
      </p>
      <Choose
        {...{ operation, field, refuse }}
        multiple
        add={(files) => choose((chosen) => [...chosen, ...files])}
        issue={missing?.[1]}
        describedBy={`${id}-about ${id}-issue`}
      />
      <Refused reason={refused} />
      <p class="issue" id={`${id}-issue`}>
        {missing && (
          <>
            <code>{missing[0]}</code> {missing[1]}
          </>
        )}
      </p>
    </fieldset>
  );
}

/** Opens the dialog of the system; the promise stays open if nothing is chosen. */
function pickFile(accept: string): Promise<File> {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  return new Promise((done) => {
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      if (file) done(file);
    });
    input.click();
  });
}

interface RowProps {
  readonly name?: string;
  readonly file: ChosenFile;
  readonly accept: string;
  /** The listeners for dragging it to another place. */
  readonly drag?: ReturnType<ReturnType<typeof useReorder>>;
  readonly replace: (file: ChosenFile) => void;
  readonly remove: () => void;
  readonly invalid: boolean;
  readonly issue?: string | undefined;
  readonly passwordIssue?: string | undefined;
  readonly up?: (() => void) | undefined;
  readonly down?: (() => void) | undefined;
  readonly setPassword?: ((password: string) => void) | undefined;
}

function FileRow({ name, file, invalid, issue, passwordIssue, setPassword, ...row }: RowProps) {
  const { accept, drag, replace, remove, up, down } = row;
  const id = useId();
  const [asked, setAsked] = useState(false);
  const locked = asked || file.password !== "" || passwordIssue !== undefined;
  const size = "blob" in file ? file.blob.size : file.size;
  return (
    <li class={invalid ? "invalid" : ""} {...drag}>
      {name !== undefined && <code class="quiet">{name}</code>}
      <span class="file-name" title={"reference" in file ? file.reference : file.name}>
        {file.name}
      </span>
      {"reference" in file && <span class="tag">{isFileId(file.reference) ? "stored" : "URL"}</span>}
      {size !== undefined && <span class="quiet">{bytes(size)}</span>}
      {(up || down) && (
        <span class="moves">
          <button type="button" class="plain" disabled={!up} aria-label={`Move ${file.name} up`} onClick={up}>
            ↑
          </button>
          <button type="button" class="plain" disabled={!down} aria-label={`Move ${file.name} down`} onClick={down}>
            ↓
          </button>
        </span>
      )}
      {setPassword && !locked && (
        <button type="button" class="plain" aria-label={`Password of ${file.name}`} onClick={() => setAsked(true)}>
          Password
        </button>
      )}
      <button
        type="button"
        class="plain"
        aria-label={`Replace ${file.name}`}
        onClick={() => void pickFile(accept).then((file) => replace(chosenFrom(file)))}
      >
        Replace
      </button>
      <button type="button" class="plain" aria-label={`Remove ${file.name}`} onClick={remove} aria-invalid={invalid}>
        ✕
      </button>
      {setPassword && locked && (
        <input
          class="own-password"
          name={name === undefined ? "password" : undefined}
          type="password"
          autocomplete="new-password"
          aria-label={`Password of ${file.name}`}
          placeholder="password"
          aria-invalid={passwordIssue !== undefined}
          aria-describedby={passwordIssue === undefined ? undefined : id}
          value={file.password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {issue !== undefined && (
        <p class="issue">
          <Inline text={issue} />
        </p>
      )}
      {passwordIssue !== undefined && (
        <p class="issue" id={id}>
          <Inline text={passwordIssue} />
        </p>
      )}
    </li>
  );
}

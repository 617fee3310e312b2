import { ApiFailure } from "../api/call.ts";
import { askForKey } from "../parts/key-dialog.tsx";
import { Inline } from "../parts/prose.tsx";

/** A failed request: the message, its code and its request ID. */
export function Failure({ error }: { error: unknown }) {
  if (error === undefined) return null;
  if (!(error instanceof ApiFailure)) {
    return (
      <p class="notice bad" role="alert">
        <Inline text={error instanceof Error ? error.message : String(error)} />
      </p>
    );
  }
  const { code, message } = error.problem;
  return (
    <div class="notice bad" role="alert">
      <p>
        <code>{code}</code> <Inline text={message} />
      </p>
      <p class="quiet">
        Request <code>{error.requestId}</code>
      </p>
      {code === "unauthenticated" && (
        <button type="button" onClick={() => void askForKey()}>
          Use another key
        </button>
      )}
    </div>
  );
}

/** Shown instead of a view that needs a key if there is none. */
export function KeyMissing({ what }: { what: string }) {
  return (
    <div class="blank">
      <p>Add an API key to see your {what}.</p>
      <button type="button" class="primary" onClick={() => void askForKey()}>
        Add API key
      </button>
    </div>
  );
}

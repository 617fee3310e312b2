import { useCallback, useEffect, useState } from "preact/hooks";
import { callJson } from "../api/call.ts";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** Loads the data again. */
  reload(): Promise<void>;
}

/** The response to a GET, loaded again when the key or the path changes. Nothing is requested without a key. */
export function useData<T>(apiKey: string, path: string | undefined): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown }>({});
  const reload = useCallback(async () => {
    if (apiKey === "" || path === undefined) return;
    try {
      setState({ data: await callJson<T>(apiKey, "GET", path) });
    } catch (error) {
      setState({ error });
    }
  }, [apiKey, path]);
  useEffect(() => {
    setState({});
    void reload();
  }, [reload]);
  return { data: state.data, error: state.error, reload };
}

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

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export interface List<P extends Page<unknown>> extends Loaded<P> {
  /** Those of all pages that have been loaded. */
  readonly entries: P["data"];
  /** Loads the next page; undefined on the last one. */
  readonly more: (() => Promise<void>) | undefined;
}

/** A list that is loaded page by page. `data` is the first page, and `reload` starts again with it. */
export function useList<P extends Page<unknown>>(apiKey: string, path: string): List<P> {
  const { data, error, reload } = useData<P>(apiKey, path);
  const [further, setFurther] = useState<readonly P[]>([]);
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    setFurther([]);
    setFailed(undefined);
  }, [data]);
  const cursor = (further.at(-1) ?? data)?.nextCursor ?? null;
  const load = async (after: string) => {
    try {
      const page = await callJson<P>(apiKey, "GET", `${path}?cursor=${encodeURIComponent(after)}`);
      setFurther([...further, page]);
    } catch (error) {
      setFailed(error);
    }
  };
  const pages = data === undefined ? [] : [data, ...further];
  return {
    data,
    error: error ?? failed,
    reload,
    entries: pages.flatMap((page) => page.data),
    more: cursor === null ? undefined : () => load(cursor),
  };
}

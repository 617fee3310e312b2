import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";

/** Holds the form back while something that it will contain is fetched. */
export const Arriving = createContext<(arrival: Promise<void>) => void>(() => {});

/** Fetches for the form, and adds what arrives in the order in which it was asked for. */
export function useArrival<T>(add: (arrived: T) => void): (fetched: Promise<T>) => Promise<void> {
  const hold = useContext(Arriving);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (fetched) => {
    const before = last.current;
    const arrival = Promise.allSettled([before, fetched]).then(async () => add(await fetched));
    last.current = arrival;
    hold(arrival);
    return arrival;
  };
}

import type { Elements, Kind, Place } from "./elements.ts";

/** Applies the rules about a kind of element. */
export type Check = <K extends Kind>(kind: K, element: Elements[K], place: Place) => void;

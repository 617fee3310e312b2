/**
 * Milliseconds after which an attempt that has not ended counts as lost with its isolate: twice what a receiver may take (`lanes.ts`). Until
 * then nobody else tries the delivery.
 */
export const LEASE = 30_000;

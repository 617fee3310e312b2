/** What the queue carries for a delivery: a wake-up. Everything else is in its row, which is the truth. */
export interface DeliveryMessage {
  /** The number of the database that the row is in. */
  readonly shard: number;
  /** The id of the row in `webhook_deliveries`. */
  readonly delivery: string;
}

ALTER TABLE `webhook_deliveries` ADD `lane` text;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook`,`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_lane` ON `webhook_deliveries` (`lane`,`next_attempt_at`) WHERE lane is not null;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `timeouts` integer DEFAULT 0 NOT NULL;
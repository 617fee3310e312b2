ALTER TABLE `accounts` ADD `asked_minute` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `asked_deliveries` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `replayed_after` integer DEFAULT 0 NOT NULL;
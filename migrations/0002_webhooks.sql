CREATE TABLE `webhook_attempts` (
	`delivery` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_milliseconds` integer NOT NULL,
	`status` integer,
	`error` text,
	`answer` text,
	PRIMARY KEY(`delivery`, `attempt`)
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`webhook` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`state`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`type` text NOT NULL,
	`sequence` integer NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`awaits` text
);
--> statement-breakpoint
CREATE INDEX `webhook_events_created` ON `webhook_events` (`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_events_awaits` ON `webhook_events` (`awaits`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text,
	`secret` text NOT NULL,
	`secret_last_four` text NOT NULL,
	`previous_secret` text,
	`previous_secret_expires_at` integer,
	`active` integer NOT NULL,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_account` ON `webhooks` (`account`,`livemode`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `event_sequence` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `periods` ADD `warned` integer DEFAULT 0 NOT NULL;
CREATE TABLE `idempotency` (
	`id` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`charge` text,
	`in_flight` text,
	`replays` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_created` ON `idempotency` (`created_at`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`id` text PRIMARY KEY NOT NULL,
	`period` text NOT NULL,
	`operation` text NOT NULL,
	`credits` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`idempotency` text
);
--> statement-breakpoint
CREATE INDEX `ledger_state` ON `ledger` (`state`,`created_at`);--> statement-breakpoint
CREATE TABLE `period_operations` (
	`period` text NOT NULL,
	`operation` text NOT NULL,
	`credits` integer NOT NULL,
	PRIMARY KEY(`period`, `operation`)
);
--> statement-breakpoint
CREATE TABLE `periods` (
	`id` text PRIMARY KEY NOT NULL,
	`start` integer NOT NULL,
	`used` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `periods_start` ON `periods` (`start`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `minute` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `minute_requests` integer DEFAULT 0 NOT NULL;
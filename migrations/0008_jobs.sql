CREATE TABLE `job_parts` (
	`job` text NOT NULL,
	`page` integer NOT NULL,
	`pages` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`token` text,
	`due_at` integer NOT NULL,
	`file` text,
	`error` text,
	PRIMARY KEY(`job`, `page`)
);
--> statement-breakpoint
CREATE INDEX `job_parts_state` ON `job_parts` (`job`,`state`,`page`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`operation` text NOT NULL,
	`state` text NOT NULL,
	`request` text,
	`lanes` integer NOT NULL,
	`on_page_error` text NOT NULL,
	`pages_total` integer NOT NULL,
	`pages_done` integer DEFAULT 0 NOT NULL,
	`pages_failed` integer DEFAULT 0 NOT NULL,
	`priced_pages` integer NOT NULL,
	`price` integer NOT NULL,
	`ledger` text NOT NULL,
	`reservation` text NOT NULL,
	`charged` integer DEFAULT 0 NOT NULL,
	`idempotency` text,
	`result` text,
	`error` text,
	`page_errors` text,
	`kept_seconds` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`served_at` integer NOT NULL,
	`finished_at` integer,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `jobs_account` ON `jobs` (`account`,`livemode`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_state` ON `jobs` (`state`,`expires_at`);--> statement-breakpoint
CREATE INDEX `jobs_ledger` ON `jobs` (`ledger`);--> statement-breakpoint
CREATE INDEX `jobs_idempotency` ON `jobs` (`idempotency`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `served_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `files` ADD `job` text;--> statement-breakpoint
CREATE INDEX `files_job` ON `files` (`job`) WHERE job is not null;
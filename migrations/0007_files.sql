CREATE TABLE `file_parts` (
	`file` text NOT NULL,
	`part` integer NOT NULL,
	`etag` text NOT NULL,
	`nonce` text NOT NULL,
	PRIMARY KEY(`file`, `part`)
);
--> statement-breakpoint
CREATE TABLE `files` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`state` text NOT NULL,
	`name` text NOT NULL,
	`size` integer NOT NULL,
	`content_type` text,
	`sha256` text,
	`key` text NOT NULL,
	`part_bytes` integer NOT NULL,
	`nonces` text,
	`upload_id` text,
	`kept_seconds` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `files_account` ON `files` (`account`,`livemode`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `files_stored` ON `files` (`account`,`livemode`,`state`,`expires_at`,`size`);--> statement-breakpoint
CREATE INDEX `files_expiry` ON `files` (`state`,`expires_at`);
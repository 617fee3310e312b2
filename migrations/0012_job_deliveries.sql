CREATE TABLE `job_deliveries` (
	`job` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer
);
--> statement-breakpoint
CREATE INDEX `job_deliveries_due` ON `job_deliveries` (`due_at`);--> statement-breakpoint
ALTER TABLE `jobs` ADD `delivery` text;
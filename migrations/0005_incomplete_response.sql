UPDATE `webhook_attempts` SET `error` = 'incomplete_response' WHERE `error` = 'broken_answer';--> statement-breakpoint
UPDATE `webhook_deliveries` SET `state` = 'canceled' WHERE `state` = 'cancelled';

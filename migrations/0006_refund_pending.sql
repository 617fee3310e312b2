UPDATE `ledger` SET `state` = 'refund_pending' WHERE `state` = 'broken';

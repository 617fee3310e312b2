/** The schedule with which the server of one machine asks each worker, every minute, to give back the memory of engines that are idle. */
export const REST_CRON = "rest";

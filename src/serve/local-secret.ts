/** `SERVER_SECRET` for this machine: `npm start`, the tests, and the scripts. It is public, and the service refuses it where it is deployed. */
export const LOCAL_SECRET = "local-development-only-not-a-secret";

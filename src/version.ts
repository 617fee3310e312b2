/** Version of the API's machine-readable description, as `health` and `openapi.json` report it. */
export const version = "0.1.0";

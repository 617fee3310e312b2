/** The version of the API description, as reported by `health` and `openapi.json`. */
export const version = "0.1.0";

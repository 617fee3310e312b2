/**
 * The format of a label: 1 to 100 Unicode characters without control characters (a NUL would end the SQL text sent by the
 * operator's tool) or lone surrogates (which the database cannot store).
 */
export const labelPattern = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/**
 * What a label may be: 1 to 100 Unicode characters, none of them a control character (a NUL would end the SQL text that the
 * operator's tool sends) or half of a surrogate pair (which no database text can hold).
 */
export const labelPattern = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** Text in markup. */

/** In the content of an element or an attribute of XML or HTML. Characters that XML 1.0 does not have (2.2) are left out. */
export const escapedMarkup = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (control) => ("\t\n\r".includes(control) ? control : ""))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** The control words of Rich Text that are characters, and those that begin the text of something else (RTF 1.9.1, "Destinations"). */

/** Control words and symbols that are characters. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  "~": "\u00a0",
  _: "\u2011",
  "-": "\u00ad",
  "{": "{",
  "}": "}",
  "\\": "\\",
  emdash: "\u2014",
  endash: "\u2013",
  emspace: "\u2003",
  enspace: "\u2002",
  qmspace: "\u2005",
  bullet: "\u2022",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  tab: "\u2003",
  ltrmark: "\u200e",
  rtlmark: "\u200f",
  zwj: "\u200d",
  zwnj: "\u200c",
};

/** Destinations whose text is not that of the document, without a loss. */
export const SKIPPED: ReadonlySet<string> = new Set(
  "listtable listoverridetable revtbl rsidtbl generator filetbl xmlnstbl themedata colorschememapping datastore latentstyles pgptbl nonshppict objdata objclass objname sp sn sv shprslt pntxta pntxtb pnseclvl bkmkend datafield formfield private template operator comment subject keywords category manager company creatim revtim printim buptim doccomm hlinkbase docvar userprops atnid atnauthor atnref atrfstart atrfend atntime atndate ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn xe tc tcn rxe do mmathPr falt panose fname blipuid blipTag picprop wgrffmtfilter passwordhash listpicture defchp defpap stylesheetx ftnsepx protusertbl".split(
    " ",
  ),
);
/** Destinations that are lost, by the names of the reference. */
export const LOST: Readonly<Record<string, string>> = {
  header: "headers",
  headerl: "headers",
  headerr: "headers",
  headerf: "headers",
  footer: "footers",
  footerl: "footers",
  footerr: "footers",
  footerf: "footers",
  annotation: "comments",
  mmath: "formulas",
};
/** Optional destinations that are part of the text. */
export const OPTIONAL: ReadonlySet<string> = new Set("shppict shpinst shptxt fldinst bkmkstart ud".split(" "));

/** The part of a structure tree that is on one page. */
export interface Tag {
  /** Its standard type, such as `P`. */
  readonly role: string;
  /** Its elements on the page, and the identifiers of its content there, in the order in which they are read. */
  readonly kids: readonly (Tag | number)[];
  /** The text that is read in place of its content. */
  readonly actualText?: string;
  /** A description of its content. */
  readonly alt?: string;
  /** Of the cell of a table. */
  readonly rowSpan: number;
  readonly columnSpan: number;
  /** Whether it begins on an earlier page. Known for some types. */
  readonly continued: boolean;
}

export interface PageTags {
  /** The key under which the parent tree has the page. */
  readonly key: number;
  readonly root: Tag;
  /** The identifiers of marked content that the tree reaches. */
  readonly reached: ReadonlySet<number>;
}

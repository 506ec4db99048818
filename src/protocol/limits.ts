/** Bytes of UTF-8 that a document may have, BOM included. */
export const MAX_BYTES = 1_048_576;

/** Containers within containers, and values within values of JSON or YAML, at most. */
export const MAX_NESTING = 64;

/** UTF-16 code units that the markdown of a title or step label may have. */
export const MAX_LABEL = 1000;

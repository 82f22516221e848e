/** Octets of a report that are read; the rest is the returned message. The return path takes 10 MiB. */
export const MAX_REPORT_BYTES = 2 * 1_048_576;
/** Octets of one header block. */
export const MAX_HEADER_BYTES = 131_072;
/** Fields of one header block. */
export const MAX_HEADER_FIELDS = 1_000;
/** MIME parts of one report. */
export const MAX_PARTS = 64;
/** Places in one part that look like its boundary. */
export const MAX_BOUNDARY_MARKS = 10_000;
/** MIME levels of one report. */
export const MAX_DEPTH = 8;
/** Characters of human text that are read; what a report says, it says at its top. */
export const MAX_TEXT_CHARS = 65_536;
/** Octets of a machine-readable part. */
export const MAX_STATUS_BYTES = 262_144;
/** Recipients of one report. */
export const MAX_RECIPIENTS = 100;
/** Characters kept of one value: a diagnostic, an identifier. */
export const MAX_VALUE_CHARS = 4_000;

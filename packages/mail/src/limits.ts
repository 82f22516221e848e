/** Octets of a local part. RFC 5321 §4.5.3.1.1 */
export const LOCAL_PART_MAX_BYTES = 64;

/** Octets of a domain in its ASCII form. RFC 5321 §4.5.3.1.2 */
export const DOMAIN_MAX_BYTES = 255;

/** Octets of one label of a domain. RFC 1035 §2.3.4 */
export const DOMAIN_LABEL_MAX_BYTES = 63;

/**
 * Octets of an address: a path of 256 less its angle brackets. RFC 5321 §4.5.3.1.3, erratum 1690 of RFC 3696
 * §3
 */
export const ADDRESS_MAX_BYTES = 254;

/** UTF-8 octets of a display name; ours, wide enough for any organisation's name. */
export const DISPLAY_NAME_MAX_BYTES = 256;

/** UTF-8 octets of a subject; one line of RFC 5322 §2.1.1. */
export const SUBJECT_MAX_BYTES = 998;

/** Mailboxes that To or Cc name; ours, above what one transaction takes, for lists are sent in several. */
export const ADDRESS_LIST_MAX = 500;

/** Characters of a header line that has no place to fold, CRLF not counted. RFC 5322 §2.1.1 */
export const LINE_MAX_BYTES = 998;

/** Characters of every line that can be folded or wrapped, CRLF not counted. RFC 2045 §6.7, RFC 2047 §2 */
export const LINE_WRAP_CHARS = 76;

/** Header fields that a sender may add to a message; ours. */
export const CUSTOM_HEADERS_MAX = 50;

/** Characters of the name of such a field; ours: leaves room for an encoded-word on its line. */
export const CUSTOM_HEADER_NAME_MAX_CHARS = 40;

/** UTF-8 octets of the value of such a field; ours. */
export const CUSTOM_HEADER_VALUE_MAX_BYTES = 4096;

/** UTF-8 octets of an attachment's file name; what common file systems hold. */
export const FILENAME_MAX_BYTES = 255;

/** Characters of a content id; ours. */
export const CONTENT_ID_MAX_CHARS = 128;

/** Octets of a whole message, encoded, without the signatures in front of it. */
export const MESSAGE_MAX_BYTES = 25 * 1024 * 1024;

/** MIME entities of a message, containers included. */
export const MIME_PARTS_MAX = 100;

/** Containers inside containers. */
export const MIME_DEPTH_MAX = 20;

/** Header fields of a submitted message, those of all its parts together; ours. */
export const PARSED_HEADERS_MAX = 1000;

/** Octets of the same; ours. */
export const PARSED_HEADERS_MAX_BYTES = 256 * 1024;

/** Lines that start like a delimiter of their container and are none; ours: each costs a look. */
export const BOUNDARY_LOOKALIKES_MAX = 10_000;

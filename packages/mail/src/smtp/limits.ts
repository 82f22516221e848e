/**
 * How long each step may take, in ms, from its last byte sent to its last byte received. RFC 5321 §4.5.3.2
 */
export interface SmtpTimeouts {
  readonly connectMs: number;
  /** All steps from the greeting until the session takes mail. */
  readonly openingMs: number;
  readonly bannerMs: number;
  readonly ehloMs: number;
  readonly tlsMs: number;
  readonly authMs: number;
  /** All steps from MAIL until the server takes the message's data. */
  readonly envelopeMs: number;
  readonly mailMs: number;
  readonly rcptMs: number;
  readonly dataMs: number;
  readonly blockMs: number;
  /** For each MiB of the data, on top of one `blockMs` for all of it: else a block at a time takes hours. */
  readonly mibMs: number;
  readonly dotMs: number;
  readonly rsetMs: number;
  readonly quitMs: number;
}

/** For all commands of an opening, and again of an envelope: twice the longest that one may take. */
export const COMMANDS_MS = 600_000;
/** For each MiB of a message's data. */
export const MIB_MS = 100_000;

/**
 * The values of RFC 5321 §4.5.3.2, except for connect and banner: unreachable hosts are too common to wait so
 * long.
 */
export const DEFAULT_TIMEOUTS: SmtpTimeouts = Object.freeze({
  connectMs: 30_000,
  openingMs: COMMANDS_MS,
  bannerMs: 60_000,
  ehloMs: 300_000,
  tlsMs: 60_000,
  authMs: 300_000,
  envelopeMs: COMMANDS_MS,
  mailMs: 300_000,
  rcptMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  mibMs: MIB_MS,
  dotMs: 600_000,
  rsetMs: 20_000,
  quitMs: 2_000,
});

/**
 * Octets kept of one reply line; RFC 5321 §4.5.3.1.5 allows 512, servers in the field send up to about 1 000.
 * A verdict stands at the beginning.
 */
export const MAX_REPLY_LINE_BYTES = 4_096;
/** Lines kept of one reply, and its last; the longest EHLO answers in the field have about 30. */
export const MAX_REPLY_LINES = 1_000;
/** Octets kept of one reply, all lines together. */
export const MAX_REPLY_BYTES = 32_768;
/** Octets of one reply that are listened to: beyond, the peer does not mean to end. */
export const MAX_REPLY_FLOOD_BYTES = 131_072;
/** Messages one session carries before it is closed. */
export const MAX_SESSION_MESSAGES = 100;
/** Age at which a session takes no further message, ms. */
export const MAX_SESSION_AGE_MS = 300_000;

/**
 * A server that took longer than this over the end of a message gets no envelope with the end of the next:
 * the message behind it would wait here while other sessions are free (ms).
 */
export const MAX_END_MS_AHEAD = 1_000;

/**
 * For the answer to MAIL that left with the end of the message before, from the answer to that on (ms). A
 * server that lost what came behind a message never gives one; it is asked again in another session.
 */
export const AHEAD_MAIL_MS = 30_000;

/** Octets written before the peer must have drained them: the "block" of RFC 5321 §4.5.3.2.5. */
export const BLOCK_BYTES = 262_144;

/**
 * Up to this many octets of data are sent together with their end: a first flight of TCP takes about as many
 * (RFC 6928 §2).
 */
export const ONE_WRITE_BYTES = 16_384;

import { type Limits, RECEIVERS, receiverOf } from './receivers.ts';

/**
 * How to speak to a destination: by an operator's notes, else by those that attempts left, else by what is
 * known of large receivers.
 */
export const NOTES = [
  'no_pipelining',
  'no_tls',
  'no_ipv6',
  'conversations',
  'messages_per_connection',
  'messages_per_minute',
] as const;
export type Note = (typeof NOTES)[number];

/** Notes that are true or not; the others are limits. */
export const FLAGS: ReadonlySet<Note> = new Set(['no_pipelining', 'no_tls', 'no_ipv6']);

export interface Traits extends Limits {
  readonly noPipelining: boolean;
  /** Only opportunistic TLS: never where MTA-STS or DANE asks for it. */
  readonly noTls: boolean;
  /** Its IPv6 addresses come last. */
  readonly noIpv6: boolean;
}

const NO_TRAITS: Traits = Object.freeze({
  noPipelining: false,
  noTls: false,
  noIpv6: false,
  conversations: null,
  messagesPerConnection: null,
  messagesPerMinute: null,
});

const USUAL = new Map<string, Traits>(
  RECEIVERS.map(({ name, limits }) => [name, Object.freeze({ ...NO_TRAITS, ...limits })]),
);

export function traitsOf(destination: string, noted: ReadonlyMap<Note, number> | undefined): Traits {
  const usual = USUAL.get(receiverOf(destination)?.name ?? '') ?? NO_TRAITS;
  if (noted === undefined) return usual;
  const isSo = (note: Note) => noted.get(note) === 1;
  return {
    noPipelining: isSo('no_pipelining'),
    noTls: isSo('no_tls'),
    noIpv6: isSo('no_ipv6'),
    conversations: noted.get('conversations') ?? usual.conversations,
    messagesPerConnection: noted.get('messages_per_connection') ?? usual.messagesPerConnection,
    messagesPerMinute: noted.get('messages_per_minute') ?? usual.messagesPerMinute,
  };
}

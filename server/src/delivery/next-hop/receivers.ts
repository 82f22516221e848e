export interface Limits {
  /** Of one delivery process and source pool. Null: the window's own. */
  readonly conversations: number | null;
  readonly messagesPerConnection: number | null;
  readonly messagesPerMinute: number | null;
}

/**
 * What large receivers ask of senders, before anything was learned: as they publish it, or, where they
 * publish nothing, as much as a sender without a reputation should begin with. A note of the operator or of
 * an attempt goes before it. What is in here was looked at on `AS_OF`.
 */
export const AS_OF = '2026-11-27';

interface Receiver {
  readonly name: string;
  /** Where it is published; null: nowhere, it is our caution. */
  readonly source: string | null;
  readonly domains: readonly string[];
  readonly limits: Partial<Limits>;
}

export const RECEIVERS: readonly Receiver[] = [
  {
    name: 'Gmail',
    source: null,
    domains: ['gmail.com', 'googlemail.com'],
    limits: { conversations: 10, messagesPerConnection: 50 },
  },
  {
    name: 'Yahoo and AOL',
    source: 'https://senders.yahooinc.com/best-practices',
    domains: [
      ...['yahoo.com', 'ymail.com', 'rocketmail.com', 'aol.com', 'aim.com', 'yahoo.com.mx', 'yahoo.com.ar'],
      ...['yahoo.com.br', 'yahoo.es', 'yahoo.fr', 'yahoo.de', 'yahoo.it', 'yahoo.co.uk', 'yahoo.ca'],
      ...['yahoo.com.co', 'yahoo.com.pe', 'yahoo.cl', 'yahoo.com.ve', 'yahoo.co.in', 'yahoo.in'],
    ],
    limits: { conversations: 10, messagesPerConnection: 20 },
  },
  {
    name: 'Outlook.com',
    source: 'https://sendersupport.olc.protection.outlook.com/pm/policies.aspx',
    domains: [
      ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'outlook.es', 'hotmail.es', 'live.com.mx'],
      ...['hotmail.com.mx', 'hotmail.com.ar', 'hotmail.co.uk', 'hotmail.fr', 'hotmail.it', 'hotmail.de'],
      ...['outlook.com.br', 'outlook.fr', 'outlook.de'],
    ],
    limits: { conversations: 10, messagesPerConnection: 50 },
  },
  {
    name: 'iCloud',
    source: null,
    domains: ['icloud.com', 'me.com', 'mac.com'],
    limits: { conversations: 5, messagesPerConnection: 20 },
  },
  {
    name: 'Orange',
    source: 'https://messagerie.orange.fr/postmaster.html',
    domains: ['orange.fr', 'wanadoo.fr'],
    limits: { conversations: 3 },
  },
  {
    name: 'Comcast',
    source: 'https://spa.xfinity.com/postmaster',
    domains: ['comcast.net'],
    limits: { conversations: 20 },
  },
];

const BY_DOMAIN = new Map(
  RECEIVERS.flatMap((receiver) => receiver.domains.map((domain) => [domain, receiver] as const)),
);

/** Null: none of them. */
export function receiverOf(destination: string): Receiver | null {
  return BY_DOMAIN.get(destination) ?? null;
}

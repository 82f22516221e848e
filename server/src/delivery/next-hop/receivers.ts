export interface Limits {
  /** Per delivery process and source pool. Null: the window's own. */
  readonly conversations: number | null;
  readonly messagesPerConnection: number | null;
  readonly messagesPerMinute: number | null;
}

/**
 * Large receivers: their domains and mail hosts, and the limits that a new sender begins with. A figure with
 * a source is published by the receiver. One without is our caution: it stays below the rates at which
 * senders report deferrals. Notes of the operator and of attempts take precedence. Checked on `AS_OF`.
 */
export const AS_OF = '2026-11-27';

interface Receiver {
  readonly name: string;
  readonly domains: readonly string[];
  /** Mail hosts, or their domains: they receive for other people's domains. */
  readonly hosts: readonly string[];
  readonly limits: Partial<Limits>;
  /** Where the receiver publishes a limit. */
  readonly sources: Partial<Record<keyof Limits, string>>;
}

export const RECEIVERS: readonly Receiver[] = [
  {
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com'],
    hosts: ['google.com', 'googlemail.com'],
    limits: { conversations: 10, messagesPerConnection: 50 },
    sources: {},
  },
  {
    name: 'Yahoo and AOL',
    domains: [
      ...['yahoo.com', 'ymail.com', 'rocketmail.com', 'aol.com', 'aim.com', 'yahoo.com.mx', 'yahoo.com.ar'],
      ...['yahoo.com.br', 'yahoo.es', 'yahoo.fr', 'yahoo.de', 'yahoo.it', 'yahoo.co.uk', 'yahoo.ca'],
      ...['yahoo.com.co', 'yahoo.com.pe', 'yahoo.cl', 'yahoo.com.ve', 'yahoo.co.in', 'yahoo.in'],
    ],
    hosts: ['yahoodns.net'],
    limits: { conversations: 10, messagesPerConnection: 20 },
    sources: { messagesPerConnection: 'https://help.yahoo.com/kb/SLN3433.html' },
  },
  {
    name: 'Outlook.com',
    domains: [
      ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'outlook.es', 'hotmail.es', 'live.com.mx'],
      ...['hotmail.com.mx', 'hotmail.com.ar', 'hotmail.co.uk', 'hotmail.fr', 'hotmail.it', 'hotmail.de'],
      ...['outlook.com.br', 'outlook.fr', 'outlook.de'],
    ],
    hosts: ['olc.protection.outlook.com'],
    // It publishes 500 sessions as the most that anybody may open, which says nothing of a new sender.
    limits: { conversations: 10, messagesPerConnection: 50 },
    sources: {},
  },
  {
    name: 'Microsoft 365',
    domains: [],
    hosts: ['mail.protection.outlook.com', 'mx.microsoft'],
    limits: {},
    sources: {},
  },
  {
    name: 'iCloud',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    hosts: ['mail.icloud.com'],
    limits: { conversations: 5, messagesPerConnection: 20 },
    sources: {},
  },
  {
    name: 'Orange',
    domains: ['orange.fr', 'wanadoo.fr'],
    hosts: ['orange.fr', 'wanadoo.fr'],
    // Its own page could not be read; others quote three for each mail host, and its 421 for the fourth.
    limits: { conversations: 3 },
    sources: {},
  },
  // It allows 25 sessions an address, more than a window ever has:
  // http://postmaster.comcast.net/block-removal-request.html
  { name: 'Comcast', domains: ['comcast.net'], hosts: ['comcast.net'], limits: {}, sources: {} },
  { name: 'Proofpoint', domains: [], hosts: ['pphosted.com', 'ppe-hosted.com'], limits: {}, sources: {} },
  { name: 'Mimecast', domains: [], hosts: ['mimecast.com'], limits: {}, sources: {} },
  { name: 'Barracuda', domains: [], hosts: ['barracudanetworks.com'], limits: {}, sources: {} },
];

const BY_DOMAIN = new Map(
  RECEIVERS.flatMap((receiver) => receiver.domains.map((domain) => [domain, receiver] as const)),
);

/** How caps name it: by its first domain. */
export function keyOf({ domains, hosts }: Receiver): string {
  return domains[0] ?? hosts[0]!;
}

/** The operator of a mail host. */
export function receiverOfHost(host: string): Receiver | null {
  const isOf = (parent: string) => host === parent || host.endsWith(`.${parent}`);
  return RECEIVERS.find(({ hosts }) => hosts.some(isOf)) ?? null;
}

/** Null: no known receiver. */
export function receiverOf(destination: string): Receiver | null {
  return BY_DOMAIN.get(destination) ?? null;
}

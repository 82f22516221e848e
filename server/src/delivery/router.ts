import type { ClaimedMessage } from './claimed.ts';
import type { Route } from './conversation.ts';

/** Where messages go: the test mailbox, one relay, or the hosts of the recipient's domain. */
export interface Router {
  /** Where all mail goes to one place, its key; else null. */
  readonly onlyKey: string | null;
  /** Conversations with a place of our own at once; null where windows adapt. */
  readonly fixedWindow: number | null;
  routeOf(item: ClaimedMessage): { readonly key: string; find(): Promise<Route> };
}

/** The test mailbox: on this machine, and the only place for mail of the sandbox's sender domain. */
export interface MailboxTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const MAILBOX_KEY = 'sandbox mailbox';
/** Conversations with the test mailbox at once: more gain nothing on one machine. */
const MAILBOX_WINDOW = 20;

/** Everything to the test mailbox: no mail leaves the machine. */
export function sandboxRouter(mailbox: MailboxTarget): Router {
  const route = { key: MAILBOX_KEY, find: async () => mailboxRoute(mailbox) };
  return { onlyKey: MAILBOX_KEY, fixedWindow: MAILBOX_WINDOW, routeOf: () => route };
}

function mailboxRoute({ host, address, port }: MailboxTarget): Route {
  return { kind: 'hops', hops: [{ host, address, port, tls: { mode: 'opportunistic' } }] };
}

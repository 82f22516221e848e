import { TLSSocket } from 'node:tls';
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { Counts } from '../counts.ts';
import { createHeldBytes } from '../held-bytes.ts';
import { holdersOf } from '../network/network.ts';
import { type Charged, createReceiver } from './smtp-receive.ts';
import { declaredSize, incoming, reversePathOf, tooManyRecipients } from './smtp-session.ts';
import { createDeadlines, SMTP_TIMEOUTS, type SmtpTimeouts } from './smtp-timeouts.ts';
import type { SmtpAnswer, SmtpListenerOptions } from './smtp-types.ts';

export interface SmtpJudge {
  readonly timeouts: SmtpTimeouts;
  heldBytes(): number;
  opened(session: SMTPServerSession): void;
  isAtWork(session: SMTPServerSession): boolean;
  secured(session: SMTPServerSession, socket: unknown): void;
  closed(session: SMTPServerSession): void;
  login(login: SMTPServerAuthentication, session: SMTPServerSession): Promise<SmtpAnswer | null>;
  sender(reversePath: string, session: SMTPServerSession): Promise<SmtpAnswer | null>;
  recipient(forwardPath: string, session: SMTPServerSession): Promise<SmtpAnswer | null>;
  /** The answer to a refused recipient, which may end the session. */
  refusedRecipient(reply: SmtpAnswer, session: SMTPServerSession): SmtpAnswer;
  data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<SmtpAnswer>;
}

/** Octets of messages in progress, per listener; and per network or account. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
const MAX_OWNER_HELD_BYTES = 64 * 1024 * 1024;

/** Limits address guessing. */
const MAX_REFUSED_RECIPIENTS = 20;
/** Logins refused in one session before it is ended. RFC 4954 §4 leaves the number to us. */
const MAX_REFUSED_LOGINS = 3;

const TOO_MANY_REFUSED: SmtpAnswer = { code: 421, text: '4.7.0 Too many refused recipients' };
const TOO_MANY_LOGINS: SmtpAnswer = { code: 421, text: '4.7.0 Too many failed authentications' };
const TOO_MANY_OF_ACCOUNT: SmtpAnswer = { code: 421, text: '4.7.0 Too many connections for this account' };
const TOO_SLOW = '4.4.2 The message took too long';
const NO_LOGIN = '4.4.2 Timed out: no login received';
const NO_RECIPIENT = '4.4.2 Timed out: no recipient of ours received';
const NO_MAIL = '4.4.2 Timed out: no message received';

interface SessionHands {
  end(session: SMTPServerSession, text: string): void;
  /** It did something valid; `holders` replace its own. */
  prove(session: SMTPServerSession, holders?: readonly string[]): void;
}

export function createSmtpJudge<Identity>(
  options: SmtpListenerOptions<Identity>,
  hands: SessionHands,
): SmtpJudge {
  const { end } = hands;
  const timeouts = { ...SMTP_TIMEOUTS, ...options.timeouts };
  const sessions = createSessions(options, timeouts, hands);
  const refusedRecipients = createTally();
  const held = createHeldBytes({
    maxBytes: options.maxHeldBytes ?? MAX_HELD_BYTES,
    maxBytesOfOne: options.maxHeldBytesOfOne ?? MAX_OWNER_HELD_BYTES,
  });
  const receiver = createReceiver({
    maxMessageBytes: options.maxMessageBytes,
    held,
    maxMs: timeouts.data,
    progressMs: timeouts.progress,
    bareLineFeeds: options.bareLineFeeds ?? 'refused',
  });
  /** The library keeps the cipher, not the protocol version. */
  const tlsVersions = new WeakMap<SMTPServerSession, string>();

  return {
    timeouts,
    heldBytes: () => held.total,
    opened: sessions.opened,
    isAtWork: sessions.isAtWork,
    secured(session, socket) {
      tlsVersions.set(session, socket instanceof TLSSocket ? (socket.getProtocol() ?? '') : '');
    },
    closed: sessions.closed,
    login: sessions.login,
    async sender(reversePath, session) {
      return (await options.onSender?.({ reversePath }, identityOf(session))) ?? null;
    },
    async recipient(forwardPath, session) {
      const { rcptTo, smtpUtf8 } = session.envelope;
      // A repeated recipient takes its own place.
      const isNew = !rcptTo.some(({ address }) => address.toLowerCase() === forwardPath.toLowerCase());
      if (isNew && rcptTo.length >= options.maxRecipients) return tooManyRecipients(options.maxRecipients);
      const refused = await options.onRecipient(
        {
          reversePath: reversePathOf(session),
          forwardPath,
          recipients: isNew ? rcptTo.length : rcptTo.length - 1,
          sizeBytes: declaredSize(session),
          smtpUtf8: smtpUtf8 === true,
        },
        identityOf(session),
      );
      if (refused === null && options.provesItself?.(forwardPath) !== false) sessions.namedRecipient(session);
      return refused;
    },
    refusedRecipient: (reply, session) =>
      refusedRecipients(session) > MAX_REFUSED_RECIPIENTS ? TOO_MANY_REFUSED : reply,
    async data(stream, session) {
      // The receiver times the message.
      sessions.atWork(session);
      const charged = sessions.chargedOf(session);
      const received = await receiver.receive(stream, charged, () => end(session, TOO_SLOW));
      try {
        if (received.kind === 'refused') return received.answer;
        const mail = incoming(session, received.raw, tlsVersions.get(session) ?? '');
        return await options.onMail(mail, identityOf(session));
      } finally {
        if (received.kind === 'content') received.release();
        sessions.awaitMail(session);
      }
    },
  };
}

/** Null if no login is needed. */
function identityOf<Identity>(session: SMTPServerSession): Identity {
  return (session.user ?? null) as Identity;
}

function createSessions<Identity>(
  options: SmtpListenerOptions<Identity>,
  timeouts: SmtpTimeouts,
  { end, prove }: SessionHands,
) {
  const isOpen = options.authenticate === undefined;
  const accounts = createTenancy(options.accounts?.maxClients ?? Number.POSITIVE_INFINITY);
  const deadlines = createDeadlines<SMTPServerSession>();
  const refusedLogins = createTally();
  const atWork = new WeakSet<SMTPServerSession>();
  const proven = new WeakSet<SMTPServerSession>();

  function awaitMail(session: SMTPServerSession): void {
    atWork.delete(session);
    deadlines.set(session, timeouts.noMail, () => end(session, NO_MAIL));
  }

  return {
    awaitMail,
    atWork(session: SMTPServerSession): void {
      atWork.add(session);
      deadlines.clear(session);
    },
    isAtWork: (session: SMTPServerSession) => atWork.has(session),
    opened(session: SMTPServerSession): void {
      deadlines.set(session, timeouts.firstAct, () => end(session, isOpen ? NO_RECIPIENT : NO_LOGIN));
    },
    /** Without logins, the first recipient shows that the client is legitimate. */
    namedRecipient(session: SMTPServerSession): void {
      if (!isOpen || proven.has(session)) return;
      proven.add(session);
      prove(session);
      awaitMail(session);
    },
    closed(session: SMTPServerSession): void {
      accounts.remove(session);
      deadlines.clear(session);
    },
    chargedOf(session: SMTPServerSession): Charged {
      const networks = holdersOf(session.remoteAddress).map((network) => `network ${network}`);
      const owners = networks.slice(-1);
      if (options.accounts !== undefined) owners.push(`account ${options.accounts.of(identityOf(session))}`);
      return { owners, around: networks.slice(0, -1) };
    },
    async login(given: SMTPServerAuthentication, session: SMTPServerSession): Promise<SmtpAnswer | null> {
      const clientAddress = session.remoteAddress;
      const [user, password] = [given.username ?? '', given.password ?? ''];
      const admission = await options.authenticate!({ user, password, clientAddress });
      if ('refused' in admission)
        return refusedLogins(session) >= MAX_REFUSED_LOGINS ? TOO_MANY_LOGINS : admission.refused;
      const account = options.accounts?.of(admission.identity);
      if (account !== undefined && !accounts.add(session, account)) return TOO_MANY_OF_ACCOUNT;
      session.user = admission.identity;
      prove(session, account === undefined ? undefined : [`account ${account}`]);
      awaitMail(session);
      return null;
    },
  };
}

/** Sessions of each owner. */
function createTenancy(max: number) {
  const counts = new Counts();
  const owners = new WeakMap<SMTPServerSession, string>();
  return {
    /** False: too many; still counted until it leaves. */
    add(member: SMTPServerSession, owner: string): boolean {
      owners.set(member, owner);
      return counts.add(owner, 1) <= max;
    },
    /** Does nothing for an unknown session. */
    remove(member: SMTPServerSession): void {
      const owner = owners.get(member);
      if (owner === undefined) return;
      owners.delete(member);
      counts.add(owner, -1);
    },
    count: (owner: string) => counts.of(owner),
  };
}

function createTally(): (session: SMTPServerSession) => number {
  const counts = new WeakMap<SMTPServerSession, number>();
  return (session) => {
    const count = (counts.get(session) ?? 0) + 1;
    counts.set(session, count);
    return count;
  };
}

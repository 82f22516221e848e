import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { whenGone } from '../../platform/http/connections.ts';
import type { Log } from '../../platform/logger.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { createSessionCookie, type SessionCookie } from './cookie.ts';
import type { LinkKind } from './one-time-link.ts';
import type { OwnOrigin } from './own-origin.ts';
import type { Passkeys } from './passkeys.ts';
import * as passkeysStore from './passkeys-store.ts';
import { createPasswords, type PasswordCost, type Passwords } from './passwords.ts';
import type { SystemMail } from './system-mail.ts';

/** What everything about people who sign in to the portal works with. */
export interface PortalSessions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly passwords: Passwords;
  /** Where people open the portal. */
  readonly publicUrl: () => string;
  /** Whether this process runs the sandbox: elsewhere nobody belongs to an account of it. */
  readonly sandbox: boolean;
  readonly own: OwnOrigin;
  readonly cookie: SessionCookie;
  /** Mail that Acuse itself sends; null: links are handed over by those who ask for them. */
  readonly mail: SystemMail | null;
  readonly passkeys: Passkeys;
}

/** A session without a request for this long is over (ms). */
export const IDLE_MS = 12 * 60 * 60 * 1000;
/** A session is over after this long, whatever happens in it (ms). */
export const LIFETIME_MS = 14 * 24 * 60 * 60 * 1000;
/** Time for the second factor after the first (ms). */
export const HALF_LIFETIME_MS = 10 * 60 * 1000;
/** Open sessions of a person; the oldest end. */
export const SESSIONS_MAX = 50;
/** A network from which somebody signed in is known for this long (ms); so long sessions are remembered. */
export const KNOWN_NETWORK_MS = 30 * 24 * 60 * 60 * 1000;
/** The page that each kind of link leads to. */
export const LINK_PAGES: Readonly<Record<LinkKind, string>> = {
  sign_in: '/portal/link',
  invitation: '/portal/link',
  password_reset: '/portal/password',
};

export function createPortalSessions(
  deps: Omit<PortalSessions, 'passwords' | 'cookie' | 'passkeys'>,
  passwordCost?: PasswordCost,
): PortalSessions {
  const { db, clock, log, secrets } = deps;
  return {
    ...deps,
    passkeys: { db, clock, log, secrets, store: passkeysStore, realm: 'portal', name: 'Acuse' },
    passwords: createPasswords(passwordCost),
    cookie: createSessionCookie('acuse_portal', deps.own.secure),
  };
}

/** The browser that asks. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** The name under which it asks; its Host field. */
  readonly host: string | undefined;
  /** Aborted once it goes away before it has its answer. */
  readonly gone: AbortSignal;
}

const USER_AGENT_MAX_CHARS = 300;

export function clientOf(request: FastifyRequest): Client {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX_CHARS);
  // Headers are latin1; what no column takes is not worth a refusal.
  return {
    address: request.ip,
    userAgent: userAgent.replaceAll('\0', ''),
    requestId: request.id,
    host: request.headers.host,
    gone: whenGone(request),
  };
}

/** A token that a browser is given, and never shown again. */
export interface NewCookie {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Gives the browser its token for as long as the session may last. */
export function giveCookie(
  { cookie, clock }: Pick<PortalSessions, 'cookie' | 'clock'>,
  reply: FastifyReply,
  { token, expiresAt }: NewCookie,
): void {
  const seconds = Math.ceil((expiresAt.getTime() - clock.now().getTime()) / 1000);
  reply.header('set-cookie', cookie.set(token, seconds));
}

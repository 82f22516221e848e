import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf } from '../../platform/network/network.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import {
  type Client,
  HALF_LIFETIME_MS,
  KNOWN_NETWORK_MS,
  LIFETIME_MS,
  type PortalSessions,
  SESSIONS_MAX,
} from './portal-sessions.ts';
import {
  endOldestSessions,
  endSession,
  findSession,
  forgetSessions,
  insertSession,
  type OpenSession,
} from './sessions-store.ts';
import { newToken, tokenSha256 } from './tokens.ts';
import type { User } from './users-store.ts';

/** What a second factor may be. */
export type Method = 'passkey' | 'totp' | 'recovery_code';

export interface OpenedSession {
  readonly state: 'signed_in' | 'second_factor';
  /** What the second factor may be; empty when none is asked for. */
  readonly methods: readonly Method[];
  readonly sessionId: string;
  /** The cookie's value: of this session alone, and never shown again. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** The browser, and the session that it had. */
export interface SignInFrom {
  readonly client: Client;
  readonly previousToken: string | null;
  readonly whole?: boolean;
}

/**
 * Opens a session of somebody whose first factor was right; `whole`: a passkey, which is both. The session
 * that the browser had ends: a token from before the sign-in is worth nothing after it.
 */
export async function openSession(
  tx: Tx,
  { clock }: Pick<PortalSessions, 'clock'>,
  user: User,
  { client, previousToken, whole = false }: SignInFrom,
): Promise<OpenedSession> {
  const at = clock.now();
  if (previousToken !== null) await endByToken(tx, previousToken, at);
  await forgetSessions(tx, user.userId, new Date(at.getTime() - KNOWN_NETWORK_MS));
  const methods = whole ? [] : secondFactorsOf(user);
  const half = methods.length > 0;
  const { token, sha256 } = newToken();
  const expiresAt = new Date(at.getTime() + (half ? HALF_LIFETIME_MS : LIFETIME_MS));
  const sessionId = newId(at.getTime());
  await insertSession(tx, {
    sessionId,
    userId: user.userId,
    state: half ? 'half' : 'whole',
    tokenSha256: sha256,
    createdAt: at,
    authenticatedAt: at,
    lastSeenAt: at,
    expiresAt,
    network: networkOf(client.address),
    clientAddress: client.address,
    userAgent: client.userAgent,
  });
  await endOldestSessions(tx, user.userId, SESSIONS_MAX, at);
  return {
    state: half ? 'second_factor' : 'signed_in',
    methods,
    sessionId,
    token,
    expiresAt,
  };
}

/** What a person who has given a password, or spent a link, may show next. */
export function secondFactorsOf(person: Pick<User, 'hasPasskeys' | 'totpSealed'>): Method[] {
  if (!hasSecondFactor(person)) return [];
  return [
    ...(person.hasPasskeys ? (['passkey'] as const) : []),
    ...(person.totpSealed === null ? [] : (['totp'] as const)),
    'recovery_code',
  ];
}

/** The session of a cookie; null: there is none that is open. */
export async function findByToken(tx: Tx, token: string | null, at: Date): Promise<OpenSession | null> {
  const sha256 = token === null ? null : tokenSha256(token);
  return sha256 === null ? null : findSession(tx, sha256, at);
}

async function endByToken(tx: Tx, token: string, at: Date): Promise<void> {
  const previous = await findByToken(tx, token, at);
  if (previous !== null) await endSession(tx, previous.userId, previous.sessionId, at);
}

/** One answer for whatever is wrong with an address or a password. */
export function wrongCredentials() {
  return apiError('unauthorized', 'The address or the password is wrong.');
}

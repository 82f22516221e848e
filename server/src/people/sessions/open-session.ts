import type { FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf } from '../../platform/network/network.ts';
import type { Client } from './client.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { HALF_LIFETIME_MS, KNOWN_NETWORK_MS, type PeopleOfKind, SESSIONS_MAX } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { newToken, tokenSha256 } from './tokens.ts';

/** Kinds of second factors; `enrol`: one must be set up first. */
export type Method = 'passkey' | 'totp' | 'recovery_code' | 'enrol';

export interface OpenedSession<P extends Person = Person> {
  readonly person: P;
  readonly state: 'signed_in' | 'second_factor';
  /** Accepted second factors; empty when none is needed. */
  readonly methods: readonly Method[];
  readonly sessionId: string;
  /** The cookie's value: of this session alone, and never shown again. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** The browser, and the session that it had. */
interface SignInFrom {
  readonly client: Client;
  readonly previousToken: string | null;
  readonly whole?: boolean;
}

/**
 * Opens a session after a correct first factor; `whole`: a passkey, which is both. The session that the
 * browser had ends: a token from before the sign-in is worth nothing after it.
 */
export async function openSession<P extends Person, S extends OpenSession>(
  tx: Tx,
  { clock, store, kind }: PeopleOfKind<P, S>,
  person: P,
  { client, previousToken, whole = false }: SignInFrom,
): Promise<OpenedSession<P>> {
  const at = clock.now();
  const previous = previousToken === null ? null : tokenSha256(previousToken);
  if (previous !== null) await store.endSessionByToken(tx, previous, at);
  const { personId } = person;
  await store.forgetSessions(tx, personId, new Date(at.getTime() - KNOWN_NETWORK_MS));
  const methods = whole ? [] : methodsOf(person, kind.needsSecondFactor);
  const half = methods.length > 0;
  const { token, sha256 } = newToken();
  const expiresAt = new Date(at.getTime() + (half ? HALF_LIFETIME_MS : kind.lifetimeMs));
  const sessionId = newId(at.getTime());
  await store.insertSession(tx, {
    ...{ sessionId, personId, tokenSha256: sha256, state: half ? 'half' : 'whole', expiresAt },
    ...{ createdAt: at, authenticatedAt: at, lastSeenAt: at },
    network: networkOf(client.address),
    clientAddress: client.address,
    userAgent: client.userAgent,
  });
  await store.endOldestSessions(tx, personId, SESSIONS_MAX, at);
  return { person, state: half ? 'second_factor' : 'signed_in', methods, sessionId, token, expiresAt };
}

/** Factors that may follow a password or a link. */
function methodsOf(person: Person, needsSecondFactor: boolean): Method[] {
  if (!hasSecondFactor(person)) return needsSecondFactor ? ['enrol'] : [];
  return [
    ...(person.hasPasskeys ? (['passkey'] as const) : []),
    ...(person.totpSealed === null ? [] : (['totp'] as const)),
    'recovery_code',
  ];
}

/** The open session of a cookie; null: none. */
export async function findByToken<P extends Person, S extends OpenSession>(
  tx: Tx,
  { clock, store, kind }: PeopleOfKind<P, S>,
  token: string | null,
): Promise<S | null> {
  const sha256 = token === null ? null : tokenSha256(token);
  const now = clock.now();
  const found = sha256 === null ? null : await store.findSession(tx, sha256, now);
  if (found === null || found.lastSeenAt >= idleSince(kind, now)) return found;
  // For good, even when the clock goes back.
  await store.endSession(tx, found.personId, found.sessionId, now);
  return null;
}

/** How exact `last_seen_at` is (ms). */
const SEEN_RESOLUTION_MS = 60_000;

/** The session of a request's cookie; marks it as used. Throws unauthorized, rate_limited. */
export async function readSession<P extends Person, S extends OpenSession, T>(
  people: PeopleOfKind<P, S>,
  { headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>,
  { passive, more }: { readonly passive: boolean; more(tx: Tx, session: S): Promise<T> },
): Promise<S & T> {
  const { db, clock, cookie, store, lookUps } = people;
  const token = cookie.read(headers.cookie);
  const look = () =>
    db.asSessions(async (tx) => {
      const found = await findByToken(tx, people, token);
      if (found === null) return null;
      const now = clock.now();
      const unseenMs = now.getTime() - found.lastSeenAt.getTime();
      if (unseenMs > SEEN_RESOLUTION_MS && !passive) await store.touchSession(tx, found.sessionId, now);
      return { ...found, ...(await more(tx, found)) };
    });
  const session = token === null ? null : await lookUps(ip, token, look);
  if (session === null) throw apiError('unauthorized', 'There is no session, or it has ended: sign in.');
  return session;
}

/** Before this moment a session was seen last that has idled out. */
export function idleSince({ idleMs }: { readonly idleMs: number }, now: Date): Date {
  return new Date(now.getTime() - idleMs);
}

/** One answer for whatever is wrong with an address or a password. */
export function wrongCredentials() {
  return apiError('unauthorized', 'The address or the password is wrong.');
}

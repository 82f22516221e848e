import { apiError } from '../../errors.ts';
import {
  endSessionByToken,
  findSession,
  forgetSessions,
  insertSession,
  isKnownNetwork,
  spendLink,
} from '../../people/operators/operator-sessions-store.ts';
import {
  findOperatorByEmail,
  hasOperators,
  insertOperator,
  lockOperator,
  lockOperators,
  type Operator,
} from '../../people/operators/operators-store.ts';
import { emailKeyOf } from '../../people/sessions/email.ts';
import { hasSecondFactor } from '../../people/sessions/has-second-factor.ts';
import { type SignInFrom, secondFactorsOf, wrongCredentials } from '../../people/sessions/open-session.ts';
import { type Answered, readShown, useShown, wrongPasskey } from '../../people/sessions/passkeys.ts';
import { DEFAULT_TIME_ZONE } from '../../people/sessions/people.ts';
import { type Client, HALF_LIFETIME_MS, KNOWN_NETWORK_MS } from '../../people/sessions/portal-sessions.ts';
import { ofAnother } from '../../people/sessions/sign-in.ts';
import { takeSignIn } from '../../people/sessions/sign-in-limits.ts';
import { newToken, tokenSha256 } from '../../people/sessions/tokens.ts';
import type { GivenAssertion } from '../../people/sessions/webauthn.ts';
import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf } from '../../platform/network/network.ts';
import { idleSince, LIFETIME_MS, type OperatorSessions } from './operator-sessions.ts';

/** How an operator gets a session: by a password, by a link that is good once, or by a passkey. */

/** What the second factor may be; `enrol`: one is to be set up first. */
export type Method = 'passkey' | 'totp' | 'recovery_code' | 'enrol';

export interface Opened {
  readonly operator: Operator;
  readonly sessionId: string;
  readonly state: 'signed_in' | 'second_factor';
  readonly methods: readonly Method[];
  /** The cookie's value, never shown again. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Who has no name yet, because nobody was there to give one. */
const FIRST = { email: 'admin@localhost', name: 'Admin' };

/** Throws unauthorized, rate_limited, unavailable. */
export async function signInWithPassword(
  sessions: OperatorSessions,
  { email, password }: { readonly email: string; readonly password: string },
  client: Client,
  previousToken: string | null,
): Promise<Opened> {
  const { db, clock, passwords } = sessions;
  const key = emailKeyOf(email);
  const found = await db.asSessions(async (tx) => {
    const operator = await findOperatorByEmail(tx, key);
    return { operator, known: operator !== null && (await isKnown(tx, clock.now(), operator, client)) };
  });
  const { operator, known: knownNetwork } = found;
  const attempt = { realm: 'admin', address: client.address, person: key, knownNetwork } as const;
  const release = await takeSignIn(sessions, attempt);
  const fits = await passwords
    .fits(password, operator?.passwordPhc ?? null, { ...client, known: knownNetwork })
    .catch(async (error: unknown) => {
      await release();
      throw error;
    });
  if (!fits || operator === null) throw wrongCredentials();
  await release();
  return db.asSessions(async (tx) => {
    const current = await lockOperator(tx, operator.operatorId);
    // Changed while the old one was looked at: it opens nothing any more.
    if (current === null || current.passwordPhc !== operator.passwordPhc) throw wrongCredentials();
    return open(tx, sessions, current, { client, previousToken });
  });
}

/**
 * Spends a link; who spends that of a first start becomes the first operator. One of another operator than
 * the one whose session is open is not spent unless that is meant. Throws invalid_link, conflict.
 */
export async function signInWithLink(
  sessions: OperatorSessions,
  { link: secret, replaces }: { readonly link: string; readonly replaces: boolean },
  client: Client,
  previousToken: string | null,
): Promise<Opened> {
  const sha256 = tokenSha256(secret);
  if (sha256 === null) throw apiError('invalid_link');
  return sessions.db.asSessions(async (tx) => {
    const link = await spendLink(tx, sha256, sessions.clock.now());
    if (link === null) throw apiError('invalid_link');
    const id = link.operatorId ?? (await becomeFirst(tx, sessions));
    const operator = await lockOperator(tx, id);
    if (operator === null) throw apiError('invalid_link');
    const current = replaces ? null : await findOpen(tx, sessions, previousToken);
    if (current !== null && current.operatorId !== operator.operatorId)
      throw ofAnother(current.email, operator.email);
    return open(tx, sessions, operator, { client, previousToken });
  });
}

/** By a passkey alone: its owner was there, and unlocked it. Throws conflict, unauthorized, rate_limited. */
export async function signInWithPasskey(
  sessions: OperatorSessions,
  given: Answered<GivenAssertion>,
  client: Client,
  previousToken: string | null,
): Promise<Opened> {
  const { db, own, passkeys } = sessions;
  const party = own.relyingParty(client.host);
  const attempt = { realm: 'admin', address: client.address, person: null, knownNetwork: false } as const;
  const release = await takeSignIn(sessions, attempt);
  const shown = await readShown(passkeys, party, given, null);
  if (shown === null) throw wrongPasskey();
  const opened = await db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, shown.passkey.ownerId);
    if (operator === null || !(await useShown(tx, passkeys, shown))) throw wrongPasskey();
    return open(tx, sessions, operator, { client, previousToken, whole: true });
  });
  await release();
  return opened;
}

/** Throws invalid_link when somebody else was first. */
async function becomeFirst(tx: Tx, { clock }: OperatorSessions): Promise<string> {
  await lockOperators(tx);
  if (await hasOperators(tx)) throw apiError('invalid_link');
  const createdAt = clock.now();
  const operatorId = newId(createdAt.getTime());
  const facts = { operatorId, emailKey: FIRST.email, role: 'admin', timeZone: DEFAULT_TIME_ZONE } as const;
  await insertOperator(tx, { ...FIRST, ...facts, createdAt });
  return operatorId;
}

async function open(
  tx: Tx,
  { clock, onLoopback }: OperatorSessions,
  operator: Operator,
  { client, previousToken, whole = false }: SignInFrom,
): Promise<Opened> {
  const now = clock.now();
  const methods = whole ? [] : methodsOf(operator, onLoopback);
  const state = methods.length === 0 ? 'whole' : 'half';
  const { token, sha256 } = newToken();
  const expiresAt = new Date(now.getTime() + (state === 'whole' ? LIFETIME_MS : HALF_LIFETIME_MS));
  const sessionId = newId(now.getTime());
  const { operatorId } = operator;
  const previous = previousToken === null ? null : tokenSha256(previousToken);
  if (previous !== null) await endSessionByToken(tx, previous, now);
  await forgetSessions(tx, operatorId, new Date(now.getTime() - KNOWN_NETWORK_MS));
  await insertSession(tx, {
    ...{ sessionId, operatorId, tokenSha256: sha256, state, expiresAt },
    ...{ createdAt: now, authenticatedAt: now, lastSeenAt: now },
    network: networkOf(client.address),
    clientAddress: client.address,
    userAgent: client.userAgent,
  });
  return {
    ...{ operator, sessionId, methods, token, expiresAt },
    state: state === 'whole' ? 'signed_in' : 'second_factor',
  };
}

async function findOpen(tx: Tx, { clock }: OperatorSessions, token: string | null) {
  const sha256 = token === null ? null : tokenSha256(token);
  const now = clock.now();
  return sha256 === null ? null : findSession(tx, sha256, now, idleSince(now));
}

function methodsOf(operator: Operator, onLoopback: boolean): readonly Method[] {
  if (hasSecondFactor(operator)) return secondFactorsOf(operator);
  return onLoopback ? [] : ['enrol'];
}

/** Whether the operator signed in from this client's network lately. */
export function isKnown(
  tx: Tx,
  now: Date,
  { operatorId }: Pick<Operator, 'operatorId'>,
  client: Pick<Client, 'address'>,
): Promise<boolean> {
  const since = new Date(now.getTime() - KNOWN_NETWORK_MS);
  return isKnownNetwork(tx, operatorId, networkOf(client.address), since);
}

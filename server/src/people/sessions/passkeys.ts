import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/logger.ts';
import { randomSecret } from '../../platform/random.ts';
import { SealedSecretError, type SecretBox } from '../../platform/secrets.ts';
import { forgetChallenges, spendChallenge } from './challenges-store.ts';
import type { RelyingParty } from './own-origin.ts';
import type { PeopleStore } from './people-store.ts';
import type { NewPasskey, Passkey } from './person.ts';
import {
  type Asserted,
  creationOptions,
  type GivenAssertion,
  type GivenRegistration,
  type Owner,
  readAssertion,
  readRegistration,
  requestOptions,
} from './webauthn.ts';

/**
 * Registers and checks passkeys. People and operators have their own tables and names; checks and refusals
 * are the same.
 */
export interface Passkeys extends DbAndClock {
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly store: PeopleStore;
  /** Part of the sealing context: attempts of one console open nothing in the other. */
  readonly realm: 'portal' | 'admin';
  readonly name: string;
}

/** A browser's credential, with its attempt. */
export interface Answered<T> {
  readonly attempt: string;
  readonly credential: T;
}

/** A passkey that its owner just showed. Valid until `useShown` records it. */
export interface Shown extends Asserted {
  readonly passkey: Passkey;
}

/** Passkeys per person: with more, nobody can tell them apart. */
export const PASSKEYS_MAX = 20;
/** Challenges that are over, forgotten with each answer: more than an answer makes. */
const FORGOTTEN_AT_ONCE = 20;

const REGISTER = 'register';
const SIGN_IN = 'sign_in';
const SHOW = 'show';

/** Options for a new passkey in this session. Throws conflict when there are enough. */
export async function beginRegistration(
  passkeys: Passkeys,
  party: RelyingParty,
  by: { owner: Owner; sessionId: string },
) {
  const { db, store, name } = passkeys;
  const known = await db.asSessions((tx) => store.listPasskeys(tx, by.owner.id));
  if (known.length >= PASSKEYS_MAX) throw enough();
  const { challenge, attempt } = newAttempt(passkeys, purposeOf(passkeys, REGISTER, by.sessionId));
  return { attempt, options: creationOptions({ ...party, name }, by.owner, challenge, known) };
}

/** Adds the passkey that a browser made. Throws conflict, invalid_body. */
export async function readNewPasskey(
  passkeys: Passkeys,
  party: RelyingParty,
  { attempt, credential }: Answered<GivenRegistration>,
  by: { ownerId: string; sessionId: string; name: string },
): Promise<NewPasskey> {
  const { challenge } = await spend(passkeys, attempt, purposeOf(passkeys, REGISTER, by.sessionId));
  const read = await readRegistration(credential, { party, challenge });
  if ('refused' in read) {
    passkeys.log.warn({ reason: read.refused }, 'a new passkey was refused');
    throw apiError('invalid_body', 'The passkey was refused: ask for new options and register it again.');
  }
  const createdAt = passkeys.clock.now();
  const passkeyId = newId(createdAt.getTime());
  return { ...read, passkeyId, ownerId: by.ownerId, name: by.name, createdAt };
}

/** Keeps it; the owner's row is locked. Throws conflict. */
export async function keepPasskey(tx: Tx, { store }: Passkeys, passkey: NewPasskey): Promise<Passkey> {
  if ((await store.listPasskeys(tx, passkey.ownerId)).length >= PASSKEYS_MAX) throw enough();
  const kept = await store.insertPasskey(tx, passkey);
  if (kept === null) throw apiError('conflict', 'This passkey is registered already.');
  return kept;
}

/** For somebody not yet known: the device says who it is. */
export function beginSignIn(passkeys: Passkeys, party: RelyingParty) {
  const { challenge, attempt } = newAttempt(passkeys, purposeOf(passkeys, SIGN_IN, null));
  return { attempt, options: requestOptions(party, challenge, []) };
}

/** For somebody in a session: one of their own passkeys. Throws conflict when they have none. */
export async function beginShowing(
  passkeys: Passkeys,
  party: RelyingParty,
  by: { ownerId: string; sessionId: string },
) {
  const { db, store } = passkeys;
  const known = await db.asSessions((tx) => store.listPasskeys(tx, by.ownerId));
  if (known.length === 0) throw apiError('conflict', 'You have no passkey: register one first.');
  const { challenge, attempt } = newAttempt(passkeys, purposeOf(passkeys, SHOW, by.sessionId));
  return { attempt, options: requestOptions(party, challenge, known) };
}

/**
 * The owner of this passkey; null when the answer is wrong. `by`: the session in which it was asked for; null
 * at sign-in. Throws conflict for an attempt that is over.
 */
export async function readShown(
  passkeys: Passkeys,
  party: RelyingParty,
  { attempt, credential }: Answered<GivenAssertion>,
  by: { ownerId: string; sessionId: string } | null,
): Promise<Shown | null> {
  const { db, store } = passkeys;
  const purpose = purposeOf(passkeys, by === null ? SIGN_IN : SHOW, by?.sessionId ?? null);
  const { challenge } = await spend(passkeys, attempt, purpose);
  const credentialId = Buffer.from(credential.id, 'base64url');
  const passkey = await db.asSessions((tx) => store.findPasskey(tx, credentialId));
  if (passkey === null || (by !== null && passkey.ownerId !== by.ownerId)) return null;
  // Whoever was not named beforehand says who they are.
  if (by === null && credential.response.userHandle === undefined) return null;
  const read = await readAssertion(credential, { party, challenge }, passkey);
  if (!('refused' in read)) return { ...read, passkey };
  const { passkeyId, ownerId } = passkey;
  passkeys.log.warn({ passkeyId, ownerId, reason: read.refused }, 'a passkey was refused');
  return null;
}

/** Records the passkey's use; the owner's row is locked. False when it changed meanwhile. */
export function useShown(
  tx: Tx,
  { store, clock }: Passkeys,
  { passkey, signCount, backedUp }: Shown,
): Promise<boolean> {
  return store.usePasskey(tx, passkey, { signCount, backedUp, at: clock.now() });
}

/** One answer for whatever is wrong with a passkey. */
export function wrongPasskey() {
  return apiError(
    'unauthorized',
    'The passkey was refused: it is unknown here, was removed, or its answer is wrong. Try again, or sign in another way.',
  );
}

async function spend(passkeys: Passkeys, attempt: string, purpose: string): Promise<OpenedAttempt> {
  const opened = openAttempt(passkeys, attempt, purpose);
  const { sha256, expiresAt } = opened;
  const first = await passkeys.db.asSessions(async (tx) => {
    await forgetChallenges(tx, passkeys.clock.now(), FORGOTTEN_AT_ONCE);
    return spendChallenge(tx, sha256, expiresAt);
  });
  if (!first) throw attemptOver();
  return opened;
}

function purposeOf({ realm }: Passkeys, what: string, sessionId: string | null): string {
  return `${realm}:${what}:${sessionId ?? ''}`;
}

export function noSuchPasskey() {
  return apiError('not_found', 'You have no passkey with this id.');
}

export function onlyWayIn() {
  return apiError('conflict', 'This passkey is your only way to sign in: set a password first.');
}

function enough() {
  return apiError('conflict', `Limit of ${PASSKEYS_MAX} passkeys reached: remove one first.`);
}

export function presentPasskey(passkey: Passkey) {
  return {
    id: passkey.passkeyId,
    name: passkey.name,
    synced: passkey.backedUp,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  };
}

/**
 * The challenge for a passkey, and its attempt. Nothing is stored before the answer: the attempt is the
 * challenge itself, sealed for its purpose, and comes back with the answer. So anybody may begin to sign in
 * as often as they like without filling a table.
 */
interface Attempt {
  /** 256 random bits. */
  readonly challenge: Buffer;
  /** For the page that asked: the challenge and its end, sealed. */
  readonly attempt: string;
}

interface OpenedAttempt {
  /** As a browser writes it into the data that it signs. */
  readonly challenge: string;
  /** The key under which a challenge is spent. */
  readonly sha256: Buffer;
  readonly expiresAt: Date;
}

/** As long as browsers keep their prompt open, and time to find the device (ms). */
const ATTEMPT_MS = 5 * 60 * 1000;

const CHALLENGE_BYTES = 32;
const TIME_BYTES = 8;

interface Deps {
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/** `purpose`: includes the session; only the same purpose opens the attempt. */
function newAttempt({ secrets, clock }: Deps, purpose: string): Attempt {
  const challenge = Buffer.from(randomSecret(CHALLENGE_BYTES));
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(clock.now().getTime() + ATTEMPT_MS));
  const sealed = secrets.seal(Buffer.concat([time, challenge]), contextOf(purpose));
  return { challenge, attempt: sealed.toString('base64url') };
}

/** Throws conflict if the attempt has expired or has another purpose. */
function openAttempt({ secrets, clock }: Deps, attempt: string, purpose: string): OpenedAttempt {
  const plain = opened(secrets, Buffer.from(attempt, 'base64url'), contextOf(purpose));
  const expiresAt = new Date(plain === null ? 0 : Number(plain.readBigUInt64BE()));
  if (plain === null || expiresAt <= clock.now()) throw attemptOver();
  const challenge = plain.subarray(TIME_BYTES);
  return {
    challenge: challenge.toString('base64url'),
    sha256: hash('sha256', challenge, 'buffer'),
    expiresAt,
  };
}

function attemptOver() {
  return apiError(
    'conflict',
    'This attempt has expired, was answered already or belongs to another session: ask for new options.',
  );
}

function opened(secrets: SecretBox, sealed: Buffer, context: string): Buffer | null {
  try {
    return secrets.open(sealed, context);
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}

function contextOf(purpose: string): string {
  return `passkey-attempt:${purpose}`;
}

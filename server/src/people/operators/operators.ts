import { apiError } from '../../errors.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import type { OperatorRole } from '../../platform/http/http.ts';
import { isId, newId } from '../../platform/ids.ts';
import { emailKeyOf, readEmail } from '../sessions/email.ts';
import { LINK_LIFETIME_MS, linkUrl } from '../sessions/one-time-link.ts';
import { DEFAULT_TIME_ZONE } from '../sessions/people.ts';
import type { ProfileChange } from '../sessions/people-store.ts';
import { newToken } from '../sessions/tokens.ts';
import { OPERATORS, type Operator } from './operator.ts';
import {
  countAdmins,
  deleteOperator,
  dropLinks,
  hasOperators,
  insertLink,
  insertOperator,
  lockOperators,
  type OperatorChange,
  updateOperator,
} from './operators-store.ts';

export interface OperatorsDeps extends DbAndClock {
  /** Where operators open the console. */
  readonly adminUrl: () => string;
}

/** A link that signs in once; nobody else ever sees it again. */
export interface OperatorLink {
  readonly url: string;
  readonly expiresAt: Date;
}

const LINK_PAGE = '/link';
const OPERATORS_MAX = 1_000;

export function readOperators(
  { db }: OperatorsDeps,
  before: string | null,
  limit: number,
): Promise<Operator[]> {
  return db.asSessions((tx) => OPERATORS.list(tx, before, limit));
}

/** Adds an operator, with the link that signs them in first. Throws invalid_address, conflict. */
export async function addOperator(
  deps: OperatorsDeps,
  input: { readonly email: string; readonly name: string; readonly role: OperatorRole },
): Promise<{ operator: Operator; link: OperatorLink }> {
  const { address: email, key: emailKey } = readEmail(input.email);
  const createdAt = deps.clock.now();
  const personId = newId(createdAt.getTime());
  const { name, role } = input;
  return deps.db.asSessions(async (tx) => {
    if ((await OPERATORS.list(tx, null, OPERATORS_MAX)).length === OPERATORS_MAX)
      throw apiError('conflict', `Limit of ${OPERATORS_MAX} operators reached: remove some first.`);
    const facts = { personId, email, emailKey, name, role, timeZone: DEFAULT_TIME_ZONE, createdAt };
    if (!(await insertOperator(tx, facts))) throw taken(email);
    return {
      operator: (await OPERATORS.lockPerson(tx, personId))!,
      link: await makeLink(tx, deps, personId),
    };
  });
}

/**
 * Changes the given fields. There is always an admin. Returns the former values too. Throws not_found,
 * invalid_address, conflict.
 */
export async function changeOperator(
  { db, clock }: Pick<OperatorsDeps, 'db' | 'clock'>,
  operatorId: string,
  given: Omit<OperatorChange, 'emailKey'> & ProfileChange,
): Promise<{ before: Operator; after: Operator }> {
  const address = given.email === undefined ? null : readEmail(given.email);
  const change = { ...given, ...(address !== null && { email: address.address, emailKey: address.key }) };
  return db.asSessions(async (tx) => {
    // Two admins who demote each other at once come one after the other.
    await lockOperators(tx);
    const before = await requireOperator(tx, operatorId);
    if (address !== null) {
      const holder = await OPERATORS.findByEmail(tx, address.key);
      if (holder !== null && holder.personId !== operatorId) throw taken(address.address);
    }
    if (before.role === 'admin' && given.role === 'support') await requireAnotherAdmin(tx);
    await updateOperator(tx, operatorId, change, clock.now());
    const after = await OPERATORS.updateProfile(tx, operatorId, change, clock.now());
    return { before, after: after! };
  });
}

/** Their sessions end at once. Throws not_found, conflict. */
export async function removeOperator(
  { db }: Pick<OperatorsDeps, 'db'>,
  operatorId: string,
): Promise<Operator> {
  return db.asSessions(async (tx) => {
    await lockOperators(tx);
    const operator = await requireOperator(tx, operatorId);
    if (operator.role === 'admin') await requireAnotherAdmin(tx);
    await deleteOperator(tx, operatorId);
    return operator;
  });
}

/** A new link for somebody who cannot sign in; the earlier one stops working. Throws not_found. */
export function linkOperator(
  deps: OperatorsDeps,
  operatorId: string,
): Promise<{ operator: Operator; link: OperatorLink }> {
  return deps.db.asSessions(async (tx) => ({
    operator: await requireOperator(tx, operatorId),
    link: await makeLink(tx, deps, operatorId),
  }));
}

/** By address, for the command line; the first operator's may be no address of mail. Throws not_found. */
export async function requireByEmail({ db }: Pick<OperatorsDeps, 'db'>, email: string): Promise<Operator> {
  const operator = await db.asSessions((tx) => OPERATORS.findByEmail(tx, emailKeyOf(email)));
  if (operator === null) throw apiError('not_found', `No operator has the address ${email}.`);
  return operator;
}

/** Removes a lost second factor, and ends every session. Throws not_found. */
export async function resetFactor({ db, clock }: OperatorsDeps, operatorId: string): Promise<boolean> {
  const at = clock.now();
  return db.asSessions(async (tx) => {
    await requireOperator(tx, operatorId);
    await OPERATORS.endSessions(tx, operatorId, null, at);
    await OPERATORS.replaceRecoveryCodes(tx, operatorId, []);
    const dropped = await OPERATORS.dropTotp(tx, operatorId, at);
    return (await OPERATORS.deletePasskeys(tx, operatorId)) > 0 || dropped;
  });
}

/** The link of a first start; null once there is an operator. */
export async function firstLink(deps: OperatorsDeps): Promise<OperatorLink | null> {
  return deps.db.asSessions(async (tx) => {
    if (await hasOperators(tx)) return null;
    // Another process may have printed a link of its own: each is valid until the first operator exists.
    return insertNew(tx, deps, null);
  });
}

async function makeLink(tx: Tx, deps: OperatorsDeps, operatorId: string): Promise<OperatorLink> {
  await dropLinks(tx, operatorId, deps.clock.now());
  return insertNew(tx, deps, operatorId);
}

async function insertNew(tx: Tx, deps: OperatorsDeps, operatorId: string | null): Promise<OperatorLink> {
  const createdAt = deps.clock.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_LIFETIME_MS.sign_in);
  const { token, sha256: tokenSha256 } = newToken();
  const linkId = newId(createdAt.getTime());
  await insertLink(tx, { linkId, operatorId, tokenSha256, createdAt, expiresAt });
  return { url: linkUrl(deps.adminUrl(), LINK_PAGE, token), expiresAt };
}

async function requireOperator(tx: Tx, operatorId: string): Promise<Operator> {
  const operator = isId(operatorId) ? await OPERATORS.lockPerson(tx, operatorId) : null;
  if (operator === null) throw apiError('not_found', `No operator has the id ${operatorId}.`);
  return operator;
}

async function requireAnotherAdmin(tx: Tx): Promise<void> {
  if ((await countAdmins(tx)) < 2)
    throw apiError('conflict', 'This is the last admin: make another operator an admin first.');
}

function taken(email: string) {
  return apiError('conflict', `An operator with the address ${email} exists already.`);
}

export function presentOperator(operator: Operator) {
  return {
    id: operator.personId,
    email: operator.email,
    name: operator.name === '' ? null : operator.name,
    role: operator.role,
    has_password: operator.passwordPhc !== null,
    has_totp: operator.totpSealed !== null,
    has_passkeys: operator.hasPasskeys,
    created_at: operator.createdAt.toISOString(),
  };
}

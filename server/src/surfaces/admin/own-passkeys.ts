import { apiError } from '../../errors.ts';
import {
  deletePasskey,
  listPasskeys,
  renamePasskey,
} from '../../people/operators/operator-passkeys-store.ts';
import {
  endSessions,
  type OpenSession,
  refreshAuthentication,
} from '../../people/operators/operator-sessions-store.ts';
import { lockOperator, replaceRecoveryCodes } from '../../people/operators/operators-store.ts';
import { hasSecondFactor } from '../../people/sessions/has-second-factor.ts';
import {
  type Answered,
  keepPasskey,
  noSuchPasskey,
  onlyWayIn,
  type Passkey,
  readNewPasskey,
} from '../../people/sessions/passkeys.ts';
import type { Client, NewCookie } from '../../people/sessions/portal-sessions.ts';
import { newRecoveryCodes } from '../../people/sessions/recovery-codes.ts';
import type { GivenRegistration } from '../../people/sessions/webauthn.ts';
import { isId } from '../../platform/ids.ts';
import { assertMayEnrol, assertMayGoWithout, complete } from './factors.ts';
import type { OperatorSessions } from './operator-sessions.ts';

/** Passkeys of operators as their owners add, name and remove them. */

export interface AddedPasskey {
  readonly passkey: Passkey;
  /** With the first second factor; they are never shown again. Null: there are some already. */
  readonly recoveryCodes: string[] | null;
  /** Of half a session, which is whole now. */
  readonly cookie: NewCookie | null;
}

/**
 * From now on a password alone opens nothing. With the first second factor all other sessions end: a password
 * was enough for them. Throws conflict, invalid_body, unauthorized.
 */
export async function addPasskey(
  sessions: OperatorSessions,
  session: OpenSession,
  given: Answered<GivenRegistration> & { readonly name: string },
  client: Client,
): Promise<AddedPasskey> {
  const { db, clock, own, passkeys } = sessions;
  const { operatorId: ownerId, sessionId } = session;
  assertMayEnrol(session);
  const by = { ownerId, sessionId, name: given.name };
  const made = await readNewPasskey(passkeys, own.relyingParty(client.host), given, by);
  const codes = newRecoveryCodes();
  return db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, ownerId);
    if (operator === null) throw apiError('unauthorized');
    const isFirst = !hasSecondFactor(operator);
    // Somebody else with the same password was first.
    if (session.state === 'half' && !isFirst) assertMayEnrol({ ...session, hasPasskeys: true });
    const passkey = await keepPasskey(tx, passkeys, made);
    const at = clock.now();
    if (isFirst) {
      await replaceRecoveryCodes(
        tx,
        ownerId,
        codes.map(({ sha256 }) => sha256),
      );
      await endSessions(tx, ownerId, sessionId, at);
    }
    await refreshAuthentication(tx, sessionId, at);
    const cookie = session.state === 'half' ? await complete(tx, sessions, session) : null;
    return { passkey, recoveryCodes: isFirst ? codes.map(({ code }) => code) : null, cookie };
  });
}

export function readOwnPasskeys({ db }: OperatorSessions, { operatorId }: OpenSession): Promise<Passkey[]> {
  return db.asSessions((tx) => listPasskeys(tx, operatorId));
}

/** Throws not_found. */
export async function nameOwnPasskey(
  { db }: OperatorSessions,
  { operatorId }: OpenSession,
  passkeyId: string,
  name: string,
): Promise<Passkey> {
  const passkey = isId(passkeyId)
    ? await db.asSessions((tx) => renamePasskey(tx, operatorId, passkeyId, name))
    : null;
  if (passkey === null) throw noSuchPasskey();
  return passkey;
}

/**
 * It opens nothing any more; recovery codes end with the last second factor. Throws not_found, conflict for
 * the only way in, and where operators need a second factor.
 */
export async function removePasskey(
  sessions: OperatorSessions,
  { operatorId }: OpenSession,
  passkeyId: string,
): Promise<Passkey> {
  if (!isId(passkeyId)) throw noSuchPasskey();
  return sessions.db.asSessions(async (tx) => {
    const operator = await lockOperator(tx, operatorId);
    const removed = operator === null ? null : await deletePasskey(tx, operatorId, passkeyId);
    if (operator === null || removed === null) throw noSuchPasskey();
    if ((await listPasskeys(tx, operatorId)).length > 0) return removed;
    if (operator.passwordPhc === null) throw onlyWayIn();
    if (operator.totpSealed === null) {
      assertMayGoWithout(sessions);
      await replaceRecoveryCodes(tx, operatorId, []);
    }
    return removed;
  });
}

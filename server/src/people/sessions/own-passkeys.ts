import { apiError } from '../../errors.ts';
import { isId } from '../../platform/ids.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { mailWords } from './mail-words.ts';
import {
  type Answered,
  keepPasskey,
  noSuchPasskey,
  onlyWayIn,
  type Passkey,
  readNewPasskey,
} from './passkeys.ts';
import { deletePasskey, listPasskeys, renamePasskey } from './passkeys-store.ts';
import { tell } from './passwords-of-people.ts';
import type { Client, PortalSessions } from './portal-sessions.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { endSessions, type OpenSession, refreshAuthentication } from './sessions-store.ts';
import { recordOfPerson } from './sign-in.ts';
import { lockUser, replaceRecoveryCodes } from './users-store.ts';
import type { GivenRegistration } from './webauthn.ts';

/** Passkeys as their owner adds, names and removes them. */

export interface AddedPasskey {
  readonly passkey: Passkey;
  /** With the first second factor; they are never shown again. Null: there are some already. */
  readonly recoveryCodes: string[] | null;
}

/**
 * From now on a password alone opens nothing. With the first second factor all other sessions end: a password
 * was enough for them. Throws conflict, invalid_body, unauthorized.
 */
export async function addPasskey(
  sessions: PortalSessions,
  session: OpenSession,
  given: Answered<GivenRegistration> & { readonly name: string },
  client: Client,
): Promise<AddedPasskey> {
  const { db, clock, own, passkeys } = sessions;
  const { userId: ownerId, sessionId } = session;
  const by = { ownerId, sessionId, name: given.name };
  const made = await readNewPasskey(passkeys, own.relyingParty(client.host), given, by);
  const codes = newRecoveryCodes();
  const { user, passkey, isFirst } = await db.asSessions(async (tx) => {
    const user = await lockUser(tx, ownerId);
    if (user === null) throw apiError('unauthorized');
    const passkey = await keepPasskey(tx, passkeys, made);
    const isFirst = !hasSecondFactor(user);
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
    await recordOfPerson(tx, sessions, user, client, { action: 'add_passkey', target: passkey.name });
    return { user, passkey, isFirst };
  });
  await tell(sessions, user, mailWords(user.locale, null).passkeyAdded(passkey.name));
  return { passkey, recoveryCodes: isFirst ? codes.map(({ code }) => code) : null };
}

export function readOwnPasskeys({ db }: PortalSessions, { userId }: OpenSession): Promise<Passkey[]> {
  return db.asSessions((tx) => listPasskeys(tx, userId));
}

/** Throws not_found. */
export async function nameOwnPasskey(
  { db }: PortalSessions,
  { userId }: OpenSession,
  passkeyId: string,
  name: string,
): Promise<Passkey> {
  const passkey = isId(passkeyId)
    ? await db.asSessions((tx) => renamePasskey(tx, userId, passkeyId, name))
    : null;
  if (passkey === null) throw noSuchPasskey();
  return passkey;
}

/**
 * It opens nothing any more; recovery codes end with the last second factor. Throws not_found, conflict for
 * the only way in.
 */
export async function removePasskey(
  sessions: PortalSessions,
  { userId }: OpenSession,
  passkeyId: string,
  client: Client,
): Promise<void> {
  const { db } = sessions;
  if (!isId(passkeyId)) throw noSuchPasskey();
  const { user, removed } = await db.asSessions(async (tx) => {
    const user = await lockUser(tx, userId);
    const removed = user === null ? null : await deletePasskey(tx, userId, passkeyId);
    if (user === null || removed === null) throw noSuchPasskey();
    if ((await listPasskeys(tx, userId)).length === 0) {
      if (user.passwordPhc === null) throw onlyWayIn();
      if (user.totpSealed === null) await replaceRecoveryCodes(tx, userId, []);
    }
    await recordOfPerson(tx, sessions, user, client, { action: 'remove_passkey', target: removed.name });
    return { user, removed };
  });
  await tell(sessions, user, mailWords(user.locale, null).passkeyRemoved(removed.name));
}

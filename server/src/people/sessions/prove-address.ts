import type { Tx } from '../../platform/database/db.ts';
import { USERS, type User } from './user.ts';
import { proveEmail } from './users-store.ts';

/**
 * Records that the address is this person's: a mailed link came back, or the operator vouches for it. The
 * first time, everything that somebody else may have set up under the address ends. Later nothing does: a
 * reader of the person's mailbox still lacks their second factor.
 */
export async function proveAddress(tx: Tx, user: User, at: Date): Promise<User> {
  if (!(await proveEmail(tx, user.personId, at))) return user;
  await USERS.setPassword(tx, user.personId, null, at);
  await USERS.dropTotp(tx, user.personId, at);
  await USERS.deletePasskeys(tx, user.personId);
  await USERS.replaceRecoveryCodes(tx, user.personId, []);
  await USERS.endSessions(tx, user.personId, null, at);
  return (await USERS.find(tx, user.personId))!;
}

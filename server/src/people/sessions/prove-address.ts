import type { Tx } from '../../platform/database/db.ts';
import { USERS, type User } from './user.ts';
import { proveEmail } from './users-store.ts';

/**
 * The address is this person's: a link that was mailed there came back, or the operator vouches for it. The
 * first time, whatever somebody else may have set up under the address ends. Afterwards nothing does:
 * somebody who reads a person's mailbox still lacks their second factor.
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

import type { Tx } from '../../platform/database/db.ts';
import { deletePasskeys } from './passkeys-store.ts';
import { endSessions } from './sessions-store.ts';
import {
  dropTotp,
  findUser,
  proveEmail,
  replaceRecoveryCodes,
  setPassword,
  type User,
} from './users-store.ts';

/**
 * The address is this person's: a link that was mailed there came back, or the operator vouches for it. The
 * first time, whatever somebody else may have set up under the address ends. Afterwards nothing does:
 * somebody who reads a person's mailbox still lacks their second factor.
 */
export async function proveAddress(tx: Tx, user: User, at: Date): Promise<User> {
  if (!(await proveEmail(tx, user.personId, at))) return user;
  await setPassword(tx, user.personId, null, at);
  await dropTotp(tx, user.personId, at);
  await deletePasskeys(tx, user.personId);
  await replaceRecoveryCodes(tx, user.personId, []);
  await endSessions(tx, user.personId, null, at);
  return (await findUser(tx, user.personId))!;
}

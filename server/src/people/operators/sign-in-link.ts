import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Client } from '../sessions/client.ts';
import { type OpenedSession, openSession } from '../sessions/open-session.ts';
import { DEFAULT_TIME_ZONE } from '../sessions/people.ts';
import { assertReplaces } from '../sessions/sign-in.ts';
import { tokenSha256 } from '../sessions/tokens.ts';
import { OPERATORS, type Operator } from './operator.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import { hasOperators, insertOperator, lockOperators, spendLink } from './operators-store.ts';

/** The first operator has no name yet. */
const FIRST = { email: 'admin@localhost', emailKey: 'admin@localhost', name: 'Admin' };

/**
 * Spends a link; the link of a first start makes its user the first operator. A link of another operator than
 * the signed-in one is spent only if that is meant. Throws invalid_link, conflict.
 */
export async function signInWithLink(
  sessions: OperatorSessions,
  { link: secret, replaces }: { readonly link: string; readonly replaces: boolean },
  client: Client,
  previousToken: string | null,
): Promise<OpenedSession<Operator>> {
  const sha256 = tokenSha256(secret);
  if (sha256 === null) throw apiError('invalid_link');
  return sessions.db.asSessions(async (tx) => {
    const link = await spendLink(tx, sha256, sessions.clock.now());
    if (link === null) throw apiError('invalid_link');
    const id = link.operatorId ?? (await becomeFirst(tx, sessions));
    const operator = await OPERATORS.lockPerson(tx, id);
    if (operator === null) throw apiError('invalid_link');
    if (!replaces) await assertReplaces(tx, sessions, operator, previousToken);
    return openSession(tx, sessions, operator, { client, previousToken });
  });
}

/** Throws invalid_link when somebody else was first. */
async function becomeFirst(tx: Tx, { clock }: OperatorSessions): Promise<string> {
  await lockOperators(tx);
  if (await hasOperators(tx)) throw apiError('invalid_link');
  const createdAt = clock.now();
  const personId = newId(createdAt.getTime());
  const facts = { personId, role: 'admin', timeZone: DEFAULT_TIME_ZONE, createdAt } as const;
  await insertOperator(tx, { ...FIRST, ...facts });
  return personId;
}

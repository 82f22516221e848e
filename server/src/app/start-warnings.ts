import { countHeld } from '../delivery/claim/claim-store.ts';
import { hasRealAccounts } from '../tenants/store.ts';
import type { Services } from './services.ts';

/**
 * What a start must say loudly: that a process runs in another way than what is on its database was made for.
 * One sentence each.
 */
export async function readStartWarnings({ config, db }: Pick<Services, 'config' | 'db'>): Promise<string[]> {
  const sandbox = config.delivery === 'sandbox';
  const [held, realAccounts] = await Promise.all([
    countHeld(db, sandbox, HELD_SHOWN_MAX),
    sandbox ? hasRealAccounts(db) : false,
  ]);
  return [
    !sandbox && config.authorities === null ? [NO_AUTHORITY] : [],
    realAccounts ? [REAL_ACCOUNTS] : [],
    held > 0 ? [sandbox ? heldInSandbox(held) : heldOutside(held)] : [],
  ].flat();
}

/** Waiting messages that are counted at most: a start must not read a long queue. */
const HELD_SHOWN_MAX = 10_000;

const NO_AUTHORITY =
  'No time-stamping authority is configured (ACUSE_TSA_MANIFESTS): constancias come from the built-in development authority. They are not NOM-151 constancias and prove nothing to third parties.';

const REAL_ACCOUNTS =
  'This database has accounts that do not belong to the sandbox. Their mail now goes only to the test mailbox and is never delivered: to deliver it, set ACUSE_DELIVERY=direct or ACUSE_SMARTHOST.';

const count = (held: number) => (held < HELD_SHOWN_MAX ? String(held) : `${HELD_SHOWN_MAX} or more`);

const heldInSandbox = (held: number) =>
  `Waiting messages that were accepted for real delivery: ${count(held)}. They are held and not delivered to the test mailbox; they are sent when a process with real delivery runs.`;

const heldOutside = (held: number) =>
  `Waiting messages that were accepted in the sandbox: ${count(held)}. They are held and never leave this machine; they bounce when they expire.`;

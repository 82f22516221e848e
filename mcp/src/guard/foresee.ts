/** Refusals of a send that reading can foresee, so that a person is not asked in vain. */
import type { Account, Acuse } from '@acuse/client';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { checkBudget, costOf } from './budget.ts';
import type { Submission } from './submission.ts';

/** Domains and senders that are looked through; beyond them the send itself tells. */
const LISTED_MAX = 1_000;

/** In the order in which they should be dealt with. */
export async function foresee(
  session: Session,
  account: Account,
  submission: Submission,
): Promise<readonly Refusal[]> {
  const { acuse } = session;
  const { route, certified } = submission;
  const quota = certified ? account.usage.certified : account.usage.plain;
  const checks = await Promise.all([
    domainRefusal(acuse, route.from.domain, account),
    senderRefusal(acuse, route.from),
    suppression(acuse, route.to.address).then((found) => (found === null ? null : SUPPRESSED())),
    checkBudget(session, account, { cost: costOf(account, certified) }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      },
    ),
  ]);
  const [domain, sender, ...rest] = checks;
  const stopped =
    account.status === 'active'
      ? null
      : new Refusal(
          account.status === 'deactivated' ? 'tenant_deactivated' : 'tenant_suspended',
          'The account may not send.',
          'Stop and report this to the person you work for.',
        );
  const spent =
    quota.remaining > 0
      ? null
      : new Refusal(
          'quota_exceeded',
          `The quota of ${certified ? 'certified' : 'plain'} messages is used up until ${account.usage.resets_at}.`,
          'Stop and report this to the person you work for.',
        );
  return [stopped, domain ?? sender, ...rest, spent].filter((each) => each !== null && each !== undefined);
}

const SUPPRESSED = () =>
  new Refusal(
    'recipient_suppressed',
    'The recipient is on the suppression list.',
    'Report it: only a person can lift a suppression. check_recipient shows its reason.',
  );

/** Of the sandbox: what it records by itself refuses nothing, so that its addresses work every time. */
const SANDBOX = '@sandbox.test';

/** The entry of an address on the account's list that refuses a send, or null. */
export async function suppression(acuse: Acuse, address: string) {
  const { data } = await acuse.suppressions.list({ address, limit: 1 }).page();
  const [entry = null] = data;
  return entry !== null && entry.source !== 'manual' && address.endsWith(SANDBOX) ? null : entry;
}

async function domainRefusal(acuse: Acuse, name: string, account: Account): Promise<Refusal | null> {
  const domains = await acuse.domains.list({ limit: 100 }).toArray(LISTED_MAX);
  const domain = domains.find((each) => each.name === name);
  const isVerified = domain?.status === 'verified';
  const lacksRecords = account.settings.require_ready_domains === true && domain?.readiness === 'degraded';
  if ((isVerified && !lacksRecords) || (domain === undefined && domains.length >= LISTED_MAX)) return null;
  const state = domain === undefined ? 'registered' : isVerified ? 'ready' : 'verified';
  return new Refusal(
    'domain_not_verified',
    `The domain of from is not ${state}.`,
    'Call get_domain_setup: it names the records that a person must publish.',
  );
}

async function senderRefusal(
  acuse: Acuse,
  from: { readonly key: string; readonly domain: string },
): Promise<Refusal | null> {
  const senders = await acuse.senders.list({ limit: 100 }).toArray(LISTED_MAX);
  if (senders.length >= LISTED_MAX) return null;
  const own = senders.find(({ address }) => address === from.key);
  const all = senders.find(({ address }) => address === `*@${from.domain}`);
  if (own?.active ?? all?.active ?? false) return null;
  return new Refusal(
    'from_not_approved',
    'from is not an approved, active sender of the account.',
    'Use an approved sender, or report this to the person who set up this server.',
  );
}

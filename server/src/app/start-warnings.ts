import { hasRealAccounts } from '../accounts/tenants/store.ts';
import { missingProxyTrust } from '../config/proxy-trust.ts';
import { countHeld } from '../delivery/claim/claim-store.ts';
import type { Services } from './services.ts';

/** Warnings when a process runs differently from what the database was made for. */
export async function readStartWarnings({
  config,
  db,
  anchor,
  recovery,
}: Pick<Services, 'config' | 'db' | 'anchor' | 'recovery'>): Promise<string[]> {
  const sandbox = config.delivery === 'sandbox';
  const [waiting, realAccounts] = await Promise.all([
    countHeld(db, sandbox, HELD_LOOKED_AT),
    sandbox ? hasRealAccounts(db) : false,
  ]);
  return [
    recovery === null ? [] : [IN_RECOVERY, ...recovery.reasons],
    !sandbox && anchor === null ? [NO_ANCHOR] : [],
    !sandbox && config.authorities === null ? [NO_AUTHORITY] : [],
    realAccounts ? [REAL_ACCOUNTS] : [],
    missingProxyTrust(config) === 'likely' ? [NO_PROXY] : [],
    !sandbox && config.webhookAllowPrivate && config.webhookNetworks === null ? [NO_LOOPBACK_WEBHOOKS] : [],
    waiting.held > 0 ? [sandbox ? heldInSandbox(waiting) : heldOutside(waiting)] : [],
  ].flat();
}

const HELD_LOOKED_AT = 500;

type Held = Awaited<ReturnType<typeof countHeld>>;

const IN_RECOVERY =
  'This process is in recovery: it accepts, delivers, seals and reports nothing, because the database differs from what was published. acuse restore check says what is missing.';

const NO_ANCHOR =
  'ACUSE_LOG_ANCHOR is not set: if this database is ever restored to an earlier point, a second history is signed without anybody here noticing.';

const NO_AUTHORITY =
  'No time-stamping authority is configured (ACUSE_TSA_MANIFESTS): constancias come from the built-in development authority. They are not NOM-151 constancias and prove nothing to third parties.';

const NO_LOOPBACK_WEBHOOKS =
  'ACUSE_WEBHOOK_ALLOW_PRIVATE has no effect with real delivery and without ACUSE_WEBHOOK_NETWORKS: webhooks to this machine, and over http, fail, because every account could reach what listens here. Remove it, or list the addresses that webhooks may lead to.';

const REAL_ACCOUNTS =
  'This database has accounts that do not belong to the sandbox. Their mail now goes only to the test mailbox and is never delivered: to deliver it, set ACUSE_DELIVERY=direct or ACUSE_SMARTHOST.';

const NO_PROXY =
  'ACUSE_TRUST_PROXY is not set, and people open ACUSE_PUBLIC_URL, where this service does not listen itself: unless the proxy in between preserves client addresses, limits and records see one address for everybody, and a few wrong passwords lock everybody out.';

const count = ({ held, more }: Held) => (more ? `${held} or more` : String(held));

const heldInSandbox = (held: Held) =>
  `Waiting messages that were accepted for real delivery: ${count(held)}. They are held and not delivered to the test mailbox; they are sent when a process with real delivery runs.`;

const heldOutside = (held: Held) =>
  `Waiting messages that were accepted in the sandbox: ${count(held)}. They are held and never leave this machine; they bounce when they expire.`;

import { randomBytes } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { type PageOf, readPage, requireById } from '../../platform/http/own-rows.ts';
import type { Page } from '../../platform/http/page.ts';
import { isId, newId } from '../../platform/ids.ts';
import { inBoth, STEPS } from '../../wording.ts';
import type { DkimKeyMaker } from './dkim-keys.ts';
import { readOwnableDomain } from './name.ts';
import {
  activateKeys,
  claimName,
  type Domain,
  deleteDomain,
  findDomain,
  findDomainByName,
  hasDomains,
  insertDkimKeys,
  insertDomain,
  listDomains,
  lockDomain,
  vouchFor,
} from './store.ts';

export interface DomainDeps extends DbAndClock {
  changes: Changes;
  dkimKeys: DkimKeyMaker;
}

export const DOMAINS_MAX = 1_000;
const CHALLENGE_BYTES = 20;

/**
 * Pending until verified; its keys sign once their records are found. Reveals nothing about other accounts'
 * domains. Throws invalid_body, conflict.
 */
export async function registerDomain(deps: DomainDeps, tenantId: string, nameText: string): Promise<Domain> {
  const reading = readOwnableDomain(nameText);
  if (!reading.ok) throw apiError('invalid_body', reading.problem);
  const { name } = reading;
  // A cheap early check; the transaction decides.
  await deps.db.asTenant(tenantId, (tx) => refuseTaken(tx, tenantId, name));

  const createdAt = deps.clock.now();
  const domainId = newId(createdAt.getTime());
  const keys = await deps.dkimKeys.make(tenantId, createdAt);
  const challenge = randomBytes(CHALLENGE_BYTES).toString('hex');
  return deps.db.asTenant(tenantId, async (tx) => {
    if (!(await insertDomain(tx, tenantId, { domainId, name, challenge, createdAt }))) throw taken(name);
    await insertDkimKeys(tx, tenantId, domainId, keys);
    return (await findDomain(tx, tenantId, domainId))!;
  });
}

async function refuseTaken(
  tx: Parameters<typeof hasDomains>[0],
  tenantId: string,
  name: string,
): Promise<void> {
  if ((await findDomainByName(tx, tenantId, name)) !== null) throw taken(name);
  if (await hasDomains(tx, tenantId, DOMAINS_MAX)) {
    throw apiError('conflict', `Limit of ${DOMAINS_MAX} domains per account reached: delete one first.`);
  }
}

function taken(name: string) {
  return apiError('conflict', inBoth`${name} is already a domain of this account: see ${STEPS.listDomains}.`);
}

/** Only after proof of control, or for operators. */
export function heldElsewhere(name: string) {
  return apiError(
    'conflict',
    `${name} is verified for another account: it can be verified here only after that account gives it up.`,
  );
}

export function readDomains<Item>(
  deps: Pick<DomainDeps, 'db'>,
  tenantId: string,
  status: Domain['status'] | null,
  page: Page,
  present: (domain: Domain) => Item,
): Promise<PageOf<Item>> {
  const list = (tx: Tx, owner: string, before: string | null, limit: number) =>
    listDomains(tx, owner, { status, before }, limit);
  return readPage(deps.db, tenantId, page, list, { idOf: (domain) => domain.domainId, present });
}

export function readDomain(
  deps: Pick<DomainDeps, 'db'>,
  tenantId: string,
  domainId: string,
): Promise<Domain> {
  return requireById(deps.db, tenantId, domainId, findDomain);
}

export async function removeDomain(deps: DomainDeps, tenantId: string, domainId: string): Promise<void> {
  const name = isId(domainId) ? await deps.db.transact((tx) => deleteDomain(tx, tenantId, domainId)) : null;
  if (name === null) throw apiError('not_found');
  await deps.changes.announce('domain', tenantId + name);
  await deps.changes.announce('sender', tenantId);
}

/** Verified without DNS: for the sandbox and operators. Throws not_found, conflict. */
export async function markVerified(
  deps: DomainDeps,
  tenantId: string,
  domainId: string,
  record?: (tx: Tx, name: string) => Promise<void>,
): Promise<Domain> {
  const domain = await deps.db.transact(async (tx) => {
    if (!isId(domainId) || !(await lockDomain(tx, tenantId, domainId)))
      throw apiError('not_found', `No domain with the id ${domainId} in this account.`);
    const { name, keys } = (await findDomain(tx, tenantId, domainId))!;
    if (!(await claimName(tx, tenantId, domainId, name))) throw heldElsewhere(name);
    const at = deps.clock.now();
    await vouchFor(tx, tenantId, domainId, at);
    await activateKeys(
      tx,
      tenantId,
      domainId,
      keys.filter((key) => key.status === 'pending'),
      at,
    );
    await record?.(tx, name);
    return (await findDomain(tx, tenantId, domainId))!;
  });
  await deps.changes.announce('domain', tenantId + domain.name);
  return domain;
}

/**
 * The old keys sign until the new records are found, and stay listed for a week. Pending keys are reused.
 * Throws not_found, unavailable.
 */
export async function rotateDkim(deps: DomainDeps, tenantId: string, domainId: string): Promise<Domain> {
  const domain = await readDomain(deps, tenantId, domainId);
  if (isRotating(domain)) return domain;
  const keys = await deps.dkimKeys.make(tenantId, deps.clock.now());
  return deps.db.asTenant(tenantId, async (tx) => {
    if (!(await lockDomain(tx, tenantId, domainId))) throw apiError('not_found');
    const now = (await findDomain(tx, tenantId, domainId))!;
    if (isRotating(now)) return now;
    await insertDkimKeys(tx, tenantId, domainId, keys);
    return (await findDomain(tx, tenantId, domainId))!;
  });
}

function isRotating(domain: Domain): boolean {
  return domain.keys.some((key) => key.status === 'pending');
}

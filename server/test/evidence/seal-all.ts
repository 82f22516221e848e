import { eventually, PATIENCE_MS } from '@acuse/testkit/eventually';
import { type RenewalRound, type RenewDeps, renewDue } from '../../src/evidence/renewal/renew.ts';
import { createSealing, type Sealing, type SealingDeps } from '../../src/evidence/sealing.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { TestService } from '../support/service.ts';
import { DAY_MS } from './aging.ts';
import {
  addTenant,
  authoritiesOf,
  openWorld,
  quietLog,
  startTsa,
  type TestTsa,
  type World,
} from './support.ts';

export interface SealingWorld<T extends TestTsa> {
  /** Closing it also stops the authority. */
  readonly world: World;
  readonly tsa: T;
  readonly tenantId: string;
}

/** A log, an authority that stamps its checkpoints, and an account. */
export async function openSealingWorld<T extends TestTsa = TestTsa>(
  starting: Promise<T> = startTsa() as Promise<T>,
  clock?: Clock,
): Promise<SealingWorld<T>> {
  const world = await openWorld(clock);
  const tsa = await starting;
  const close = async () => {
    await tsa.close();
    await world.close();
  };
  return { world: { ...world, close }, tsa, tenantId: await addTenant(world.db) };
}

/** The log of a service, for what a test does without the API. */
export function worldOf({ db, services, databaseUrl: url }: TestService): World {
  const { clock, logSigner: log, secrets, archived } = services;
  return { db, url, log, clock, secrets, archived, close: async () => {} };
}

type Authority = TestTsa | Sealer;

/** The sealing role; on its own it sequences nothing younger than an hour. */
export function sealingRole(
  world: World,
  by: Authority | readonly Authority[],
  change: Partial<SealingDeps> = {},
): Sealing {
  return createSealing({
    ...world,
    log: quietLog,
    authorities: authoritiesOf(world, ...[by].flat()),
    sealIntervalMs: 3_600_000,
    random: Math.random,
    ...change,
  });
}

/** Sequences what is pending and waits until every checkpoint has its constancia. */
export async function sealAll(world: World, by: Authority | readonly Authority[]): Promise<void> {
  const role = sealingRole(world, by);
  await role.sealNow();
  role.start();
  await eventually(async () => (await world.db.query('select from stamp_queue')).length === 0);
  await role.stop();
}

/** One round of renewals as the sealing role runs it, ninety days before a certificate ends. */
export function renewAll(
  world: World,
  by: Authority | readonly Authority[],
  change: Partial<RenewDeps> = {},
): Promise<RenewalRound> {
  return renewDue(
    {
      ...world,
      log: quietLog,
      authorities: authoritiesOf(world, ...[by].flat()),
      logOf: async () => world.log,
      renewBeforeMs: 90 * DAY_MS,
      ...change,
    },
    AbortSignal.timeout(PATIENCE_MS),
  );
}

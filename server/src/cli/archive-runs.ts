import { isArchiveMonth } from '@acuse/evidence/archive-index';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTenant, readTenants } from '../accounts/tenants/operations.ts';
import { type Environment, loadConfig } from '../config/config.ts';
import { outsidePlace } from '../config/config-values.ts';
import { ArchiveChanged } from '../evidence/archive/archive-index-file.ts';
import { type ArchivePlace, ArchiveUnreachable, archiveWithin } from '../evidence/archive/archive-place.ts';
import { findFirstCertified } from '../evidence/archive/archive-store.ts';
import { type ArchiveOrder, closesAt, MonthOpen } from '../evidence/archive/create.ts';
import { ArchiveBehind } from '../evidence/archive/drop.ts';
import { type ArchiveConfig, openArchivePlace } from '../evidence/archive/open-archive.ts';
import { howToReach, isBucket } from '../evidence/log/open-outside.ts';
import { timeOf } from '../platform/ids.ts';
import { ConditionsIgnored } from '../platform/s3/object-store.ts';
import { CommandError, EXIT, usage } from './command.ts';
import { type CommandServices, withServices } from './services.ts';

export const SELECTION = {
  month: { type: 'string', value: '<YYYY-MM>', doc: 'one month, UTC (default: every month that is over)' },
  tenant: { type: 'string', value: '<id>', doc: 'one account (default: all)' },
} as const;

interface Selection {
  readonly month: string | undefined;
  readonly tenant: string | undefined;
}

const TENANTS_PAGE = 100;

/** Each selected account and month, oldest first within an account. */
export async function* ordersOf(
  { db, clock }: CommandServices,
  { month, tenant }: Selection,
): AsyncGenerator<ArchiveOrder> {
  if (month !== undefined && !isArchiveMonth(month)) throw usage(`--month takes YYYY-MM, not "${month}"`);
  for await (const tenantId of tenantsOf({ db }, tenant)) {
    if (month !== undefined) yield { tenantId, month };
    else {
      const first = await findFirstCertified(db, tenantId);
      if (first === undefined) continue;
      const from = timeOf(first);
      for (let [year, at] = [from.getUTCFullYear(), from.getUTCMonth()]; ; at++) {
        const each = new Date(Date.UTC(year, at)).toISOString().slice(0, 7);
        if (closesAt({ month: each }) > clock.now()) break;
        yield { tenantId, month: each };
      }
    }
  }
}

async function* tenantsOf(
  { db }: Pick<CommandServices, 'db'>,
  given: string | undefined,
): AsyncGenerator<string> {
  if (given !== undefined) {
    yield (await readTenant({ db }, given)).tenantId;
    return;
  }
  for (let before: string | null = null; ; ) {
    const page = await readTenants({ db }, before, TENANTS_PAGE);
    yield* page.map(({ tenantId }) => tenantId);
    if (page.length < TENANTS_PAGE) return;
    before = page.at(-1)!.tenantId;
  }
}

export function requireArchive(config: ArchiveConfig): ArchivePlace {
  if (config.archive === null)
    throw usage('set ACUSE_ARCHIVE to the folder, or s3://bucket/prefix, that archives go to');
  return openArchivePlace(config, config.archive);
}

export function archiveAt(env: Environment, given: string): ArchivePlace {
  const { config } = loadConfig(env);
  const place = outsidePlace.parse(given);
  if (place === undefined) throw usage(`an archive is ${outsidePlace.expected}, not "${given}"`);
  if (isBucket(place) && (config.s3AccessKeyId === null || config.s3SecretAccessKey === null))
    throw usage(
      's3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and ACUSE_S3_ENDPOINT where the store is not Amazon',
    );
  return openArchivePlace(config, place);
}

export type Outcome<T> = ArchiveOrder & { readonly place: string } & (
    | { readonly result: T; readonly reason: null }
    | { readonly result: null; readonly reason: string }
  );

export async function attempt<T>(
  place: ArchivePlace,
  order: ArchiveOrder,
  work: () => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { ...order, place: place.place, result: await reachingArchive(work), reason: null };
  } catch (error) {
    const isOfThisOne =
      error instanceof MonthOpen ||
      error instanceof ArchiveBehind ||
      error instanceof ArchiveChanged ||
      error instanceof EvidenceError;
    if (!isOfThisOne) throw error;
    return { ...order, place: place.place, result: null, reason: error.message };
  }
}

/** An unreachable place may return; a store that ignores conditions does not. */
export async function reachingArchive<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConditionsIgnored)
      throw new CommandError(EXIT.failed, 'conditions_ignored', error.message, { cause: error });
    if (!(error instanceof ArchiveUnreachable)) throw error;
    throw new CommandError(EXIT.unavailable, 'unavailable', `${error.message}: ${howToReach(error.place)}`, {
      cause: error,
    });
  }
}

export async function forEachArchive<T>(
  env: Environment,
  command: string,
  selection: Selection,
  open: (services: CommandServices) => Promise<(place: ArchivePlace, order: ArchiveOrder) => Promise<T>>,
): Promise<Outcome<T>[]> {
  return withServices(env, command, async (services) => {
    const root = requireArchive(services.config);
    const work = await open(services);
    const outcomes: Outcome<T>[] = [];
    for await (const order of ordersOf(services, selection)) {
      const place = archiveWithin(root, order.tenantId, order.month);
      outcomes.push(await attempt(place, order, () => work(place, order)));
    }
    return outcomes;
  });
}

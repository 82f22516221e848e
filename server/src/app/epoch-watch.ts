import type { Config } from '../config/config-type.ts';
import { AnchorUnreachable } from '../evidence/log/anchor/anchor.ts';
import { type Epoch, holdEpoch } from '../evidence/log/anchor/database-epoch.ts';
import { readEpoch } from '../evidence/log/anchor/epoch-store.ts';
import { type Hosts, hostsOf, StalePrimary } from '../platform/database/hosts.ts';
import { loginsOf } from '../platform/database/logins.ts';
import type { Repeating } from '../platform/every.ts';
import { keepWatch } from './keep-watch.ts';
import type { Services } from './services.ts';

/** Longest time with two primaries (ms). */
const LOOK_EVERY_MS = 2_000;

/** Each connection checks the server's timeline. */
export function watchEpochsOf(config: Config): void {
  for (const hosts of hostsIn(config)) hosts.watch();
}

function hostsIn(config: Config): Hosts[] {
  const { request, worker } = loginsOf(config) ?? {};
  return [config.databaseUrl, request, worker].flatMap((url) =>
    url === null || url === undefined ? [] : hostsOf(url),
  );
}

/**
 * Compares the database's epoch with the one kept with the anchor: only the last promoted primary is written
 * to. Null: no anchor, embedded, or in recovery, where a restore may lower it. Throws StalePrimary.
 */
export async function watchEpoch({
  config,
  db,
  log,
  anchor,
  recovery,
}: Pick<Services, 'config' | 'db' | 'log' | 'anchor' | 'recovery'>): Promise<Repeating | null> {
  if (anchor === null || config.databaseUrl === null || recovery !== null) return null;
  const hosts = hostsIn(config);
  let known: Epoch | null = await readEpoch(db);
  if (known === null) return null;

  async function look(): Promise<void> {
    const own: Epoch | null = await readEpoch(db).catch(() => null);
    known = own ?? known;
    const highest = await holdEpoch(anchor!, known!);
    if (highest <= known!.timeline) return;
    for (const each of hosts) each.raise(highest);
    if (own !== null) throw new StalePrimary(own.timeline, highest);
  }

  await look().catch((error) => {
    if (!(error instanceof AnchorUnreachable)) throw error;
    log.warn({ err: error }, 'the epoch of the database could not be compared with the anchor');
  });
  const watch = keepWatch(LOOK_EVERY_MS, look, {
    isAway: (error) => error instanceof AnchorUnreachable,
    onFailed: (error) => log.warn({ err: error, anchor: anchor.place }, 'the epoch of the database'),
  });
  return watch.looking;
}

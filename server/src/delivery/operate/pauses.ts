import type { Db } from '../../platform/database/db.ts';
import { createReach } from '../../platform/database/reach.ts';
import { every } from '../../platform/every.ts';
import type { Log } from '../../platform/logger.ts';
import type { ClaimedMessage } from '../claim/claimed-message.ts';
import { listPausedDestinations, listPausedTenants } from './pause-store.ts';

/** An operator's pauses, cached for up to a second. */
export interface Pauses {
  readonly destinations: ReadonlySet<string>;
  readonly tenants: ReadonlySet<string>;
  isPaused(item: Pick<ClaimedMessage, 'tenantId' | 'destination'>): boolean;
  /** Resolves once loaded. Rejects while the database is away. */
  known(): Promise<void>;
  start(): void;
  stop(): void;
}

const LOOK_EVERY_MS = 1_000;

interface PausesDeps {
  readonly db: Db;
  readonly log: Log;
  readonly everyMs?: number;
  onPaused(): void;
}

export function createPauses({ db, log, everyMs = LOOK_EVERY_MS, onPaused }: PausesDeps): Pauses {
  const reach = createReach({ db, log });
  let destinations: ReadonlySet<string> = new Set();
  let tenants: ReadonlySet<string> = new Set();
  let isKnown = false;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const [pausedDestinations, pausedTenants] = await Promise.all([
      listPausedDestinations(db),
      reach.look((among) => listPausedTenants(db, among)),
    ]);
    const [destinationsBefore, tenantsBefore] = [destinations, tenants];
    destinations = new Set(pausedDestinations.map((pause) => pause.destination));
    tenants = new Set(pausedTenants.map((pause) => pause.tenant_id));
    isKnown = true;
    const isNew =
      [...destinations].some((each) => !destinationsBefore.has(each)) ||
      [...tenants].some((each) => !tenantsBefore.has(each));
    if (isNew) onPaused();
  }

  /** Shares a running look-up. */
  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  }

  const looks = every(everyMs, lookOnce, {
    onError: (error) =>
      log.warn({ err: error }, 'reading the paused deliveries failed; the last known pauses apply'),
  });

  return {
    get destinations() {
      return destinations;
    },
    get tenants() {
      return tenants;
    },
    isPaused: (item) => destinations.has(item.destination) || tenants.has(item.tenantId),
    known: () => (isKnown ? Promise.resolve() : lookOnce()),
    start: looks.start,
    stop: () => void looks.stop(),
  };
}

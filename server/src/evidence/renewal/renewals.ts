import { every } from '../../platform/every.ts';
import { createLogs, type LogKeyDeps } from '../log/log-key.ts';
import { listAuthorities } from '../stamp/authority-store.ts';
import { type RenewalRound, type RenewDeps, renewDue } from './renew.ts';

/** Renews ending constancias, and warns about authorities whose chains end. */
export interface RenewalsDeps extends Omit<RenewDeps, 'logOf'>, Omit<LogKeyDeps, 'db' | 'clock'> {
  readonly lookEveryMs?: number;
}

export interface Renewals {
  start(): void;
  /** Renews all that is due; `onRound`: the sum so far. Rejects without the database. */
  renewNow(options?: { onRound?: (sum: RenewalRound) => void }): Promise<RenewalRound>;
  stop(): Promise<void>;
}

/** Chains end in months: minutes do not matter (ms). */
const LOOK_EVERY_MS = 10 * 60_000;
/** When an authority's end is reported (ms): a new certificate takes weeks. */
export const WARN_BEFORE_MS = 60 * 24 * 3_600_000;
const WARN_EVERY_MS = 24 * 3_600_000;

export function createRenewals(given: RenewalsDeps): Renewals {
  const { db, clock, log } = given;
  const deps: RenewDeps = { ...given, logOf: createLogs(given) };
  const stopping = new AbortController();
  const warnedMs = new Map<string, number>();

  async function renewNow({ onRound }: Parameters<Renewals['renewNow']>[0] = {}): Promise<RenewalRound> {
    const { signal } = stopping;
    let sum: RenewalRound = { renewed: 0, notDue: 0, postponed: 0, reasons: [], more: true };
    while (sum.more && !signal.aborted) {
      const round = await renewDue(deps, signal);
      sum = {
        renewed: sum.renewed + round.renewed,
        notDue: sum.notDue + round.notDue,
        postponed: sum.postponed + round.postponed,
        reasons: [...new Set([...sum.reasons, ...round.reasons])],
        more: round.more,
      };
      if (sum.more) onRound?.(sum);
    }
    return sum;
  }

  async function warnOfEnds(): Promise<void> {
    const nowMs = clock.now().getTime();
    for (const { name, chainNotAfter } of await listAuthorities(db)) {
      if (chainNotAfter === null || chainNotAfter.getTime() > nowMs + WARN_BEFORE_MS) continue;
      if (nowMs - (warnedMs.get(name) ?? -WARN_EVERY_MS) < WARN_EVERY_MS) continue;
      warnedMs.set(name, nowMs);
      log.warn(
        { authority: name, chainNotAfter },
        'a certificate of this time-stamping authority ends soon: unless it gets a new one, the next authority takes over',
      );
    }
  }

  async function look(): Promise<void> {
    await renewNow();
    await warnOfEnds();
  }

  const looks = every(given.lookEveryMs ?? LOOK_EVERY_MS, look, {
    atOnce: true,
    onError: (error) => log.error({ err: error }, 'looking for constancias to renew failed; trying again'),
  });

  return {
    start: looks.start,
    renewNow,
    stop() {
      stopping.abort(new Error('shutting down'));
      return looks.stop();
    },
  };
}

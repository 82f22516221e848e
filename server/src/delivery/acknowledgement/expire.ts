import { type DueRow, endUnsaid, listDueAcknowledgements } from '../../messages/acknowledgement-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { every } from '../../platform/every.ts';
import type { Log } from '../../platform/logger.ts';
import { NO_FACTS } from '../record/outcome-leaf.ts';
import { type DecideDeps, decide } from './act.ts';

/** Records that nobody answered in time, as an outcome. Any number of processes may run it. */

interface ExpiryDeps extends DecideDeps {
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 5_000;
const TURN = 200;

export function createAcknowledgementExpiry(deps: ExpiryDeps): { start(): void; stop(): Promise<void> } {
  let stopping = false;
  const looks = every(LOOK_EVERY_MS, () => expireDue(deps, () => !stopping), {
    onError: (error) => deps.log.error({ err: error }, 'acknowledgements could not be ended; trying again'),
  });
  return {
    start: looks.start,
    async stop() {
      stopping = true;
      await looks.stop();
    },
  };
}

export async function expireDue(deps: ExpiryDeps, mayGoOn: () => boolean = () => true): Promise<number> {
  const { db, clock, log } = deps;
  let ended = 0;
  for (const row of await listDueAcknowledgements(db, clock.now(), TURN)) {
    if (!mayGoOn()) break;
    try {
      if (await expire(deps, row)) ended++;
    } catch (error) {
      const { tenantId, messageId } = row;
      log.error({ err: error, tenantId, messageId }, 'an acknowledgement could not be ended; trying again');
    }
  }
  return ended;
}

async function expire(deps: ExpiryDeps, { wasSent, isErased, ...row }: DueRow): Promise<boolean> {
  const at = deps.clock.now();
  // Where nothing was sent, or nothing is left, nobody could have answered.
  if (wasSent && !isErased)
    return (
      (await decide(deps, { ...row, kind: 'unanswered', source: 'operator', at, facts: NO_FACTS })) ===
      'decided'
    );
  await deps.db.transact((tx) => endUnsaid(tx, row, at));
  return true;
}

import type { Leases } from '../../platform/queue/leases.ts';
import type { Loop } from '../../platform/queue/loop.ts';
import type { ClaimedMessage } from '../claim/claimed-message.ts';

export type Step = 'mail' | 'dot';
export interface StepGuard {
  (item: ClaimedMessage, step: Step): boolean | Promise<boolean>;
  /** True if MAIL may be sent now. Waits for nothing. */
  atOnce(item: ClaimedMessage): boolean;
}

/** How often a waiting conversation checks its lease (ms). */
const LOOK_EVERY_MS = 1_000;

/**
 * Checked before MAIL and before the end of data: is the lease long enough, and can the result be recorded?
 * While results cannot be written the conversation waits for as long as its lease lasts, and is then aborted
 * before the server has the message. So an outage, a stopped process or a wrong clock can only duplicate
 * messages that were already handed over.
 */
export function createStepGuard(deps: {
  leases: Leases<ClaimedMessage>;
  /** Not there yet when this is made. */
  loop(): Pick<Loop, 'heldUp' | 'untilClear'>;
}): StepGuard {
  const { leases } = deps;

  async function later(item: ClaimedMessage, step: Step): Promise<boolean> {
    const signal = leases.signalOf(item);
    while ((await leases.isSafe(item)) && !signal.aborted) {
      if (!deps.loop().heldUp) {
        leases.setHandedOver(item, step === 'dot');
        return true;
      }
      await deps.loop().untilClear(LOOK_EVERY_MS);
    }
    leases.abort(item, new Error('the lease has expired, or nothing can be recorded'));
    return false;
  }

  const atOnce = (item: ClaimedMessage) => !deps.loop().heldUp && leases.isSafe(item) === true;

  const mayGoOn = (item: ClaimedMessage, step: Step): boolean | Promise<boolean> => {
    // A later host's turn, after one that did not take the message.
    leases.setHandedOver(item, false);
    if (!atOnce(item)) return later(item, step);
    leases.setHandedOver(item, step === 'dot');
    return true;
  };
  return Object.assign(mayGoOn, { atOnce });
}

import type { Handing, Handover, PreparedMessage } from '../../messages/prepared.ts';
import { Counts } from '../../platform/counts.ts';
import type { Mark } from '../../platform/leases.ts';
import type { ClaimedMessage } from './claimed.ts';
import { FIRST_ATTEMPT } from './enqueue-store.ts';

/**
 * Messages that this process accepts go to its own worker with their bytes, under the lease that their rows
 * were inserted with: no claim, no read. The row stays the truth: what is lost on the way (a crash, a commit
 * without an answer) comes due when that lease ends, as what a killed worker held does.
 *
 * Only while the worker has room to spare and nothing of the account waits in line that was accepted before.
 */
export interface HandoverDeps {
  /** Whether the worker begins work now. */
  isOpen(): boolean;
  mark(): Mark;
  /** Messages of one account that the worker may take beside what it holds. */
  roomFor(tenantId: string): number;
  /** Messages that it may take in all. */
  room(): number;
  /** Nothing of it may be claimed now, or older messages of the account wait in line. */
  mustWait(message: PreparedMessage): boolean;
  /** It is put in line. */
  noteWaits(tenantId: string): void;
  /** The commit's mode: what is accepted in the sandbox only ever goes to the test mailbox. */
  readonly sandbox: boolean;
  /** `raws`: their composed bytes, in order. */
  begin(items: readonly ClaimedMessage[], raws: readonly Uint8Array[], askedAt: Mark): void;
}

export function createHandover(deps: HandoverDeps): Handover {
  // Promised to commits that have not ended.
  const booked = new Counts();
  let total = 0;

  function hasRoomFor(message: PreparedMessage): boolean {
    const { tenantId } = message;
    if (total >= deps.room() || booked.of(tenantId) >= deps.roomFor(tenantId)) return false;
    return !deps.mustWait(message);
  }

  function take(message: PreparedMessage): boolean {
    const { tenantId } = message;
    if (message.sendAt !== null) return false;
    if (!hasRoomFor(message)) {
      deps.noteWaits(tenantId);
      return false;
    }
    booked.add(tenantId, 1);
    total++;
    return true;
  }

  function unbook(messages: readonly PreparedMessage[]): void {
    for (const { tenantId } of messages) booked.add(tenantId, -1);
    total -= messages.length;
  }

  return {
    open(): Handing {
      const askedAt = deps.mark();
      let chosen: readonly PreparedMessage[] = [];

      function settle(): readonly PreparedMessage[] {
        const settled = chosen;
        chosen = [];
        unbook(settled);
        return settled;
      }

      return {
        choose(messages) {
          settle();
          if (!deps.isOpen()) return messages.map(() => false);
          const taken = messages.map(take);
          chosen = messages.filter((_, at) => taken[at]);
          return taken;
        },
        begin() {
          const begun = settle();
          if (begun.length === 0) return;
          deps.begin(
            begun.map((message) => claimedOf(message, deps.sandbox)),
            begun.map(({ raw }) => raw),
            askedAt,
          );
        },
        withdraw: () => void settle(),
      };
    },
  };
}

/** As a claim of its row would read it. */
function claimedOf(message: PreparedMessage, sandbox: boolean): ClaimedMessage {
  return {
    tenantId: message.tenantId,
    messageId: message.messageId,
    destination: message.destination,
    fence: FIRST_ATTEMPT,
    acceptedAt: message.createdAt,
    expiresAt: message.expiresAt,
    headerTo: message.recipient,
    senderAddress: message.senderAddress,
    recipientAddress: message.recipientAddress,
    reversePath: message.reversePath,
    certified: message.certified,
    sizeBytes: message.raw.length,
    attemptsMade: 0,
    wasDeferred: false,
    sourcePool: message.sourcePool,
    sandbox,
    // Asked for in the transaction that accepted it.
    suppressed: false,
  };
}

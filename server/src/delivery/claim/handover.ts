import type { Handing, Handover, PreparedMessage } from '../../messages/prepared.ts';
import { Counts } from '../../platform/counts.ts';
import type { Mark } from '../../platform/queue/leases.ts';
import type { ClaimedMessage } from './claimed-message.ts';
import { FIRST_ATTEMPT } from './enqueue-store.ts';

/**
 * Messages accepted here go to this process's worker with their bytes, under a lease inserted with their
 * rows:
 * no claim, no read. The row stays the truth: after a crash or a lost answer it comes due when the lease
 * ends.
 *
 * Only while the worker has room and no older message of the account is queued.
 */
export interface HandoverDeps {
  isOpen(): boolean;
  mark(): Mark;
  roomFor(tenantId: string): number;
  room(): number;
  /** It must wait: not claimable now, or behind older messages of the account. */
  mustWait(message: PreparedMessage): boolean;
  /** A transaction queues mail of these accounts; call the result when it ends. */
  queues(tenantIds: ReadonlySet<string>): (committed: boolean) => void;
  /** The commit's mode: sandbox mail only goes to the test mailbox. */
  readonly sandbox: boolean;
  /** `raws`: composed bytes, in order. */
  begin(items: readonly ClaimedMessage[], raws: readonly Uint8Array[]): void;
}

export function createHandover(deps: HandoverDeps): Handover {
  // Promised to open commits.
  const booked = new Counts();
  let total = 0;

  function hasRoomFor(message: PreparedMessage): boolean {
    const { tenantId } = message;
    if (total >= deps.room() || booked.of(tenantId) >= deps.roomFor(tenantId)) return false;
    return !deps.mustWait(message);
  }

  /** `left`: accounts with queued messages in the same transaction. */
  function take(message: PreparedMessage, left: Set<string>): boolean {
    const { tenantId } = message;
    if (message.sendAt !== null) return false;
    if (left.has(tenantId) || !hasRoomFor(message)) {
      left.add(tenantId);
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
      const leasedAt = deps.mark();
      let chosen: readonly PreparedMessage[] = [];
      let queued: (committed: boolean) => void = () => {};

      function settle(committed: boolean): readonly PreparedMessage[] {
        const settled = chosen;
        chosen = [];
        unbook(settled);
        queued(committed);
        queued = () => {};
        return settled;
      }

      return {
        choose(messages) {
          settle(false);
          if (!deps.isOpen()) return messages.map(() => false);
          const left = new Set<string>();
          const taken = messages.map((message) => take(message, left));
          queued = deps.queues(left);
          chosen = messages.filter((_, at) => taken[at]);
          return taken;
        },
        begin() {
          const begun = settle(true);
          if (begun.length === 0) return;
          deps.begin(
            begun.map((message) => claimedOf(message, deps.sandbox, leasedAt)),
            begun.map(({ raw }) => raw),
          );
        },
        withdraw: () => void settle(false),
      };
    },
  };
}

/** The same as a claim would read. */
function claimedOf(message: PreparedMessage, sandbox: boolean, leasedAt: Mark): ClaimedMessage {
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
    // Checked in the accepting transaction.
    suppressed: false,
    leasedAt,
  };
}

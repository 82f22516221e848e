import type { DbAndClock } from '../platform/database/db.ts';
import type { LoopLog } from '../platform/logger.ts';
import { createWait, type IdleBackOff } from '../platform/queue/idle-back-off.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import type { Anchor } from './log/anchor/anchor.ts';
import { AnchorContradicts } from './log/anchor/publish.ts';
import { createLogs } from './log/log-key.ts';
import { findLogsToSequence } from './log/log-store.ts';
import type { Mirroring } from './log/mirror/mirroring.ts';
import { MAX_BATCH_LEAVES, sequenceBatch } from './log/sequence.ts';
import type { Authorities } from './stamp/authorities.ts';
import { createStampLoop } from './stamp/stamp.ts';
import type { StampedLogs } from './stamp/stamp-store.ts';
import { traceBatch } from './traced.ts';

/**
 * The sealing role: a sequencer on a timer and a loop for constancias. Any number of processes may run it.
 */
export interface SealingDeps extends DbAndClock {
  readonly log: LoopLog;
  readonly secrets: SecretBox;
  readonly authorities: Authorities;
  readonly stampedLogs?: StampedLogs;
  readonly anchor?: Anchor | null;
  readonly mirror?: Mirroring | null;
  /** The database contradicts the anchor: nothing may be signed. */
  onContradicted?(error: AnchorContradicts): void;
  /** Shortest time between a log's checkpoints (ms). */
  readonly sealIntervalMs: number;
  /** 0 ≤ n < 1, for jitter. */
  readonly random: () => number;
  readonly idleBackOff?: IdleBackOff | undefined;
  readonly tracing?: Tracing | null;
  readonly webhooks?: WebhookHandover | null;
}

export interface Sealing {
  start(): void;
  wake(): void;
  sealNow(): Promise<void>;
  stop(graceMs?: number): Promise<void>;
}

/** Scans per interval, so that a lone leaf does not wait for a whole one. */
const LOOKS_PER_INTERVAL = 4;
const MIN_LOOK_MS = 50;
/** Pace of reporting a log that cannot be signed (ms). */
const FAULT_PAUSE_MS = 5_000;

/** After a full batch; after a lost race the other continues. */
const mayHaveMore = ({ leaves }: { readonly leaves: number }) => leaves === MAX_BATCH_LEAVES;

export function createSealing(deps: SealingDeps): Sealing {
  const { db, clock, log, sealIntervalMs, anchor = null, mirror = null, tracing = null } = deps;
  const logOf = createLogs(deps);
  const stamps = createStampLoop({ ...deps, logOf });
  const lookMs = Math.max(MIN_LOOK_MS, sealIntervalMs / LOOKS_PER_INTERVAL);
  const wait = createWait(deps.idleBackOff);
  let runner: Promise<void> = Promise.resolve();
  let running = false;
  let stopping = false;
  let pauseUntilMs = 0;
  let sequencing: Promise<void> = Promise.resolve();

  /** One at a time: a second would lose the race. */
  function sequenceDue(minAgeMs: number): Promise<void> {
    const run = sequencing.then(async () => {
      const now = clock.now();
      const due = await findLogsToSequence(db, new Date(now.getTime() - minAgeMs), now);
      if (due.length > 0) deps.idleBackOff?.stir();
      for (const logId of due) await sequenceAll(logId);
    });
    sequencing = run.catch(() => {});
    return run;
  }

  /** One failing log does not stop others. */
  async function sequenceAll(logId: string): Promise<void> {
    try {
      const signer = await logOf(logId);
      while (!stopping) {
        const startedAt = tracing === null ? null : clock.now();
        const result = await sequenceBatch({ db, clock, anchor, mirror }, signer);
        if (startedAt !== null) traceBatch(tracing!, result, startedAt, clock.now());
        if (result.kind !== 'sequenced') return;
        stamps.wake();
        if (!mayHaveMore(result)) return;
      }
    } catch (error) {
      pauseUntilMs = clock.monotonicMs() + FAULT_PAUSE_MS;
      if (error instanceof AnchorContradicts) return deps.onContradicted?.(error);
      log.error({ err: error, logId }, 'sequencing failed; its leaves stay pending and are tried again');
    }
  }

  async function run(): Promise<void> {
    while (running) {
      wait.listen();
      await sequenceDue(sealIntervalMs).catch((error) => {
        log.error({ err: error }, 'looking for leaves to sequence failed; trying again');
        pauseUntilMs = clock.monotonicMs() + FAULT_PAUSE_MS;
      });
      if (running) await wait.between(lookMs, pauseUntilMs - clock.monotonicMs());
    }
  }

  return {
    start() {
      if (running) return;
      running = true;
      stamps.start();
      runner = run();
    },
    wake() {
      stamps.wake();
    },
    sealNow: () => sequenceDue(0),
    async stop(graceMs) {
      running = false;
      stopping = true;
      wait.wake();
      await runner;
      await sequencing;
      await stamps.stop(graceMs);
    },
  };
}

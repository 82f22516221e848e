import { type DkimSigner, prepareSigning, type Signable, signaturesOf } from '@acuse/mail/dkim';
import { joinScans, type MessageScan, scanMessage } from '@acuse/mail/smtp/message-data';
import type { Log } from '../platform/logger.ts';
import type { Job } from '../platform/threads/job.ts';
import type { Threads } from '../platform/threads/threads.ts';

/** Larger messages are hashed in a thread (bytes). */
export const LARGE_MESSAGE_BYTES = 262_144;
const JOB_LIMIT_MS = 30_000;

interface LookedOver {
  readonly signable: Signable;
  readonly scan: MessageScan;
}

export const lookOverJob: Job<Uint8Array, LookedOver> = {
  name: 'look-over',
  limitMs: JOB_LIMIT_MS,
  run: lookOver,
};

function lookOver(raw: Uint8Array): LookedOver {
  return { signable: prepareSigning(raw), scan: scanMessage([raw]) };
}

/** Signs a large message and examines the result. */
export async function signLarge(
  deps: { threads: Threads; log: Pick<Log, 'warn'> },
  tenantId: string,
  raw: Uint8Array,
  sign: { signers: readonly DkimSigner[]; at: Date },
): Promise<{ data: Uint8Array[]; scan: MessageScan }> {
  // Shared: a copy takes milliseconds, and a transfer would take it from here.
  const shared = new Uint8Array(new SharedArrayBuffer(raw.length));
  shared.set(raw);
  const { signable, scan } = await deps.threads
    .run(lookOverJob, shared, { tenantId, bytes: raw.length })
    .catch((error) => {
      // A due message is sent even if that delays others.
      deps.log.warn({ err: error }, 'a large message is checked on the main thread');
      return lookOver(raw);
    });
  if (sign.signers.length === 0) return { data: [raw], scan };
  const signatures = await signaturesOf(sign.signers, signable, sign.at.getTime());
  return { data: [signatures, raw], scan: joinScans(scanMessage([signatures]), scan) };
}

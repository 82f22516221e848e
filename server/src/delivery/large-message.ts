import { type DkimSigner, prepareSigning, type Signable, signaturesOf } from '@acuse/mail/dkim';
import { joinScans, type MessageScan, scanMessage } from '@acuse/mail/smtp/message-data';
import type { Log } from '../platform/logger.ts';
import type { Job } from '../platform/threads/job.ts';
import type { Threads } from '../platform/threads/threads.ts';

/** Up to this size a message is looked over and hashed where it is sent from: some milliseconds (bytes). */
export const LARGE_MESSAGE_BYTES = 262_144;
const JOB_LIMIT_MS = 30_000;

export interface LookedOver {
  readonly signable: Signable;
  readonly scan: MessageScan;
}

/**
 * Everything about the bytes of a message that signing and sending it take: each is a look at all of them.
 */
export const lookOverJob: Job<Uint8Array, LookedOver> = {
  name: 'look-over',
  limitMs: JOB_LIMIT_MS,
  run: lookOver,
};

function lookOver(raw: Uint8Array): LookedOver {
  return { signable: prepareSigning(raw), scan: scanMessage([raw]) };
}

/** What goes out for a large message: its signatures in front, and what a look over both finds. */
export async function signLarge(
  deps: { threads: Threads; log: Pick<Log, 'warn'> },
  tenantId: string,
  raw: Uint8Array,
  sign: { signers: readonly DkimSigner[]; at: Date },
): Promise<{ data: Uint8Array[]; scan: MessageScan }> {
  // Read by both: a copy takes some milliseconds, and to hand it over would take it from here.
  const shared = new Uint8Array(new SharedArrayBuffer(raw.length));
  shared.set(raw);
  const { signable, scan } = await deps.threads
    .run(lookOverJob, shared, { tenantId, bytes: raw.length })
    .catch((error) => {
      // A message that is due is sent, if need be at the cost of others' time.
      deps.log.warn({ err: error }, 'a large message is checked on the main thread');
      return lookOver(raw);
    });
  if (sign.signers.length === 0) return { data: [raw], scan };
  const signatures = await signaturesOf(sign.signers, signable, sign.at.getTime());
  return { data: [signatures, raw], scan: joinScans(scanMessage([signatures]), scan) };
}

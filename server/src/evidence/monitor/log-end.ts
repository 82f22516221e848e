import { equalBytes } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { type LogEnd, openLogEnd } from '@acuse/evidence/log-end';
import { formatVerifierKey, type VerifierKey } from '@acuse/evidence/verifier-key';
import { assertWithin } from '@acuse/evidence/verify-end';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Alerts } from './alert.ts';
import { type LogClient, LogUnavailable } from './log-client.ts';
import type { MonitorState } from './state.ts';

interface FoundEnd {
  readonly end: LogEnd;
  readonly note: string;
}

interface Of {
  readonly client: LogClient;
  readonly key: VerifierKey;
}

export async function findEnd({ client, key }: Of): Promise<FoundEnd | null> {
  try {
    const note = await client.end(key.name);
    return note === null ? null : { note, end: openLogEnd(note, key, sha256) };
  } catch (error) {
    // Silence proves nothing.
    if (error instanceof EvidenceError || error instanceof LogUnavailable) return null;
    throw error;
  }
}

/** Reports the successor, and published leaves that the end denies. `seen`: checkpoints shown to others. */
export function tellEnd(
  { end, note }: FoundEnd,
  { verified }: MonitorState,
  {
    key,
    seen,
    alerts,
  }: { readonly key: VerifierKey; readonly seen: readonly string[]; readonly alerts: Alerts },
): void {
  const { kept, published, endedAt, successor, reason } = end;
  alerts.add(
    'ended',
    `this log ended at ${endedAt.toISOString()} with ${kept.size} of the ${published.size} leaves that it had published (${reason}); it continues as ${successor.name}: monitor that one with --key ${formatVerifierKey(successor)} and a new --state`,
    [note],
  );
  for (const text of [...(verified === null ? [] : [verified.note]), ...seen]) {
    const { checkpoint } = openCheckpoint(text, [key], ed25519);
    try {
      assertWithin(checkpoint, end);
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      const isBeyond = checkpoint.size > Math.max(kept.size, published.size);
      alerts.add(isBeyond ? 'rollback' : 'fork', `a checkpoint ${error.detail}`, [text, note]);
    }
  }
}

/** Last checkpoint of an ended log. Null: leaves were lost, or an alert says why. */
export async function readLast(
  { client, key }: Of,
  { end: { kept }, note }: FoundEnd,
  { verified }: MonitorState,
  alerts: Alerts,
): Promise<Uint8Array | null> {
  if (kept.size === 0 || (verified !== null && verified.size > kept.size)) return null;
  try {
    const bytes = await client.checkpoint();
    const { checkpoint } = openCheckpoint(bytes, [key], ed25519);
    if (checkpoint.size === kept.size && equalBytes(checkpoint.rootHash, kept.rootHash)) return bytes;
    const shown = `${checkpoint.size} leaves are shown, and its end says ${kept.size}`;
    alerts.add('inconsistent', shown, [Buffer.from(bytes).toString('utf8'), note]);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    alerts.add('checkpoint', `what is left of it: ${error.detail}`);
  }
  return null;
}

import { readBundle } from '@acuse/evidence/bundle';
import { decodeUtf8 } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { readPinnedPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import { now } from '../format/clock.ts';
import type { CheckAnswer, Checked, CheckRequest } from './checked.ts';
import { digest } from './digest.ts';
import type { WatchAnswer, WatchRequest } from './log/watched.ts';

/**
 * Verifies a bundle, or the operator's log, in a worker of the visitor's browser. One question, one answer:
 * the page ends the worker then.
 */

addEventListener('message', ({ data }: MessageEvent<CheckRequest | WatchRequest>) => {
  const answered: Promise<CheckAnswer | WatchAnswer> = 'kind' in data ? watched(data) : answer(data);
  answered.then(
    (said) => postMessage(said),
    // To the page's `onerror`, as every fault of ours.
    (error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
  );
});

/** Loaded by those who ask for it: what verifies a bundle does without. */
async function watched(request: WatchRequest): Promise<WatchAnswer> {
  const [{ watchLog }, { openLog }] = await Promise.all([import('./log/watch.ts'), import('../api/log.ts')]);
  return watchLog(openLog(), request);
}

async function answer({ bundle, eml, trust, own, ownPolicy, ends }: CheckRequest): Promise<CheckAnswer> {
  let pinned: TrustPolicy | undefined;
  try {
    pinned = trust && readPinnedPolicy(JSON.parse(decodeUtf8(trust) ?? ''), sha256);
  } catch (error) {
    const detail = error instanceof EvidenceError ? error.detail : 'it is not JSON';
    return { kind: 'unreadable_policy', detail };
  }
  return {
    kind: 'checked',
    checked: await check({ bundle, eml, ends, ownPolicy, trust: pinned ?? (own ? 'bundle' : undefined) }),
  };
}

interface Given extends Pick<CheckRequest, 'bundle' | 'eml' | 'ends' | 'ownPolicy'> {
  readonly trust: TrustPolicy | 'bundle' | undefined;
}

async function check({ bundle, eml, ends, ownPolicy, trust }: Given): Promise<Checked> {
  const { stamps: _, ...verification } = await verifyBundle(bundle, {
    sha256,
    digest,
    now: now(),
    ...(trust && { trust }),
    ...(ownPolicy && { own: readPinnedPolicy(JSON.parse(ownPolicy), sha256) }),
    ...(eml && { eml }),
    ...(ends && { ends }),
  });
  if (!verification.valid) return { verification, layers: [], report: null };
  const entries = readBundle(bundle);
  const report = entries.get('report.pdf') ?? null;
  if (!eml || !verification.eml) return { verification, layers: [], report };
  // Only who has a copy compares one.
  const { compareCopy } = await import('./compare.ts');
  return { verification, layers: compareCopy(entries, eml, verification.eml), report };
}

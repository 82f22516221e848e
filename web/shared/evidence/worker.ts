import { readBundle } from '@acuse/evidence/bundle';
import { decodeUtf8 } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { readPinnedPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import type { CheckAnswer, Checked, CheckRequest } from './checked.ts';
import { compareCopy } from './compare.ts';

/**
 * Verifies a bundle in the visitor's own browser, away from the page, and hands back what came of it. One
 * question, one answer: the page ends the worker then.
 */

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) => {
  answer(data).then(
    (said) => postMessage(said),
    // To the page's `onerror`, as every fault of ours.
    (error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
  );
});

async function answer({ bundle, eml, trust }: CheckRequest): Promise<CheckAnswer> {
  let pinned: TrustPolicy | undefined;
  try {
    pinned = trust && readPinnedPolicy(JSON.parse(decodeUtf8(trust) ?? ''), sha256);
  } catch (error) {
    const detail = error instanceof EvidenceError ? error.detail : 'it is not JSON';
    return { kind: 'unreadable_policy', detail };
  }
  return { kind: 'checked', checked: await check({ bundle, eml, trust: pinned }) };
}

interface Given extends Pick<CheckRequest, 'bundle' | 'eml'> {
  readonly trust: TrustPolicy | undefined;
}

async function check({ bundle, eml, trust }: Given): Promise<Checked> {
  const { stamps: _, ...verification } = await verifyBundle(bundle, {
    sha256,
    ...(trust && { trust }),
    ...(eml && { eml }),
  });
  if (!verification.valid) return { verification, layers: [], report: null };
  const entries = readBundle(bundle);
  const layers = eml && verification.eml ? compareCopy(entries, eml, verification.eml) : [];
  return { verification, layers, report: entries.get('report.pdf') ?? null };
}

import { serialize } from 'node:v8';
import { toHex } from '@acuse/evidence/bytes';
import { findContentDeletion } from '../../messages/read-store.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { readRenewals } from '../renewal/renewal-store.ts';
import { type BundleForm, bundleJob, contentBuffers, sourceBytes } from './bundle-jobs.ts';
import { fullHour } from './count-outcomes.ts';
import { requireSealed } from './evidence.ts';
import { findContentSizes, readMessageLeaves } from './evidence-store.ts';
import { KeptBytes } from './kept-bytes.ts';
import { type ProofBundleDeps, readBundleSource } from './proof-bundle.ts';
import { findMessageStamp } from './seal-store.ts';
import type { StampedPdfs } from './stamped-pdfs.ts';

/**
 * Caches finished bundles. Making one verifies it and draws its report in a thread, once for concurrent
 * requests. The cache key covers all that a bundle depends on, read for each request: new seals, outcomes and
 * renewals make a new one, and erased ones are not found.
 */
export interface FinishedBundles {
  /**
   * Throws not_found, missing_proof_data; unavailable while too many are being made, and for a PDF while no
   * authority answers.
   */
  get(tenantId: string, messageId: string, form: BundleForm | 'pdf'): Promise<Uint8Array>;
}

export interface FinishedBundlesDeps extends ProofBundleDeps {
  readonly threads: Threads;
  readonly verifyUrl: () => string;
  readonly pdfs: StampedPdfs;
  /** Reports erased messages. */
  readonly changes: Pick<Changes, 'on'>;
}

export function createFinishedBundles(deps: FinishedBundlesDeps): FinishedBundles {
  const kept = new KeptBytes();
  const making = new Map<string, Promise<Uint8Array>>();
  deps.changes.on('message', (id) => {
    const [tenantId, messageId] = id.split('/') as [string, string];
    for (const form of ['zip', 'json', 'pdf']) kept.forget(tenantId, `${messageId}/${form}`);
  });

  async function make(tenantId: string, messageId: string, form: BundleForm): Promise<Uint8Array> {
    const source = await readBundleSource(deps, tenantId, messageId);
    const order = { tenantId, bytes: sourceBytes(source), handOver: contentBuffers(source) };
    return deps.threads.run(bundleJob, { ...source, form, verifyUrl: deps.verifyUrl() }, order);
  }

  return {
    async get(tenantId, messageId, form) {
      const hour = fullHour(deps.clock.now());
      const facts = await deps.db.asTenant(tenantId, (tx) => readFacts(tx, tenantId, messageId));
      const factsSha256 = sha256(serialize(facts));
      const countedAt = form === 'pdf' ? await deps.pdfs.countedAt(tenantId, messageId, factsSha256) : hour;
      const place = `${messageId}/${form}`;
      const name = `${countedAt.toISOString()} ${toHex(factsSha256)}`;
      const found = kept.find(tenantId, place, name);
      if (found !== null) return found;
      const key = `${tenantId}/${place}/${name}`;
      const under = making.get(key);
      if (under !== undefined) return under;
      const order =
        form === 'pdf'
          ? deps.pdfs.make({ tenantId, messageId, factsSha256, countedAt })
          : make(tenantId, messageId, form);
      const made = order.finally(() => making.delete(key));
      making.set(key, made);
      const bytes = await made;
      kept.keep(tenantId, place, name, bytes);
      return bytes;
    },
  };
}

/** All that a bundle depends on, except content, which only erasure changes. */
async function readFacts(q: Queryable, tenantId: string, messageId: string): Promise<unknown> {
  const [proof, leaves, sizes, messageStamp] = await Promise.all([
    requireSealed(q, tenantId, messageId),
    readMessageLeaves(q, tenantId, messageId),
    findContentSizes(q, tenantId, messageId),
    findMessageStamp(q, tenantId, messageId),
  ]);
  const [renewals, deletion] = await Promise.all([
    readRenewals(q, [proof]),
    // Read last, so that an erasure during the read is seen.
    findContentDeletion(q, tenantId, messageId),
  ]);
  return [proof, leaves, sizes, messageStamp, renewals, deletion];
}

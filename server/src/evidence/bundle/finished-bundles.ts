import { serialize } from 'node:v8';
import { toHex } from '@acuse/evidence/bytes';
import { findContentDeletion } from '../../messages/read-store.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Queryable } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { readRenewals } from '../renewal/renewal-store.ts';
import { readIssuedVersions } from '../stamp/issued-store.ts';
import { type BundleForm, bundleJob, contentBuffers, sourceBytes } from './bundle-jobs.ts';
import { ByteCache } from './byte-cache.ts';
import { fullHour } from './count-outcomes.ts';
import { requireSealed } from './evidence.ts';
import { findContentSizes, readMessageLeaves } from './evidence-store.ts';
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
   * Throws not_found, missing_proof_data; unavailable while too many are being made, or the archive that has
   * the content is away.
   */
  get(tenantId: string, messageId: string, form: BundleForm): Promise<FinishedBundle>;
  /**
   * `mayBuy`: whether to buy a time-stamp if there is no valid one. Throws as get; insufficient_scope if it
   * may not, unavailable while no authority answers.
   */
  getPdf(tenantId: string, messageId: string, mayBuy: boolean): Promise<FinishedBundle>;
}

interface FinishedBundle {
  readonly bytes: Uint8Array;
  /** The message's content is in an archive alone. */
  readonly archived: boolean;
}

interface FinishedBundlesDeps extends ProofBundleDeps {
  readonly threads: Threads;
  readonly verifyUrl: () => string;
  readonly pdfs: StampedPdfs;
  /** Reports erased messages. */
  readonly changes: Pick<Changes, 'on'>;
}

export function createFinishedBundles(deps: FinishedBundlesDeps): FinishedBundles {
  const kept = new ByteCache();
  const making = new Map<string, Promise<Uint8Array>>();
  deps.changes.on('message', (id) => {
    const [tenantId, messageId] = id.split('/') as [string, string];
    for (const form of ['zip', 'json', 'pdf']) kept.forget(tenantId, `${messageId}/${form}`);
  });

  async function readHashed(tenantId: string, messageId: string) {
    const { facts, archived } = await deps.db.asTenant(tenantId, (tx) => readFacts(tx, tenantId, messageId));
    return { factsSha256: sha256(serialize(facts)), archived };
  }

  async function make(tenantId: string, messageId: string, form: BundleForm): Promise<Uint8Array> {
    const source = await readBundleSource(deps, tenantId, messageId);
    const order = { tenantId, bytes: sourceBytes(source), handOver: contentBuffers(source) };
    return deps.threads.run(bundleJob, { ...source, form, verifyUrl: deps.verifyUrl() }, order);
  }

  /** Kept, being made, or made by `order`. `by`: shares what is being made with its like alone. */
  async function once(
    tenantId: string,
    place: string,
    name: string,
    order: () => Promise<Uint8Array>,
    by = '',
  ): Promise<Uint8Array> {
    const found = kept.find(tenantId, place, name);
    if (found !== null) return found;
    const key = `${tenantId}/${place}/${name}${by}`;
    const under = making.get(key);
    if (under !== undefined) return under;
    const made = order().finally(() => making.delete(key));
    making.set(key, made);
    const bytes = await made;
    kept.keep(tenantId, place, name, bytes);
    return bytes;
  }

  return {
    async get(tenantId, messageId, form) {
      const hour = fullHour(deps.clock.now());
      const { factsSha256, archived } = await readHashed(tenantId, messageId);
      const name = nameOf(hour, factsSha256);
      const order = () => make(tenantId, messageId, form);
      return { bytes: await once(tenantId, `${messageId}/${form}`, name, order), archived };
    },
    async getPdf(tenantId, messageId, mayBuy) {
      const { factsSha256, archived } = await readHashed(tenantId, messageId);
      const countedAt = await deps.pdfs.countedAt(tenantId, messageId, factsSha256);
      const wanted = { tenantId, messageId, factsSha256, countedAt, mayBuy };
      const order = () => deps.pdfs.make(wanted);
      const name = nameOf(countedAt, factsSha256);
      return { bytes: await once(tenantId, `${messageId}/pdf`, name, order, `/${mayBuy}`), archived };
    },
  };
}

const nameOf = (countedAt: Date, factsSha256: Uint8Array) =>
  `${countedAt.toISOString()} ${toHex(factsSha256)}`;

/** All that a bundle depends on, except content, which only erasure changes. */
async function readFacts(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<{ readonly facts: readonly unknown[]; readonly archived: boolean }> {
  const [proof, leaves, { sizes, archived }, messageStamp] = await Promise.all([
    requireSealed(q, tenantId, messageId),
    readMessageLeaves(q, tenantId, messageId),
    findContentSizes(q, tenantId, messageId),
    findMessageStamp(q, tenantId, messageId),
  ]);
  const renewals = await readRenewals(q, [proof]);
  const tokens = [proof.stamp, ...renewals, ...(messageStamp === undefined ? [] : [messageStamp])];
  const [issued, deletion] = await Promise.all([
    readIssuedVersions(
      q,
      tokens.map(({ token }) => token),
      leaves.flatMap(({ logId, treeSize }) =>
        logId === null || treeSize === null ? [] : { logId, treeSize },
      ),
    ),
    // Read last, so that an erasure during the read is seen.
    findContentDeletion(q, tenantId, messageId),
  ]);
  const facts = [proof, leaves, sizes, messageStamp, renewals, deletion];
  // Facts without issued documents keep their old form: a PDF with other facts costs a time-stamp.
  return { facts: issued.length === 0 ? facts : [...facts, issued], archived };
}

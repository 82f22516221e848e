import { assembleBundle } from '@acuse/evidence/assemble';
import { bundleToJson, writeBundle } from '@acuse/evidence/bundle';
import { type Disclosure, narrow } from '@acuse/evidence/disclose';
import { sha256 } from '../../platform/sha256.ts';
import { type Job, ownBuffer } from '../../platform/threads/job.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { type BundleForm, contentBuffers, sourceBytes } from './bundle-jobs.ts';
import { type BundleSource, type ProofBundleDeps, readBundleSource } from './proof-bundle.ts';
import { toEvidence } from './stored-evidence.ts';

/** A disclosure bundle: proves what is disclosed and shows nothing else. */

const JOB_LIMIT_MS = 60_000;

interface SharedInput extends BundleSource {
  readonly shown: Disclosure;
  readonly form: BundleForm;
}

export const sharedBundleJob: Job<SharedInput, Uint8Array<ArrayBuffer>> = {
  name: 'shared-bundle',
  limitMs: JOB_LIMIT_MS,
  async run({ rows, trust, now, shown, form }) {
    const whole = assembleBundle(toEvidence(rows, trust), sha256);
    const bundle = await narrow(whole, shown, { sha256, now });
    return ownBuffer(
      form === 'zip' ? writeBundle(bundle) : Buffer.from(JSON.stringify(bundleToJson(bundle))),
    );
  },
  handedOver: (bytes) => [bytes.buffer],
};

export async function makeSharedBundle(
  deps: ProofBundleDeps & { readonly threads: Threads },
  of: { readonly tenantId: string; readonly messageId: string },
  shown: Disclosure,
  form: BundleForm,
): Promise<Uint8Array> {
  const source = await readBundleSource(deps, of.tenantId, of.messageId);
  const order = {
    tenantId: of.tenantId,
    bytes: sourceBytes(source),
    handOver: contentBuffers(source),
  };
  return deps.threads.run(sharedBundleJob, { ...source, shown, form }, order);
}

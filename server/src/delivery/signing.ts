import { createPrivateKey } from 'node:crypto';
import { createDkimSigner, type DkimSigner } from '@acuse/mail/dkim';
import { type CachedRead, createCachedRead } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { loadSigningKeys } from './store.ts';

/** The DKIM signers of sender domains, their keys unsealed and parsed once: that costs more than a signature. */
export interface Signing {
  /** The signers for mail of this tenant's domain, RSA first; empty when the domain has no active key. */
  signersFor(tenantId: string, domain: string): Promise<readonly DkimSigner[]>;
}

/** How long a signer may be used after its key was read: a rotation shows in new mail within this time. */
const SIGNER_TTL_MS = 30_000;
const MAX_DOMAINS = 10_000;

/** The context that a DKIM key is sealed under. */
export function dkimKeyContext(tenantId: string, dkimKeyId: string): string {
  return `dkim:${tenantId}:${dkimKeyId}`;
}

export function createSigning(deps: { db: Db; secrets: SecretBox; clock: Clock }): Signing {
  const cache: CachedRead<readonly DkimSigner[]> = createCachedRead({
    clock: deps.clock,
    ttlMs: SIGNER_TTL_MS,
    maxEntries: MAX_DOMAINS,
    async read(key) {
      const [tenantId, domain] = key.split(' ') as [string, string];
      const rows = await loadSigningKeys(deps.db, tenantId, domain);
      return rows.map((row) => {
        const der = deps.secrets.open(row.private_key_sealed, dkimKeyContext(tenantId, row.dkim_key_id));
        const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
        return createDkimSigner({ domain, selector: row.selector, algorithm: row.algorithm, privateKey });
      });
    },
  });
  return {
    async signersFor(tenantId, domain) {
      return (await cache.get(`${tenantId} ${domain}`)) ?? [];
    },
  };
}

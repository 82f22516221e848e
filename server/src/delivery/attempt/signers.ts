import { createPrivateKey } from 'node:crypto';
import { createDkimSigner, type DkimSigner } from '@acuse/mail/dkim';
import { dkimKeyContext } from '../../accounts/domains/dkim-keys.ts';
import { createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { loadSigningKeys } from '../claim/claim-store.ts';

/** DKIM signers of a domain, RSA first; empty without an active key. */
export type FindSigners = (
  tenantId: string,
  domain: string,
) => readonly DkimSigner[] | Promise<readonly DkimSigner[]>;

/** Longest use of a cached signer: bounds the delay of a rotation (ms). */
const TTL_MS = 30_000;
const TENANT_ID_CHARS = 36;

/** Caches signers with parsed keys: unsealing costs more than a signature. */
export function createFindSigners(deps: { db: Db; secrets: SecretBox; clock: Clock }): FindSigners {
  const cache = createCachedRead<readonly DkimSigner[]>({
    clock: deps.clock,
    ttlMs: TTL_MS,
    read: (key) => read(key.slice(0, TENANT_ID_CHARS), key.slice(TENANT_ID_CHARS)),
  });

  async function read(tenantId: string, domain: string): Promise<readonly DkimSigner[]> {
    const keys = await loadSigningKeys(deps.db, tenantId, domain);
    return keys.map(({ dkim_key_id, selector, algorithm, private_key_sealed }) => {
      const der = deps.secrets.open(private_key_sealed, dkimKeyContext(tenantId, dkim_key_id));
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      return createDkimSigner({ domain, selector, algorithm, privateKey });
    });
  }

  return (tenantId, domain) => {
    const known = cache.get(tenantId + domain);
    return known instanceof Promise ? known.then((signers) => signers ?? []) : (known ?? []);
  };
}

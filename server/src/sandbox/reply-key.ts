import { createPrivateKey } from 'node:crypto';
import { createDkimSigner, type DkimSigner } from '@acuse/mail/dkim';
import { dkimRecord } from '@acuse/mail/dkim-keys';
import { hmacSha256 } from '@acuse/mail/hmac';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';

/** The DKIM key of sandbox.test, which no DNS publishes: the same in every process of an installation. */

const SELECTOR = 'sandbox';
const ALGORITHM = 'ed25519-sha256';
const PURPOSE = Buffer.from('acuse/sandbox-dkim/v1\n');
/** Bytes of PKCS #8 before the 32 bytes of a private key. RFC 8410 §7 */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function sandboxSigner(returnPathSecret: Uint8Array): DkimSigner {
  const key = Buffer.concat([PKCS8_PREFIX, hmacSha256(returnPathSecret, PURPOSE)]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return createDkimSigner({ domain: SANDBOX_DOMAIN, selector: SELECTOR, algorithm: ALGORITHM, privateKey });
}

/** Knows this one record, and asks nobody. */
export function sandboxKeys(returnPathSecret: Uint8Array): MailResolver {
  const published = dkimRecord(ALGORITHM, sandboxSigner(returnPathSecret).publicKey);
  return {
    async lookup(name, type) {
      const isKey = type === 'TXT' && name.toLowerCase() === `${SELECTOR}._domainkey.${SANDBOX_DOMAIN}`;
      if (!isKey) return { kind: 'nxdomain', authenticated: false };
      return { kind: 'found', records: [published] as never, authenticated: false };
    },
  };
}

// Verifies a proof bundle offline, by keys and authorities that the reader trusts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readTrustPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';

const [bundle = 'proof.zip', policy] = process.argv.slice(2);
const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
const { verdict, reasons, warnings, facts } = await verifyBundle(readFileSync(bundle), {
  sha256,
  now: new Date(),
  // Without it the keys in the file itself are believed, and the verdict is `unproven`.
  ...(policy !== undefined && { trust: readTrustPolicy(JSON.parse(readFileSync(policy, 'utf8')), sha256) }),
});
console.log(verdict, facts.message?.subject, 'sealed', facts.sealed_at, 'by', facts.issuer);
for (const { name, detail } of [...reasons, ...warnings]) console.log(`${name}: ${detail}`);

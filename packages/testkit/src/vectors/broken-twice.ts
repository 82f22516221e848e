/** Bundles that break two rules, and documents of another shape, which verifiers once named differently. */
import { type Bundle, withSums } from '@acuse/evidence/bundle';
import type { Json } from '@acuse/evidence/jcs';
import { sha256 } from './authority.ts';
import { type Cases, change, changeJson, replaceText } from './tamper.ts';

/** sha256WithRSAEncryption. */
const RSA_OVER_SHA256 = Buffer.from('2a864886f70d01010b', 'hex');
const RSA_OVER_SHA384_ENDS = 0x0c;

export function brokenTwice(cases: Cases, whole: Bundle): void {
  const add = (name: string, why: string, bundle: Bundle) => cases.set(name, { why, bundle });
  const exchanged = (one: string, other: string) =>
    withSums(new Map(whole).set(one, whole.get(other)!).set(other, whole.get(one)!), sha256);
  const ownChain = 'chain/message-constancia.pem';
  add('two-stamp-and-own-chain', 'both constancias cannot be read', exchanged('constancia.tsr', ownChain));
  add('two-checkpoint-and-own-chain', 'nor what the first one stamps', exchanged('checkpoint.txt', ownChain));
  add(
    'two-inclusion-and-witness',
    'the index of a neighbour, and more witnesses are asked for than there are',
    changeJson(replaceText(whole, 'proof.tlog-proof', 'index 5', 'index 4'), 'policy.json', (policy) => {
      policy['witness_quorum'] = 16;
    }),
  );
  add(
    'two-manifest-dkim',
    'a DKIM domain that is empty, and openings of the manifest as it was',
    changeJson(whole, 'manifest.json', ({ dkim }) => {
      (dkim as Record<string, Json>[])[0]!['domain'] = '';
    }),
  );
  const parts = (why: string, name: string, alter: (mail: Record<string, Json>) => void) =>
    add(
      name,
      why,
      changeJson(whole, 'openings.json', ({ mail }) => alter(mail as Record<string, Json>)),
    );
  parts('parts that are no list, but have a length', 'openings-parts-text', (mail) => {
    mail['parts'] = '';
  });
  parts('an index that some languages take for 1', 'openings-part-index-true', (mail) => {
    (mail['parts'] as Record<string, Json>[])[1]!['index'] = true;
  });
  const list = Buffer.from(whole.get('revocation/vector-root.crl')!);
  list[list.indexOf(RSA_OVER_SHA256) + RSA_OVER_SHA256.length - 1] = RSA_OVER_SHA384_ENDS;
  add(
    'revocation-two-algorithms',
    'a list that names two signature algorithms',
    change(whole, 'revocation/vector-root.crl', new Uint8Array(list)),
  );
}

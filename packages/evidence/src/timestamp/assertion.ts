/** Compares a token's statements with the request and with the authority's manifest. RFC 3161 §2.4.2. */
import { equalBytes, toHex } from '../bytes.ts';
import { stripZeros } from './der.ts';
import { describeOid, hashByOid } from './oids.ts';
import type { ExpectedTimeStamp, TimeStampPolicy } from './policy.ts';
import type { Finding, Report } from './report.ts';
import type { TstInfo } from './tst-info.ts';

export function examineAssertion(
  report: Report,
  info: TstInfo,
  expected: ExpectedTimeStamp,
  policy: TimeStampPolicy,
): void {
  report.test('tst_version', info.version === 1, 'TSTInfo v1', `TSTInfo v${info.version}, expected v1`);
  const hash = hashByOid(info.hashOid);
  const allowed = policy.hashAlgorithms ?? ['sha256', 'sha384', 'sha512'];
  const takes = hash !== undefined && hash.name === expected.hashAlgorithm && allowed.includes(hash.name);
  const wanted = `expected ${expected.hashAlgorithm}, one of ${allowed.join(', ')}`;
  report.test(
    'hash_algorithm',
    takes,
    expected.hashAlgorithm,
    `imprint by ${describeOid(info.hashOid)}, ${wanted}`,
  );
  const imprintHex = toHex(info.imprint);
  report.test(
    'imprint',
    equalBytes(info.imprint, expected.imprint),
    imprintHex,
    `token is over ${imprintHex}, not ${toHex(expected.imprint)}`,
  );
  if (expected.nonce !== undefined) {
    const same = info.nonce !== null && equalBytes(info.nonce, stripZeros(expected.nonce));
    report.test(
      'nonce',
      same,
      'as sent',
      info.nonce === null ? 'the nonce sent is not in the token' : 'the token has another nonce',
    );
  }
  report.add('policy', checkPolicy(info.policyOid, expected.policy, policy));
}

function checkPolicy(oid: string, asked: string | undefined, policy: TimeStampPolicy): Finding {
  if (asked !== undefined && oid !== asked) return { ok: false, detail: `policy ${oid}, asked for ${asked}` };
  const pinned = policy.policies ?? [];
  if (pinned.includes(oid)) return { ok: true, detail: `${oid}, as ${policy.name} states` };
  if (pinned.length > 0) {
    return { ok: false, detail: `policy ${oid}, ${policy.name} states ${pinned.join(', ')}` };
  }
  // Under NOM-151 the policy makes a token a constancia; a manifest must name it.
  return policy.profile === 'nom151'
    ? { ok: false, detail: `policy ${oid}, and ${policy.name}'s manifest names none` }
    : { ok: true, detail: oid };
}

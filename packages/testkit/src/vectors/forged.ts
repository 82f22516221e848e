/** Time-stamps of a forger who has no key of the authority's, in bundles that lack nothing else; witnesses that count too often. */
import type { StoredEvidence } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import type { Signer } from '@acuse/evidence/note';
import { formatTrustPolicy, type TrustPolicy } from '@acuse/evidence/policy';
import { renewalImprint } from '@acuse/evidence/renewal';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { COSIGNATURE_V1, verifierKey } from '@acuse/evidence/verifier-key';
import type { Issued } from '@acuse/tsa/certificates';
import { type Authority, sha256, signerFor, witnessKey, witnessSigner } from './authority.ts';
import { prove, renewed, sealedEvidence } from './bundles.ts';
import { assemble, type Cases, change } from './tamper.ts';

const RENEWED_AT = new Date('2026-12-01T00:00:00Z');

export async function forgedBundles(authority: Authority): Promise<Cases> {
  const cases: Cases = new Map();
  const sealed = await sealedEvidence(authority);
  const small = assemble(sealed);
  const forger = authority.forger();
  chains(cases, authority, small, forger);
  tokens(cases, authority, small);
  await renewals(cases, authority, sealed, forger);
  witnesses(cases, sealed);
  return cases;
}

const pem = (...certificates: Issued[]): string =>
  certificates.map(({ der }) => certificateToPem(der)).join('');

type Forger = ReturnType<Authority['forger']>;

/** The forger's token with every chain that has the genuine root in it somewhere. */
function chains(cases: Cases, authority: Authority, small: Bundle, forger: Forger): void {
  const { root, signer, stranger, strangerRoot } = authority;
  const imprint = sha256(small.get('checkpoint.txt')!);
  const add = (name: string, why: string, by: Issued, ...chain: Issued[]) => {
    const stamped = change(small, 'constancia.tsr', authority.token(imprint, { by }));
    cases.set(`forged-${name}`, { why, bundle: change(stamped, 'chain/constancia.pem', pem(...chain)) });
  };
  const both = "the forger's own authority, the genuine root";
  add('root-last', `${both} last`, stranger, stranger, strangerRoot, root);
  add('root-second', `${both} second`, stranger, stranger, root, strangerRoot);
  add('root-first', `${both} first`, stranger, root, stranger, strangerRoot);
  add('root-alone', "the forger's signer before the genuine root", stranger, stranger, root);
  add('root-twice', `${both} twice`, stranger, stranger, root, strangerRoot, root);
  add('after-genuine', "the forger's signer behind the genuine one", stranger, signer, stranger, root);
  add('genuine-chain', 'the genuine chain beside a token of the forger', stranger, signer, root);
  const { twin, twinRoot, belowSigner, future } = forger;
  add('twin', "a signer of the genuine one's issuer and serial number", twin, twin, twinRoot, root);
  add('twin-alone', 'the same before the genuine root alone', twin, twin, root);
  add('twin-genuine-chain', 'the same beside the genuine chain', twin, signer, root);
  add('below-signer', 'under a certificate that is not an authority', belowSigner, belowSigner, signer, root);
  add('too-early', "before its certificate's beginning", future, future, root);
}

function tokens(cases: Cases, authority: Authority, small: Bundle): void {
  const imprint = sha256(small.get('checkpoint.txt')!);
  const add = (name: string, why: string, rawSerial: Uint8Array) => {
    const tamper: NonNullable<Parameters<Authority['token']>[1]>['tamper'] = (plan) => ({
      ...plan,
      tst: { ...plan.tst, rawSerial },
    });
    const bundle = change(small, 'constancia.tsr', authority.token(imprint, { tamper }));
    cases.set(`token-${name}`, { why, bundle });
  };
  add('serial-negative', 'a negative serial number', Uint8Array.of(0xff));
  add('serial-too-long', 'a serial number of 168 bits', new Uint8Array(21).fill(0x7f));
}

async function renewals(
  cases: Cases,
  authority: Authority,
  sealed: StoredEvidence,
  { twin, twinRoot }: Forger,
): Promise<void> {
  const { root, stranger, strangerRoot } = authority;
  const sound = assemble(await renewed(authority, sealed, 1));
  const imprint = renewalImprint(new TextDecoder().decode(sound.get('renewal/01.sums')));
  const add = (name: string, why: string, by: Issued, ...chain: Issued[]) => {
    const token = authority.token(imprint, { by, at: RENEWED_AT, hash: 'sha512' });
    const stamped = change(sound, 'renewal/01.tsr', token);
    cases.set(`forged-renewal-${name}`, {
      why,
      bundle: change(stamped, 'chain/renewal-01.pem', pem(...chain)),
    });
  };
  add('root-last', 'renewed by the forger, the genuine root last', stranger, stranger, strangerRoot, root);
  add('root-alone', 'renewed by the forger under the genuine root', stranger, stranger, root);
  add('twin', 'renewed by a namesake of the genuine signer', twin, twin, twinRoot, root);
}

function witnesses(cases: Cases, sealed: StoredEvidence): void {
  const second = signerFor('witness.example/w2');
  const keyOf = (name: string, by: Signer) => verifierKey(name, by.publicKey, sha256, COSIGNATURE_V1);
  const { proof } = prove(sha256(sealed.manifest), 5, 13, { also: [second] });
  const cosigned = assemble({ ...sealed, proof });
  const add = (name: string, why: string, changed: Partial<TrustPolicy>) => {
    const policy = formatTrustPolicy({ ...sealed.policy, ...changed });
    cases.set(`witness-${name}`, { why, bundle: change(cosigned, 'policy.json', policy) });
  };
  add('key-twice', 'one key under two names', {
    witnessKeys: [witnessKey, keyOf('other.example/w1', witnessSigner)],
  });
  add('operator-twice', 'two witnesses of one operator for a quorum of two', {
    witnessKeys: [witnessKey, keyOf(second.name, second)],
    witnessQuorum: 2,
  });
  add('reached-more', 'as many reached as were asked for, told as if they were fewer', { witnessReached: 1 });
  add('reached-stripped', 'fewer cosignatures than the bundle says there were', {
    witnessKeys: [keyOf('away.example/w', signerFor('away.example/w'))],
    witnessQuorum: 2,
    witnessReached: 1,
  });
}

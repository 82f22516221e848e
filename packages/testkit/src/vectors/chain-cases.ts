/** Chains of three certificates, one of which is unfit for an authority or limits those below it. */
import type { Bundle } from '@acuse/evidence/bundle';
import { encodeSequence } from '@acuse/evidence/timestamp/encode';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import * as asn1 from '@acuse/tsa/asn1';
import { type CertificateRequest, EKU, encodeExtension, makeCertificate } from '@acuse/tsa/certificates';
import { type Authority, sha256 } from './authority.ts';
import { type LineCases, tell } from './line-cases.ts';
import { assemble, change, changeJson } from './tamper.ts';

const TOO_EARLY = new Date('2026-02-01T00:00:00Z');
const CA_OF_NOBODY = { ca: true, pathLength: 0 };
const organization = (text: string): Uint8Array =>
  asn1.sequence(asn1.setOf(asn1.sequence(asn1.oid('2.5.4.10'), asn1.utf8String(text))));
/** Names below it are of this organization, or (`excluded`) of another. */
const names = (critical: boolean, text: string, excluded = false): Uint8Array =>
  encodeExtension(
    '2.5.29.30',
    critical,
    encodeSequence(asn1.tagged(excluded ? 1 : 0, asn1.sequence(asn1.tagged(4, organization(text))))),
  );
const unknown = encodeExtension('1.2.3.4', true, asn1.NULL);
/** A policy must be valid all the way down from here, which is written as not critical. */
const explicit = encodeExtension(
  '2.5.29.36',
  false,
  asn1.sequence(asn1.taggedPrimitive(0, Uint8Array.of(0))),
);
const mapping = encodeExtension(
  '2.5.29.33',
  false,
  asn1.sequence(asn1.sequence(asn1.oid('1.2.3'), asn1.oid('1.2.4'))),
);

/** Undefined: left out. */
type Change = { [key in keyof CertificateRequest]?: CertificateRequest[key] | undefined };
/** Changes of the root, the authority below it, and the signer. */
type Three = {
  root?: Change;
  middle?: Change;
  signer?: Change;
  /** Stands in the chain in the place of the one that issued the signer; the same but for this. */
  shown?: Change;
  leafEku?: string[];
};

export async function chainCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  const plain = assemble(await tell(authority));
  const add = (name: string, why: string, three: Three) =>
    cases.set(name, { why, bundle: chained(authority, plain, three) });
  const middle = (name: string, why: string, change: Change) =>
    add(`broken/chain-${name}`, why, { middle: change });
  const leaf = (name: string, why: string, change: Change, leafEku?: string[]) =>
    add(`broken/chain-${name}`, why, { signer: change, ...(leafEku && { leafEku }) });
  add('good/chain-three', 'a signer below an authority of its root', {});
  middle('not-ca', 'the authority says that it is none', { authority: { ca: false } });
  middle('no-ca', 'the authority does not say that it is one', { authority: undefined });
  middle('no-cert-sign', 'the authority may not sign certificates', { keyUsage: ['cRLSign'] });
  middle('ended', 'the authority had ended when it was sealed', { notAfter: TOO_EARLY });
  middle('unknown', 'the authority has a critical extension that nobody knows', { extensions: [unknown] });
  middle('names', 'names of another organization are allowed, not critically', {
    extensions: [names(false, 'Otra')],
  });
  middle('names-critical', 'names of another organization are allowed', {
    extensions: [names(true, 'Otra')],
  });
  middle('names-excluded', 'names of this organization are excluded, not critically', {
    extensions: [names(false, 'Una Autoridad', true)],
  });
  middle('explicit-policy', 'a policy is demanded, not critically, and none is there', {
    extensions: [explicit],
  });
  middle('mapping', 'policies are mapped, not critically', { extensions: [mapping] });
  add('broken/chain-extension-twice', 'an extension of the authority stands twice', {
    shown: { extensions: [1, 2].map(() => encodeExtension('1.2.3.5', false, asn1.NULL)) },
  });
  add('broken/chain-path-length', 'the root allows no authority below it', {
    root: { authority: CA_OF_NOBODY },
  });
  add('broken/chain-root-ended', 'the root had ended when it was sealed', { root: { notAfter: TOO_EARLY } });
  add('broken/chain-root-unknown', 'the root has a critical extension that nobody knows', {
    root: { extensions: [unknown] },
  });
  add('broken/chain-root-names', 'the root allows names of another organization, not critically', {
    root: { extensions: [names(false, 'Otra')] },
  });
  add('broken/chain-other-name', 'the authority in the chain has another name, and the same key', {
    shown: { subject: { name: { commonName: 'otra' }, key: authority.stranger.key } },
  });
  leaf('usage-more', 'the signer is for more than time-stamps', {
    extKeyUsage: { critical: true, oids: [EKU.timeStamping, EKU.emailProtection] },
  });
  leaf('usage-uncritical', 'that the signer is for time-stamps is not critical', {
    extKeyUsage: { critical: false, oids: [EKU.timeStamping] },
  });
  leaf('usage-none', 'the signer does not say what it is for', { extKeyUsage: undefined });
  leaf('cert-sign', 'the signer may sign certificates', { keyUsage: ['digitalSignature', 'keyCertSign'] });
  leaf('no-signature', 'the signer may not sign', { keyUsage: ['keyEncipherment'] });
  leaf(
    'psc-usage-more',
    'the signer of a PSC is for more than is taken',
    { extKeyUsage: { critical: false, oids: [EKU.emailProtection, EKU.serverAuth] } },
    [EKU.emailProtection],
  );
  leaf('not-yet', 'the signer is not valid yet', { notBefore: new Date('2026-04-01T00:00:00Z') });
  leaf('unknown-signer', 'the signer has a critical extension that nobody knows', { extensions: [unknown] });
  return cases;
}

function chained(authority: Authority, plain: Bundle, three: Three): Bundle {
  const name = (commonName: string) => ({ commonName, organization: 'Una Autoridad' });
  const ca: Pick<CertificateRequest, 'notBefore' | 'notAfter' | 'authority' | 'keyUsage'> = {
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2027-01-01T00:00:00Z'),
    authority: { ca: true },
    keyUsage: ['keyCertSign', 'cRLSign'],
  };
  const of = (n: number, commonName: string, key: CertificateRequest['subject']['key']) => ({
    subject: { name: name(commonName), key },
    serialNumber: Uint8Array.of(0x51, n),
  });
  // A field that is undefined is left out on purpose.
  const make = (request: object) => makeCertificate(request as CertificateRequest);
  const root = make({ ...ca, ...of(0, 'Chain root', authority.root.key), ...three.root });
  const below = { ...ca, ...of(1, 'Chain authority', authority.stranger.key), issuer: root };
  const middle = make({ ...below, ...three.middle });
  const signer = make({
    ...ca,
    authority: { ca: false },
    ...of(2, 'Chain TSA', authority.signer.key),
    issuer: middle,
    keyUsage: ['digitalSignature'],
    extKeyUsage: { critical: true, oids: [EKU.timeStamping] },
    ...three.signer,
  });
  const shown = three.shown ? make({ ...below, ...three.shown }) : middle;
  const chain = [signer, shown, root].map(({ der }) => certificateToPem(der));
  const imprint = sha256(plain.get('checkpoint.txt')!);
  const stamped = change(plain, 'constancia.tsr', authority.token(imprint, { by: signer }));
  const whole = change(stamped, 'chain/constancia.pem', chain.join(''));
  return changeJson(whole, 'policy.json', (policy) => {
    const [own] = policy['time_stamps'] as [object];
    const psc = three.leafEku && { profile: 'nom151', leafEku: three.leafEku };
    policy['time_stamps'] = [{ ...own, ...psc, roots: [chain.at(-1)!] }];
  });
}

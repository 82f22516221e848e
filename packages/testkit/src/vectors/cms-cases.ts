/** Time-stamps with one altered part of the CMS around them: RFC 5652, RFC 5035, RFC 5816. */
import type { Bundle } from '@acuse/evidence/bundle';
import { utf8 } from '@acuse/evidence/bytes';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { encode, encodeOid, encodeSequence } from '@acuse/evidence/timestamp/encode';
import { OID } from '@acuse/evidence/timestamp/oids';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { EKU, type Issued, makeCertificate } from '@acuse/tsa/certificates';
import type { Tamper } from '@acuse/tsa/respond';
import { attribute, hash, type TokenPlan } from '@acuse/tsa/token';
import { type Authority, sha256 } from './authority.ts';
import { type LineCases, tell } from './line-cases.ts';
import { assemble, change, changeJson } from './tamper.ts';

const oidOf = (dotted: string) => encodeOid(dotted)!;
const octets = (bytes: Uint8Array) => encode(0x04, bytes);
const isOf = (dotted: string) => (one: Uint8Array) => Buffer.from(one).includes(Buffer.from(oidOf(dotted)));

/** The attributes that are honest, in their order, and these. */
const also =
  (...more: readonly Uint8Array[]): NonNullable<TokenPlan['attributes']> =>
  (honest) =>
    [...honest, ...more].sort(Buffer.compare);

/** An attribute with these values in place of the honest one. */
const instead =
  (dotted: string, ...values: readonly Uint8Array[]): NonNullable<TokenPlan['attributes']> =>
  (honest) =>
    [
      ...honest.filter((one) => !isOf(dotted)(one)),
      encodeSequence(oidOf(dotted), encode(0x31, ...[...values].sort(Buffer.compare))),
    ].sort(Buffer.compare);

export async function cmsCases(authority: Authority): Promise<LineCases> {
  const cases: LineCases = new Map();
  const plain: Bundle = assemble(await tell(authority));
  const imprint = sha256(plain.get('checkpoint.txt')!);
  const add = (name: string, why: string, tamper: Tamper) =>
    cases.set(name, { why, bundle: change(plain, 'constancia.tsr', authority.token(imprint, { tamper })) });
  const set = (
    name: string,
    why: string,
    fields: Partial<TokenPlan> | ((plan: TokenPlan) => Partial<TokenPlan>),
  ) => add(name, why, (plan) => ({ ...plan, ...(typeof fields === 'function' ? fields(plan) : fields) }));
  for (const [key, why] of [
    ['short', 'an RSA key of 2040 bits'],
    ['exponent', 'an RSA key with an exponent of 33 bits'],
  ] as const) {
    const by = authority.weak(key);
    const chain = [by.der, authority.root.der].map(certificateToPem).join('');
    const stamped = change(plain, 'constancia.tsr', authority.token(imprint, { by }));
    cases.set(`broken/key-${key}`, { why, bundle: change(stamped, 'chain/constancia.pem', chain) });
  }
  for (const [folder, length] of [
    ['good', 8],
    ['broken', 9],
  ] as const)
    cases.set(`${folder}/limit-chain`, {
      why: `a chain of ${length} certificates`,
      bundle: chained(authority, plain, length),
    });
  cases.set('good/chain-nom151', {
    why: 'a signer of a PSC below an authority of its own',
    bundle: chained(authority, plain, 3, { profile: 'nom151', leafEku: [EKU.timeStamping] }),
  });
  envelope(set);
  attributes(set, authority);
  bindings(set, authority);
  return cases;
}

/** Stamped by a signer below `length` - 2 authorities and a root. */
function chained(
  authority: Authority,
  plain: Bundle,
  length: number,
  profile: { profile?: string; leafEku?: string[] } = {},
): Bundle {
  const keys = [authority.root.key, authority.stranger.key];
  const made: Issued[] = [];
  for (let n = 0; n < length; n++) {
    const isSigner = n === length - 1;
    const issuer = made.at(-1);
    const key = isSigner ? authority.signer.key : keys[n % keys.length]!;
    made.push(
      makeCertificate({
        subject: { name: { commonName: isSigner ? 'Deep TSA' : `Deep ${n}` }, key },
        ...(issuer && { issuer }),
        serialNumber: Uint8Array.of(0x50, n),
        notBefore: new Date('2026-01-01T00:00:00Z'),
        notAfter: new Date('2027-01-01T00:00:00Z'),
        authority: { ca: !isSigner },
        keyUsage: isSigner ? ['digitalSignature'] : ['keyCertSign', 'cRLSign'],
        ...(isSigner && { extKeyUsage: { critical: true, oids: [EKU.timeStamping] } }),
      }),
    );
  }
  const by = made.at(-1)!;
  const imprint = sha256(plain.get('checkpoint.txt')!);
  const chain = made.toReversed().map(({ der }) => certificateToPem(der));
  const stamped = change(plain, 'constancia.tsr', authority.token(imprint, { by }));
  const whole = change(stamped, 'chain/constancia.pem', chain.join(''));
  return changeJson(whole, 'policy.json', (policy) => {
    const [own] = policy['time_stamps'] as [object];
    policy['time_stamps'] = [{ ...own, ...profile, roots: [chain.at(-1)!] }];
  });
}

type Set_ = (
  name: string,
  why: string,
  fields: Partial<TokenPlan> | ((plan: TokenPlan) => Partial<TokenPlan>),
) => void;

function envelope(set: Set_): void {
  set('broken/cms-digest-not-listed', "digestAlgorithms lack the signer's", { digestAlgorithms: ['sha512'] });
  set('broken/cms-digests-none', 'digestAlgorithms are empty', { digestAlgorithms: [] });
  set('good/cms-digests-two', "another algorithm besides the signer's among digestAlgorithms", {
    digestAlgorithms: ['sha256', 'sha512'],
  });
  set('broken/cms-version', 'SignedData of version 1', { signedDataVersion: 1 });
  set('broken/cms-version-later', 'SignedData of version 4', { signedDataVersion: 4 });
  set('broken/cms-signer-version', 'a SignerInfo of version 3 that names an issuer and a serial number', {
    signerVersion: 3,
  });
  set('broken/cms-signers-none', 'no SignerInfo', { signerInfos: 0 });
  set('broken/cms-content-type', 'the content is said to be data, and no TSTInfo', {
    contentType: '1.2.840.113549.1.7.1',
    contentTypeAttribute: '1.2.840.113549.1.7.1',
  });
  set('broken/cms-content-type-alone', 'the content is said to be data, and the attribute says TSTInfo', {
    contentType: '1.2.840.113549.1.7.1',
  });
  set('broken/cms-signature-hash', 'signed over SHA-512, where the digest algorithm is SHA-256', {
    signatureHash: 'sha512',
  });
  set('good/cms-sha512', 'digest and signature of SHA-512', { digest: 'sha512' });
  set('broken/cms-sha1', 'digest and signature of SHA-1', { digest: 'sha1' });
  set('good/cms-granted-with-changes', 'status 1, granted with modifications', { status: 1 });
  set('broken/cms-tst-version', 'TSTInfo of version 2', ({ tst }) => ({ tst: { ...tst, version: 2 } }));
  set('broken/cms-tst-sha1', 'an imprint of SHA-1', ({ tst }) => ({
    tst: { ...tst, hashOid: '1.3.14.3.2.26', imprint: tst.imprint.subarray(0, 20) },
  }));
  set('broken/cms-tst-short', 'an imprint of SHA-256 with a byte less', ({ tst }) => ({
    tst: { ...tst, imprint: tst.imprint.subarray(0, 31) },
  }));
  set('broken/cms-policy', 'under a policy that is not listed', ({ tst }) => ({
    tst: { ...tst, policyOid: `${tst.policyOid}.1` },
  }));
  set('good/cms-unsigned-attribute', 'an attribute that is not signed, of a kind that nobody knows', {
    unsignedAttributes: [attribute('2.25.1', utf8Value('x'))],
  });
}

const utf8Value = (text: string) => encode(0x0c, utf8(text));

function attributes(set: Set_, authority: Authority): void {
  set('broken/cms-attributes-none', 'no signed attributes: the signature is over the TSTInfo itself', {
    attributes: () => null,
  });
  set('broken/cms-attributes-no-type', 'no content-type attribute', { contentTypeAttribute: null });
  set('broken/cms-attributes-no-digest', 'no message-digest attribute', { messageDigest: null });
  const type = oidOf(OID.tstInfo);
  set('broken/cms-type-twice', 'the content-type attribute stands twice', {
    attributes: also(attribute(OID.contentType, type)),
  });
  set('broken/cms-type-two-values', 'the content-type attribute has two values', {
    attributes: instead(OID.contentType, type, oidOf('1.2.840.113549.1.7.1')),
  });
  set(
    'broken/cms-digest-twice',
    'the message-digest attribute stands twice, the second time with another value',
    {
      attributes: also(attribute(OID.messageDigest, octets(new Uint8Array(32)))),
    },
  );
  const ess = (of: Uint8Array) =>
    attribute(
      OID.signingCertificateV2,
      encodeSequence(encodeSequence(encodeSequence(octets(hash('sha256', of))))),
    );
  set('broken/cms-ess-twice', 'two ESSCertIDv2 attributes, the second of another certificate', {
    attributes: also(ess(authority.nextSigner.der)),
  });
  set('good/cms-attributes-unordered', 'the signed attributes are in an order of their own', {
    attributes: (honest) => [...honest].reverse(),
  });
  set('good/cms-attribute-more', 'a signed attribute of a kind that nobody knows', {
    attributes: also(attribute('2.25.1', utf8Value('x'))),
  });
}

function bindings(set: Set_, authority: Authority): void {
  const { der } = authority.signer;
  const other = authority.nextSigner.der;
  const one = { version: 1, certificateHash: hash('sha1', der), issuerSerialOf: der } as const;
  const two = { version: 2, certificateHash: hash('sha256', der), issuerSerialOf: der } as const;
  set('good/cms-ess-one', 'ESSCertID alone, with SHA-1', { ess: [one] });
  set('good/cms-ess-both', 'ESSCertID and ESSCertIDv2', { ess: [one, two] });
  set('good/cms-ess-bare', 'ESSCertIDv2 without issuer and serial number', {
    ess: [{ ...two, issuerSerialOf: null }],
  });
  set('broken/cms-ess-one-other', 'ESSCertIDv2 of the signer, ESSCertID of another certificate', {
    ess: [{ ...one, certificateHash: hash('sha1', other) }, two],
  });
  set('broken/cms-ess-two-other', 'ESSCertID of the signer, ESSCertIDv2 of another certificate', {
    ess: [one, { ...two, certificateHash: hash('sha256', other) }],
  });
  set('broken/cms-ess-serial', "ESSCertIDv2 with the signer's hash and another's serial number", {
    ess: [{ ...two, issuerSerialOf: other }],
  });
  set('broken/cms-ess-issuer', "ESSCertIDv2 with the signer's hash and serial number, and another's issuer", {
    attributes: instead(
      OID.signingCertificateV2,
      encodeSequence(
        encodeSequence(
          encodeSequence(
            octets(two.certificateHash),
            encodeSequence(
              encodeSequence(encode(0xa4, readCertificate(authority.stranger.der).issuerDer)),
              encode(0x02, readCertificate(der).serialNumber),
            ),
          ),
        ),
      ),
    ),
  });
  set('broken/cms-signer-not-there', "carries another certificate than the signer's", {
    certificates: [other],
  });
  set('good/cms-certificates-none', 'carries no certificates', { certificates: [] });
  set('broken/cms-signer-of-another', 'names another certificate of the authority as the signer', {
    signerCertificate: other,
  });
}

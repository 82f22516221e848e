import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import { readBundle } from '../src/bundle.ts';
import { disclose } from '../src/disclose.ts';
import { verifyDkim } from '../src/dkim-verify.ts';
import type { DkimFact } from '../src/manifest.ts';
import { verifyEntries } from '../src/verify.ts';
import type { Difference } from '../src/verify-eml.ts';
import { storedEvidence } from './bundle-support.ts';
import { sampleMessage, sha256 } from './support.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const keys: DkimFact[] = [
  {
    algorithm: 'rsa-sha256',
    domain: 'sandbox.test',
    public_key: spki(rsa.publicKey).toString('base64'),
    selector: 'r1',
  },
  {
    algorithm: 'ed25519-sha256',
    domain: 'sandbox.test',
    public_key: spki(ed25519.publicKey).subarray(12).toString('base64'),
    selector: 'e1',
  },
];
const raw = Buffer.from(sampleMessage().raw).toString('latin1');

/** RFC 6376 §3.7 with string functions alone: a signer that shares no line with the verifier. */
function dkimSign(message: string, selector: string, names: string, extra = ''): string {
  const relaxed = (field: string) => {
    const [name, ...value] = field.split(':');
    return `${name!.trim().toLowerCase()}:${value
      .join(':')
      .replace(/\r\n/g, '')
      .replace(/[ \t]+/g, ' ')
      .trim()}`;
  };
  const split = message.indexOf('\r\n\r\n');
  const fields = message.slice(0, split).split(/\r\n(?![ \t])/);
  const body = message
    .slice(split + 4)
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(\r\n)*$/, '');
  const bh = createHash('sha256')
    .update(body === '' ? '' : `${body}\r\n`, 'latin1')
    .digest('base64');
  const algorithm = selector === 'r1' ? 'rsa-sha256' : 'ed25519-sha256';
  const own = `DKIM-Signature: v=1; a=${algorithm}; c=relaxed/relaxed; d=sandbox.test;\r\n s=${selector}; h=${names};${extra} bh=${bh};\r\n\tb=`;
  const left = [...fields];
  const signed = names.split(':').map((name) => {
    const at = left.findLastIndex((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return at < 0 ? '' : `${relaxed(left.splice(at, 1)[0]!)}\r\n`;
  });
  const data = Buffer.from(signed.join('') + relaxed(own), 'latin1');
  const signature =
    selector === 'r1'
      ? sign('sha256', data, rsa.privateKey)
      : sign(null, createHash('sha256').update(data).digest(), ed25519.privateKey);
  return `${own}${signature.toString('base64').replace(/.{60}/g, '$&\r\n\t ')}\r\n${message}`;
}

const NAMES = 'From:To:Subject:MIME-Version:Content-Type:Service-Evidence:From:Subject';
const signed = dkimSign(dkimSign(raw, 'r1', NAMES), 'e1', NAMES);
const relayed = `Received: from a by b;\r\n Wed, 4 Mar 2026 05:06:09 +0000\r\nReturn-Path: <x@y>\r\n${signed}`;

const bundle = assembleBundle(await storedEvidence({ dkim: keys }), sha256);
const compare = async (message: string, source = bundle) => {
  const { valid, eml, checks } = await verifyEntries(source, {
    now: new Date(),
    sha256,
    eml: new Uint8Array(Buffer.from(message, 'latin1')),
  });
  // Whatever somebody received, the bundle is what it is.
  expect([valid, checks.every(({ ok }) => ok)]).toEqual([true, true]);
  const ok = eml?.verdict === 'same' || eml?.verdict === 'parts';
  const layers = `${eml?.L0 ? 'L0 ' : ''}${eml?.L1 ? 'L1 ' : ''}${eml?.L2 ? 'L2' : ''}`.trim();
  const dkim = eml?.checks.find(({ name }) => name === 'eml.dkim')?.ok;
  return { layers, ok, dkim, checks: eml?.checks ?? [], differences: eml?.differences ?? [] };
};

describe('a received message', () => {
  test.each<[string, string, string, boolean]>([
    ['as it was sent', raw, 'L0 L1 L2', true],
    ['with what relays put before it', relayed, 'L0 L1 L2', true],
    ['saved with LF', relayed.replaceAll('\r\n', '\n'), 'L0 L1 L2', true],
    ['with the header folded anew', relayed.replace('Subject: Aviso', 'Subject:\r\n  Aviso '), 'L1 L2', true],
    ['with white space changed in the body', relayed.replace('Ana.', 'Ana. \t'), 'L1 L2', true],
    ['with empty lines added at the end', `${relayed}\r\n\r\n`, 'L1 L2', true],
    ['with another subject', relayed.replace('Subject: Aviso', 'Subject: Otro'), 'L2', false],
    [
      'with a second subject',
      relayed.replace('Subject: Aviso', 'Subject: Otro\r\nSubject: Aviso'),
      'L2',
      false,
    ],
    ['with a footer added as a part', relayed.replace('--b--', '--b\r\n\r\nfooter\r\n--b--'), 'L2', false],
    ['with its attachment changed', relayed.replace('AAEC', 'AAED'), '', false],
    ['without its Service-Evidence', relayed.replace(/^Service-Evidence:.*\r\n/m, ''), 'L2', false],
    ['that is another one', 'From: x\r\n\r\nhello\r\n', '', false],
    ['that is empty', '', '', false],
    ['of too many fields', 'a:\r\n'.repeat(3000), '', false],
  ])('%s: %3$s', async (_, message, layers, ok) => {
    const result = await compare(message);
    expect([result.layers, result.ok]).toEqual([layers, ok]);
  });

  test.each<[string, string, Difference]>([
    ['From: Eva <eva@x.test>\r\n', '', { kind: 'field_added', name: 'From' }],
    ['Sender: eva@x.test\r\n', '', { kind: 'field_added', name: 'Sender' }],
    ['', 'Subject: Otro\r\n', { kind: 'field_changed', name: 'Subject' }],
    ['Eva wrote this\r\n', '', { kind: 'field_added', name: 'a line without a name' }],
  ])('%j before it, or %j in it, is told by name', async (before, subject, difference) => {
    const changed = subject === '' ? relayed : relayed.replace(/Subject: .*\r\n/, subject);
    const result = await compare(before + changed);
    expect(result.ok).toBe(false);
    expect(result.differences).toContainEqual(difference);
  });

  test('every copy of the vectors that is forged differs, every honest one is the same', async () => {
    const vectors = resolve(import.meta.dirname, '../../../contract/vectors');
    const sealed = readBundle(new Uint8Array(readFileSync(resolve(vectors, 'bundles/good/sealed.zip'))));
    const honest = ['as-sent', 'relayed', 'relayed-by-many', 'line-ends', 'refolded'];
    for (const file of readdirSync(resolve(vectors, 'received'))) {
      const eml = new Uint8Array(readFileSync(resolve(vectors, 'received', file)));
      const verification = await verifyEntries(sealed, { sha256, now: new Date(), eml });
      expect(verification.valid).toBe(true);
      const same = honest.includes(file.replace('.eml', ''));
      expect([file, verification.eml?.verdict]).toEqual([file, same ? 'same' : 'differs']);
      expect([file, (verification.eml?.differences.length ?? 0) > 0]).toEqual([file, !same]);
    }
  });

  test('a bundle that does not hold has nothing to compare a copy with', async () => {
    const eml = new Uint8Array(Buffer.from(relayed, 'latin1'));
    const broken = new Map(bundle).set('checkpoint.txt', new Uint8Array(1));
    const { valid, eml: report } = await verifyEntries(broken, { sha256, now: new Date(), eml });
    expect([valid, report?.verdict]).toEqual([false, 'not_comparable']);
  });

  test('re-encoded on the way still has its parts', async () => {
    const recoded = relayed.replace(
      'Content-Transfer-Encoding: quoted-printable\r\n\r\nCordial=20=C3=B1\r\nAna.',
      `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from('Cordial ñ\nAna.\n').toString('base64')}`,
    );
    expect(recoded).not.toBe(relayed);
    expect((await compare(recoded)).layers).toBe('L2');
  });

  test('is compared with what a disclosed bundle opens, and no more', async () => {
    const shown = await disclose(bundle, [1], { sha256, now: new Date() });
    const result = await compare(relayed, shown);
    expect([result.layers, result.ok]).toEqual(['L2', true]);
    expect(result.checks.find(({ name }) => name === 'eml.L0')?.detail).toMatch(/does not open/);
    expect((await compare(relayed.replace('AAEC', 'AAED'), shown)).ok).toBe(false);
  });
});

describe('DKIM under the recorded keys', () => {
  const bytes = (message: string) => new Uint8Array(Buffer.from(message, 'latin1'));
  const verify = (message: string, known = keys) => verifyDkim(bytes(message), known, sha256);

  test('both signatures hold, behind relays and folded anew', async () => {
    expect((await verify(relayed)).map(({ selector }) => selector)).toEqual(['e1', 'r1']);
    expect(await verify(relayed.replace('Subject: Aviso', 'SUBJECT:\r\n\tAviso'))).toHaveLength(2);
    expect((await compare(relayed)).dkim).toBe(true);
    expect((await compare(raw)).dkim).toBe(false);
  });

  test('one that holds is enough', async () => {
    expect(await verify(relayed, keys.slice(0, 1))).toHaveLength(1);
    expect(await verify(dkimSign(raw, 'r1', NAMES), keys)).toHaveLength(1);
  });

  test.each<[string, string, RegExp]>([
    ['no signature', raw, /no DKIM/],
    ['a changed subject', relayed.replace('Aviso', 'Otro'), /header was changed/],
    [
      'a From before the signed one',
      relayed.replace('From: Ana', 'From: Eva <eva@sandbox.test>\r\nFrom: Ana'),
      /header was changed/,
    ],
    [
      'a From behind the signed one',
      relayed.replace('To: luis', 'From: Eva <eva@sandbox.test>\r\nTo: luis'),
      /header was changed/,
    ],
    ['a changed body', relayed.replace('AAEC', 'AAED'), /body was changed/],
    ['a length limit', dkimSign(raw, 'r1', NAMES, ' l=3;'), /not the whole body is signed/],
    ['a tag twice', dkimSign(raw, 'r1', NAMES, ' d=sandbox.test;'), /twice/],
    ['no From signed', dkimSign(raw, 'r1', 'To:Subject'), /from is not signed/],
    [
      'another selector',
      relayed.replaceAll('s=r1', 's=r2').replaceAll('s=e1', 's=e2'),
      /a key that is not stated/,
    ],
    [
      'another canonicalization',
      relayed.replaceAll('relaxed/relaxed', 'relaxed/simple'),
      /header was changed/,
    ],
    ['an unknown form', relayed.replaceAll('relaxed/relaxed', 'strict/relaxed'), /unknown form/],
    [
      'a signature that is not base64',
      dkimSign(raw, 'r1', NAMES).replace('\tb=', '\tb=*'),
      /header was changed/,
    ],
    ['bytes over ASCII', dkimSign(raw, 'r1', NAMES).replace('\tb=', '\tb=\xe9'), /not ASCII/],
  ])('%s', async (_, message, reason) => {
    await expect(verify(message)).rejects.toThrow(reason);
  });

  test('a recorded key that is none verifies nothing', async () => {
    const broken = keys.map((key) => ({ ...key, public_key: Buffer.from('no key').toString('base64') }));
    await expect(verify(relayed, broken)).rejects.toThrow(/header was changed/);
    await expect(
      verify(
        relayed,
        keys.map((key) => ({ ...key, public_key: '*' })),
      ),
    ).rejects.toThrow(/header was changed/);
  });
});

test('a message beyond the limit is refused unread', async () => {
  const { eml } = await verifyEntries(bundle, {
    sha256,
    now: new Date(),
    eml: new Uint8Array(65 * 1024 * 1024),
  });
  expect(eml?.checks).toEqual([
    { name: 'eml.readable', ok: false, detail: expect.stringContaining('larger') },
  ]);
});

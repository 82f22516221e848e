import { randomBytes } from 'node:crypto';
import { positiveSerial } from '@acuse/tsa/certificates';
import { describe, expect, test } from 'vitest';
import { assembleBundle, type StoredEvidence, type StoredStamp } from '../src/assemble.ts';
import type { Bundle } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { MAX_LISTED, renewalImprint, renewalList, renewalSums } from '../src/renewal.ts';
import { verifyEntries } from '../src/verify.ts';
import { lab, policy, SEALED_AT, stamp, storedEvidence, tampered } from './bundle-support.ts';
import { expectRefusal, sha256 } from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Than all that a bundle here tells of. */
const LATER = new Date(SEALED_AT.getTime() + 10 * 365 * DAY_MS);
const stored = await storedEvidence();

/**
 * A time-stamp made some days after the sealing, by a signer whose certificate lasts so many days from then.
 */
async function laterStamp(imprint: Uint8Array, afterDays: number, lastsDays: number): Promise<StoredStamp> {
  const at = new Date(SEALED_AT.getTime() + afterDays * DAY_MS);
  const signer = lab.signerWith({
    notBefore: new Date(at.getTime() - 1000),
    notAfter: new Date(at.getTime() + lastsDays * DAY_MS),
  });
  const responder = { ...lab.responder, signer, clock: () => at, serial: () => positiveSerial(randomBytes) };
  return stamp(imprint, 'sha512', responder);
}

async function renewed(...plan: [afterDays: number, lastsDays: number][]): Promise<Bundle> {
  const renewals: NonNullable<StoredEvidence['renewals']>[number][] = [];
  let bundle = assembleBundle(stored, sha256);
  for (const [after, lasts] of plan) {
    const sums = renewalSums(bundle, renewals.length + 1);
    renewals.push({ ...(await laterStamp(renewalImprint(sums), after, lasts)), sums });
    bundle = assembleBundle({ ...stored, renewals }, sha256);
  }
  return bundle;
}

async function failed(bundle: Bundle): Promise<string[]> {
  const { checks } = await verifyEntries(bundle, { sha256, now: LATER, trust: policy });
  for (const { detail } of checks) expect(detail).not.toMatch(/^unexpected/);
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

describe('renewals', () => {
  test('in time, one after the other, verify, and sealed_at stays the first', async () => {
    const bundle = await renewed([100, 50], [140, 50]);
    expect(await failed(bundle)).toEqual([]);
    const { facts, checks } = await verifyEntries(bundle, { sha256, now: LATER });
    expect(facts.sealed_at).toBe(SEALED_AT.toISOString());
    const names = checks.map(({ name }) => name);
    expect(names.indexOf('renewal.02')).toBeLessThan(names.indexOf('renewal.01'));
    expect(names.indexOf('renewal.01')).toBeLessThan(names.indexOf('timestamp'));
  });

  test('are what a bundle lives by once its own certificates have ended', async () => {
    const inDays = (days: number) => new Date(SEALED_AT.getTime() + days * DAY_MS);
    const holdsAt = async (bundle: Bundle, days: number) => {
      const { checks, facts } = await verifyEntries(bundle, { sha256, now: LATER, at: inDays(days) });
      return [checks.filter(({ ok }) => !ok).map(({ name }) => name), facts.renewed_at, facts.covered_until];
    };
    const inTime = await renewed([100, 50], [140, 3_000]);
    const early = await renewed([100, 50]);
    // The constancia's own signer lasts five years.
    const [, , end] = await holdsAt(await renewed(), 0);
    expect(Date.parse(String(end))).toBeGreaterThan(inDays(5 * 365).getTime());
    expect(await holdsAt(await renewed(), 2_000)).toEqual([
      expect.arrayContaining(['timestamp.validity_at', 'timestamp']),
      undefined,
      undefined,
    ]);
    expect(await holdsAt(inTime, 2_000)).toEqual([
      [],
      inDays(140).toISOString(),
      inDays(3_140).toISOString(),
    ]);
    expect((await holdsAt(early, 149))[0]).toEqual([]);
    expect((await holdsAt(early, 151))[0]).toEqual(
      expect.arrayContaining(['renewal.01.validity_at', 'renewal.01', 'timestamp']),
    );
    // Nobody asks: what was true when it was made is true.
    expect(await failed(await renewed())).toEqual([]);
  });

  test('after a certificate had ended renew nothing', async () => {
    // The constancia's own signer lasts five years.
    expect(await failed(await renewed([6 * 365, 50]))).toContain('timestamp');
    expect(await failed(await renewed([100, 50], [151, 50]))).toEqual(
      expect.arrayContaining(['renewal.01', 'timestamp']),
    );
  });

  test('made before what they renew renew nothing', async () => {
    expect(await failed(await renewed([100, 50], [90, 50]))).not.toEqual([]);
  });

  test('cover all that they must, and nothing false', async () => {
    const bundle = await renewed([100, 50], [140, 50]);
    const sums = Buffer.from(bundle.get('renewal/02.sums')!).toString();
    const lines = sums.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(130))).toEqual([
      'chain/constancia.pem',
      'chain/renewal-01.pem',
      'checkpoint.txt',
      'constancia.tsr',
      'renewal/01.sums',
      'renewal/01.tsr',
      'revocation/root.crl',
    ]);
    for (const changed of [
      lines.slice(1),
      lines.toReversed(),
      [...lines, lines[0]!],
      lines.map((line) => line.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
      [...lines, `${'0'.repeat(128)}  message.eml`],
    ]) {
      const forged = tampered(bundle, 'renewal/02.sums', utf8(`${changed.join('\n')}\n`));
      expect(await failed(forged)).toContain('renewal.02.covers');
    }
  });

  test('with a file missing or changed are refused', async () => {
    const bundle = await renewed([100, 50]);
    for (const name of ['renewal/01.sums', 'chain/renewal-01.pem'])
      expect(
        (await failed(tampered(bundle, name, undefined))).some((check) => check.startsWith('renewal')),
      ).toBe(true);
    for (const name of ['constancia.tsr', 'chain/constancia.pem', 'checkpoint.txt', 'renewal/01.tsr']) {
      const bytes = Uint8Array.from(bundle.get(name)!);
      bytes[bytes.length - 5]! ^= 1;
      expect(await failed(tampered(bundle, name, bytes))).not.toEqual([]);
    }
    expectRefusal(() => renewalSums(tampered(bundle, 'constancia.tsr', undefined), 1), 'renewal', /missing/);
  });

  test('numbered with a gap are refused', async () => {
    const bundle = await renewed([100, 50]);
    const moved = new Map(
      [...bundle].map(
        ([name, bytes]) =>
          [name.replace('renewal/01', 'renewal/02').replace('renewal-01', 'renewal-02'), bytes] as const,
      ),
    );
    expect(await failed(tampered(moved, 'x', undefined))).toContain('renewal.01.covers');
  });
});

describe('many renewed by one time-stamp', () => {
  const others = ['sums of another batch', 'and of another'];
  async function together(...more: string[]): Promise<{ bundle: Bundle; list: string }> {
    const sums = renewalSums(assembleBundle(stored, sha256), 1);
    const list = renewalList([sums, ...others, ...more]);
    const renewals = [{ ...(await laterStamp(renewalImprint(list), 100, 50)), sums, list }];
    return { bundle: assembleBundle({ ...stored, renewals }, sha256), list };
  }

  test('verify, each by the list that was stamped', async () => {
    const { bundle, list } = await together();
    expect(list.split('\n')).toHaveLength(4);
    expect(await failed(bundle)).toEqual([]);
    const again = renewalSums(bundle, 2);
    expect(again).toContain('renewal/01.list');
  });

  test('may be as many as a list holds, and no more', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `sums of batch ${i}`);
    expect(await failed((await together(...many(MAX_LISTED - 3))).bundle)).toEqual([]);
    const tooMany = await together(...many(MAX_LISTED - 2));
    expect(await failed(tooMany.bundle)).toContain('renewal.01.covers');
  });

  test.each<[string, (list: string) => string]>([
    ['in another order', (list) => `${list.trimEnd().split('\n').reverse().join('\n')}\n`],
    ['with one twice', (list) => list.slice(0, 129) + list],
    ['without its last newline', (list) => list.trimEnd()],
    ['with something else on it', (list) => `${list}x\n`],
    ['in capitals', (list) => list.toUpperCase()],
    ['of nobody', () => ''],
    ['without this one', () => renewalList(others)],
  ])('do not hold by a list %s', async (_name, change) => {
    const { bundle, list } = await together();
    const changed = tampered(bundle, 'renewal/01.list', utf8(change(list)));
    expect(await failed(changed)).toContain('renewal.01.covers');
  });

  test('do not hold without the list, or by a list where none was stamped', async () => {
    const { bundle, list } = await together();
    expect(await failed(tampered(bundle, 'renewal/01.list', undefined))).toContain('renewal.01.imprint');
    expect(await failed(tampered(await renewed([100, 50]), 'renewal/01.list', utf8(list)))).toContain(
      'renewal.01.imprint',
    );
    expect(await failed(tampered(assembleBundle(stored, sha256), 'renewal/01.list', utf8(list)))).toContain(
      'entries',
    );
  });
});

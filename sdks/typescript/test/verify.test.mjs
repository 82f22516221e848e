// Proof bundles: every vector, the policy, and changes of single bits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { TRUST_BUNDLE, verifyBundle } from '@acuse/client/verify';
import { VECTORS, vectors } from './support/vectors.mjs';

/** Something else: no verdict is given. */
const NO_BUNDLES = ['broken/empty.zip', 'broken/no-zip.zip'];
const file = vectors('bundles.json');
const names = (all) => all.map(({ name }) => name);
const read = (name) => new Uint8Array(readFileSync(new URL(`bundles/${name}`, VECTORS)));

describe('bundles.json', { skip: file === null && 'contract/vectors is not here' }, () => {
  for (const { file: name, now, valid, verdict, reasons, warnings, failed } of file?.cases ?? [])
    it(name, async () => {
      const verified = verifyBundle(read(name), { policy: TRUST_BUNDLE, now: new Date(now) });
      if (NO_BUNDLES.includes(name)) {
        await assert.rejects(verified, { name: 'VerifyError', message: /not a proof bundle/ });
        return;
      }
      const report = await verified;
      assert.deepEqual([report.valid, report.verdict], [valid, verdict]);
      assert.deepEqual([names(report.reasons), names(report.warnings)], [reasons, warnings]);
      assert.deepEqual(names(report.checks.filter(({ ok }) => ok !== true)), failed);
    });

  for (const { file: name, now, verdict, warnings, failed } of file?.mldsa44 ?? [])
    it(`${name}: the second signature is checked`, async () => {
      const report = await verifyBundle(read(name), { policy: TRUST_BUNDLE, now: new Date(now) });
      assert.deepEqual([report.verdict, names(report.warnings)], [verdict, warnings]);
      assert.deepEqual(names(report.checks.filter(({ ok }) => ok !== true)), failed);
    });

  for (const { file: name, now, policy, verdict, reasons, warnings } of file?.pinned ?? [])
    if (policy !== 'bundle')
      it(`${name} under a policy: ${verdict}`, async () => {
        const report = await verifyBundle(read(name), { policy, now: new Date(now) });
        assert.equal(report.verdict, verdict);
        assert.deepEqual([names(report.reasons), names(report.warnings)], [reasons, warnings]);
      });

  for (const { file: name, why, bundle, verdict } of file?.received ?? [])
    it(`${name} (${why}) beside ${bundle}`, async () => {
      const eml = new Uint8Array(readFileSync(new URL(`received/${name}`, VECTORS)));
      const report = await verifyBundle(read(bundle), { policy: TRUST_BUNDLE, eml });
      assert.equal(report.copy, verdict);
    });

  it('the clock is the system’s unless another is given', async () => {
    const bundle = read('broken/times-future-count.zip');
    assert.equal((await verifyBundle(bundle, { policy: TRUST_BUNDLE })).valid, true);
    const { now } = file.cases.find(({ file: name }) => name === 'broken/times-future-count.zip');
    const { reasons } = await verifyBundle(bundle, { policy: TRUST_BUNDLE, now: new Date(now) });
    assert.deepEqual(names(reasons), ['times']);
  });

  it('a policy of the verifier is believed, not that of the bundle', async () => {
    const bundle = read('good/sealed.zip');
    assert.equal((await verifyBundle(bundle, { policy: TRUST_BUNDLE })).trust, 'bundle');
    const policy = JSON.parse(storedText(bundle, 'policy.json'));
    const pinned = await verifyBundle(bundle, { policy });
    assert.deepEqual([pinned.valid, pinned.trust], [true, 'pinned']);
    const other = { ...policy, log_keys: [] };
    assert.equal((await verifyBundle(bundle, { policy: other })).verdict, 'rejected');
  });

  it('without a policy, with a broken one or without bytes it says what is missing', async () => {
    const bundle = read('good/sealed.zip');
    await assert.rejects(verifyBundle(bundle), /policy is required/);
    await assert.rejects(verifyBundle(bundle, { policy: '{' }), /not JSON/);
    await assert.rejects(verifyBundle(bundle, { policy: {} }), /cannot be used/);
    const now = new Date(Number.NaN);
    await assert.rejects(verifyBundle(bundle, { policy: TRUST_BUNDLE, now }), /now is not a time/);
    await assert.rejects(verifyBundle('proof.zip', { policy: TRUST_BUNDLE }), /bytes/);
  });

  // Other permissions, or another spelling of the same compressed content, are no change.
  it('of 1 000 single bits changed none leaves it valid with other contents', async () => {
    const bundle = read('good/sealed.zip');
    const held = contentsOf(bundle);
    for (let change = 0; change < 1_000; change++) {
      const at = Math.floor((change * bundle.length) / 1_000);
      const changed = bundle.slice();
      changed[at] ^= 1 << (change % 8);
      const { valid } = await verifyBundle(changed, { policy: TRUST_BUNDLE });
      if (valid) assert.deepEqual(contentsOf(changed), held, `bit ${change % 8} of byte ${at}`);
    }
  });
});

/** Each entry of a ZIP by its name, as the central directory says. */
function contentsOf(bytes) {
  const buffer = Buffer.from(bytes);
  const contents = {};
  for (
    let at = buffer.indexOf('PK\x01\x02', 0, 'latin1');
    at !== -1;
    at = buffer.indexOf('PK\x01\x02', at + 4, 'latin1')
  ) {
    const name = buffer.toString('utf8', at + 46, at + 46 + buffer.readUInt16LE(at + 28));
    const local = buffer.readUInt32LE(at + 42);
    const start = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    const content = buffer.subarray(start, start + buffer.readUInt32LE(at + 20));
    contents[name] = (buffer.readUInt16LE(at + 10) === 0 ? content : inflateRawSync(content)).toString('hex');
  }
  return contents;
}

/** An entry of a ZIP as text. */
function storedText(bytes, name) {
  const buffer = Buffer.from(bytes);
  const at = buffer.indexOf(name, 0, 'latin1') - 30;
  const content = buffer.subarray(
    at + 30 + name.length,
    at + 30 + name.length + buffer.readUInt32LE(at + 18),
  );
  return (buffer.readUInt16LE(at + 8) === 0 ? content : inflateRawSync(content)).toString();
}

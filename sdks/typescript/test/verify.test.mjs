// Proof bundles: every vector, and the policy.
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
    for (const policy of ['{', 'policy.json'])
      await assert.rejects(verifyBundle(bundle, { policy }), /not JSON: pass its text, not its path/);
    await assert.rejects(verifyBundle(bundle, { policy: {} }), /cannot be used/);
    const now = new Date(Number.NaN);
    await assert.rejects(verifyBundle(bundle, { policy: TRUST_BUNDLE, now }), /now is not a time/);
    await assert.rejects(verifyBundle('proof.zip', { policy: TRUST_BUNDLE }), /bytes/);
  });
});

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

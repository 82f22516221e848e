import { afterEach, describe, expect, test, vi } from 'vitest';
import { bundleToJson, withSums, writeBundle } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { parseDeliveryManifest } from '../src/delivery.ts';
import { disclose } from '../src/disclose.ts';
import { erasedOpenings } from '../src/openings.ts';
import { formatTrustPolicy, type TrustPolicy } from '../src/policy.ts';
import { formatTlogProof } from '../src/tlog-proof.ts';
import { verifierKey } from '../src/verifier-key.ts';
import { type Verification, verifyBundle, verifyEntries } from '../src/verify.ts';
import {
  completeBundle,
  lab,
  policy,
  prove,
  SEALED_AT,
  stamp,
  storedEvidence,
  tampered,
} from './bundle-support.ts';
import { sampleMessage, sha256, signerFor } from './support.ts';

const bundle = await completeBundle();
const failed = ({ checks }: Verification) => checks.filter(({ ok }) => !ok).map(({ name }) => name);
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

const FEW_WITNESSES = ['witness', 'delivery.01.witness', 'delivery.02'];

describe('a complete bundle', () => {
  test('verifies, says what it proves and who vouches', async () => {
    const result = await verifyBundle(writeBundle(bundle), { sha256, now: new Date() });
    expect(failed(result)).toEqual([]);
    expect(result.valid).toBe(true);
    expect(result.facts).toMatchObject({
      log: 'log.example/acuse',
      message_id: sampleMessage().messageId,
      tenant_sequence: '17',
      content: 'complete',
      leaf_index: 5,
      tree_size: 13,
      witnesses: 1,
      sealed_at: SEALED_AT.toISOString(),
      message_sealed_at: SEALED_AT.toISOString(),
      profile: 'development',
      trust: 'bundle',
    });
    expect(result.facts.delivery).toMatchObject([
      {
        kind: 'sent',
        leaf_index: 14,
        sealed_at: SEALED_AT.toISOString(),
        facts: { mx: 'mx.receiver.example' },
      },
      { kind: 'bounced', leaf_index: 20, sealed_at: null },
    ]);
    const names = result.checks.map(({ name }) => name);
    for (const name of [
      'bundle',
      'sums',
      'trust',
      'manifest',
      'openings',
      'submission',
      'message',
      'message_relaxed',
      'message_parts',
      'checkpoint',
      'inclusion',
      'witness',
      'stamped_checkpoint',
      'timestamp',
      'timestamp_chain',
      'message_timestamp',
      'delivery.01',
      'delivery.02.inclusion',
      'outcomes',
      'history',
      'order',
      'times',
    ])
      expect(names).toContain(name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('says the same as JSON', async () => {
    const json = utf8(JSON.stringify(bundleToJson(bundle)));
    const result = await verifyBundle(json, { sha256, now: new Date() });
    expect(failed(result)).toEqual([]);
    expect(result.facts).toEqual((await verifyEntries(bundle, { sha256, now: new Date() })).facts);
  });

  test("verifies under a pinned policy, and not under another's", async () => {
    const verify = (trust: TrustPolicy) => verifyEntries(bundle, { sha256, now: new Date(), trust });
    const good = await verify(policy);
    expect([good.valid, good.facts.trust]).toEqual([true, 'pinned']);
    const other = signerFor('log.example/acuse', 'another key');
    const otherKey = verifierKey(other.name, other.publicKey, sha256);
    expect(failed(await verify({ ...policy, logKeys: [otherKey] }))).toContain('checkpoint');
    expect(failed(await verify({ ...policy, logKeys: [] }))).toContain('checkpoint');
    expect(failed(await verify({ ...policy, timeStamps: [] }))).toContain('timestamp');
    expect(failed(await verify({ ...policy, witnessQuorum: 2 }))).toEqual(FEW_WITNESSES);
    expect(failed(await verify({ ...policy, witnessKeys: [], witnessQuorum: 0 }))).toEqual([]);
    const stranger = { ...lab.policy, roots: lab.policy.roots.slice(1, 2) };
    expect(failed(await verify({ ...policy, timeStamps: [stranger] }))).toContain('timestamp.chain');
  });
});

describe('less than everything', () => {
  test('one part disclosed: it verifies, and nothing else of the message is in it', async () => {
    const shown = await disclose(bundle, [1], { sha256, now: new Date() });
    const result = await verifyBundle(writeBundle(shown), { sha256, now: new Date(), trust: policy });
    expect(failed(result)).toEqual([]);
    expect(result.facts.content).toBe('disclosed');
    expect(shown.get('parts/01.bin')).toEqual(Uint8Array.of(0, 1, 2));
    const all = [...shown.values()].map(text).join('\n');
    for (const secret of [
      'Ana',
      'luis@receiver.example',
      'Cordial',
      'Aviso',
      'bounce.sandbox',
      'mx.receiver',
    ])
      expect(all).not.toContain(secret);
    const again = await disclose(shown, [1], { sha256, now: new Date() });
    expect(failed(await verifyEntries(again, { sha256, now: new Date() }))).toEqual([]);
    await expect(disclose(shown, [0], { sha256, now: new Date() })).rejects.toThrow(/no such part/);
    await expect(
      disclose(tampered(bundle, 'message.eml', utf8('x')), [1], { sha256, now: new Date() }),
    ).rejects.toThrow(/does not verify/);
  });

  test('content erased: hashes and proofs still hold, and it says so', async () => {
    const { message: _, submission: __, ...stored } = await storedEvidence();
    const deliveries = stored.deliveries!.map(({ manifest, proof }) => ({ manifest, proof }));
    const erased = await completeBundle({
      ...stored,
      openings: erasedOpenings(stored.openings.canonical_hash),
      deliveries,
    });
    const without = new Map(erased);
    for (const name of ['message.eml', 'submission.bin']) without.delete(name);
    const result = await verifyBundle(writeBundle(withSums(without, sha256)), { sha256, now: new Date() });
    expect(failed(result)).toEqual([]);
    expect(result.facts.content).toBe('erased');
    expect(result.checks.find(({ name }) => name === 'openings')?.detail).toMatch(
      /erased, and with it the salts: the message, its \d parts, the request and both addresses/,
    );
    expect(result.checks.find(({ name }) => name === 'delivery.01')?.detail).toMatch(
      /what was answered is not opened here$/,
    );
    expect(result.facts.delivery?.map(({ facts }) => facts)).toEqual([null, null]);
    const compared = await verifyBundle(writeBundle(withSums(without, sha256)), {
      now: new Date(),
      sha256,
      eml: stored.manifest,
    });
    expect([failed(compared), compared.eml?.verdict]).toEqual([[], 'not_comparable']);
    expect(compared.eml?.checks.at(-1)?.detail).toMatch(/content was erased/);
  });
});

describe('what is missing or does not belong', () => {
  test.each([
    ['VERIFY.md', 'bundle'],
    ['manifest.json', 'bundle'],
    ['openings.json', 'bundle'],
    ['proof.tlog-proof', 'bundle'],
    ['checkpoint.txt', 'bundle'],
    ['constancia.tsr', 'bundle'],
    ['chain/constancia.pem', 'bundle'],
    ['policy.json', 'bundle'],
    ['message-constancia.tsr', 'entries'],
    ['delivery/01-sent.tsr', 'entries'],
    ['message.eml', 'message'],
    ['submission.bin', 'submission'],
    ['chain/message-constancia.pem', 'message_timestamp'],
    ['delivery/01-sent.json', 'delivery.01'],
    ['delivery/01-sent.tlog-proof', 'delivery.01.checkpoint'],
    ['delivery/01-sent.openings.json', 'delivery.01'],
    ['delivery/01-sent.transcript.json', 'delivery.01'],
    ['delivery/01-sent.dsn.eml', 'delivery.01'],
    ['chain/delivery-01.pem', 'delivery.01.timestamp'],
  ])('without %s, %s fails', async (name, check) => {
    const result = await verifyBundle(writeBundle(tampered(bundle, name, undefined)), {
      sha256,
      now: new Date(),
    });
    expect(result.valid).toBe(false);
    expect(failed(result)).toContain(check);
  });

  test('an outcome taken out of the middle leaves a gap', async () => {
    const entries = new Map([...bundle].filter(([name]) => !name.startsWith('delivery/01')));
    expect(
      failed(
        await verifyEntries(tampered(entries, 'chain/delivery-01.pem', undefined), {
          sha256,
          now: new Date(),
        }),
      ),
    ).toContain('delivery');
    const renamed = new Map(
      [...entries].map(([name, bytes]) => [name.replace('delivery/02', 'delivery/01'), bytes] as const),
    );
    const result = await verifyEntries(tampered(renamed, 'chain/delivery-01.pem', undefined), {
      sha256,
      now: new Date(),
    });
    expect(failed(result)).toEqual(['delivery.01']);
    expect(result.checks.find(({ name }) => name === 'delivery.01')?.detail).toMatch(/does not follow/);
  });

  test('an outcome under another name of kind', async () => {
    const renamed = new Map(
      [...bundle].map(([name, bytes]) => [name.replace('02-bounced', '02-sent'), bytes] as const),
    );
    expect(
      failed(await verifyEntries(tampered(renamed, 'x', undefined), { sha256, now: new Date() })),
    ).toEqual(['delivery.02']);
  });

  test('parts that nobody opened', async () => {
    expect(
      failed(await verifyEntries(tampered(bundle, 'parts/00.bin', utf8('x')), { sha256, now: new Date() })),
    ).toContain('openings');
  });

  test('a whole other message, sealed in the same log', async () => {
    const other = await storedEvidence({ messageId: '0197b1a0-0000-7000-8000-000000000002' });
    const swapped = tampered(bundle, 'manifest.json', other.manifest);
    const names = failed(await verifyEntries(swapped, { sha256, now: new Date() }));
    for (const name of ['openings', 'inclusion', 'message_timestamp', 'delivery.01'])
      expect(names).toContain(name);
  });

  test('the outcome of another message', async () => {
    const other = await completeBundle();
    const alien = await storedEvidence({ messageId: '0197b1a0-0000-7000-8000-000000000002' });
    const alienManifest = parseDeliveryManifest(alien.deliveries![0]!.manifest);
    expect(alienManifest.message_canonical_hash).not.toBe(
      parseDeliveryManifest(other.get('delivery/01-sent.json')!).message_canonical_hash,
    );
    const swapped = tampered(bundle, 'delivery/01-sent.json', alien.deliveries![0]!.manifest);
    expect(failed(await verifyEntries(swapped, { sha256, now: new Date() }))).toEqual([
      'delivery.01',
      'delivery.02',
    ]);
  });
});

describe('forgeries that hold together', () => {
  test('a constancia over another checkpoint', async () => {
    const forged = await completeBundle({ constancia: await stamp(sha256(utf8('another checkpoint'))) });
    expect(failed(await verifyEntries(forged, { sha256, now: new Date() }))).toEqual([
      'timestamp.imprint',
      'timestamp',
      'timestamp_chain',
    ]);
  });

  test('a proof for another tree size, a path too short or too long', async () => {
    const stored = await storedEvidence();
    const { path } = stored.proof;
    for (const proof of [
      { ...stored.proof, path: path.slice(1) },
      { ...stored.proof, path: [...path, path[0]!] },
      { ...stored.proof, index: 6 },
      { ...stored.proof, index: 13 },
      { ...stored.proof, checkpointNote: prove(utf8('x'), 5, 13).checkpointNote },
    ]) {
      const forged = tampered(bundle, 'proof.tlog-proof', utf8(formatTlogProof(proof)));
      expect(failed(await verifyEntries(forged, { sha256, now: new Date() }))).toContain('inclusion');
    }
  });

  test('sealed long before it was accepted', async () => {
    const late = await storedEvidence({ acceptedAt: new Date(SEALED_AT.getTime() + 10 * 60_000) });
    const trust = { ...policy, witnessKeys: [], witnessQuorum: 0 };
    const result = await verifyEntries(await completeBundle(late), { sha256, now: new Date(), trust });
    expect(failed(result)).toEqual(['times']);
  });

  test('a policy that the checkpoint does not satisfy', async () => {
    const strict = tampered(bundle, 'policy.json', formatTrustPolicy({ ...policy, witnessQuorum: 2 }));
    expect(failed(await verifyEntries(strict, { sha256, now: new Date() }))).toEqual(FEW_WITNESSES);
  });
});

describe('without WebCrypto', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([undefined, {}])('nothing is judged: crypto is %j', async (crypto) => {
    vi.stubGlobal('crypto', crypto);
    const refused = verifyBundle(writeBundle(bundle), { sha256, now: new Date() });
    await expect(refused).rejects.toThrow(/^environment: WebCrypto is not available/);
  });
});

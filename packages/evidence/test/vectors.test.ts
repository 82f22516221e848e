import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAnswer } from '../src/ask.ts';
import { readBundle } from '../src/bundle.ts';
import { fromHex, toHex, utf8 } from '../src/bytes.ts';
import { openCheckpoint } from '../src/checkpoint.ts';
import { deriveSalt } from '../src/commitment.ts';
import { assertCosigned } from '../src/cosignature.ts';
import { buildDeliveryManifest } from '../src/delivery.ts';
import { jcs, parseCanonical } from '../src/jcs.ts';
import { L1_HEADERS, messageLayers } from '../src/layers.ts';
import { draftMessageManifest, finishManifest } from '../src/manifest.ts';
import { assertConsistency, assertInclusion, leafHash } from '../src/merkle.ts';
import { parseNote } from '../src/note.ts';
import { formatOpenings, openMessage } from '../src/openings.ts';
import { readPinnedPolicy, type TrustPolicy } from '../src/policy.ts';
import { openPromise } from '../src/promise.ts';
import { relaxedBody, relaxedHeaders, splitMessage } from '../src/relaxed.ts';
import { appendLeaves, parseTilePath, tilePath } from '../src/tiles.ts';
import { certificatesFromPem } from '../src/timestamp/certificate.ts';
import { REVOCATION_REASONS } from '../src/timestamp/reasons.ts';
import { RevocationBook } from '../src/timestamp/revocation.ts';
import { parseTlogProof } from '../src/tlog-proof.ts';
import { parseVerifierKey, type VerifierKey } from '../src/verifier-key.ts';
import { verifyBundle } from '../src/verify.ts';
import { secondSignatures } from '../src/verify-mldsa44.ts';
import { sha256 } from './support.ts';

/** contract/vectors as another library would use them: nothing here knows how they were made. */
const folder = resolve(import.meta.dirname, '../../../contract/vectors');
const read = (path: string) => new Uint8Array(readFileSync(resolve(folder, path)));
// biome-ignore lint/suspicious/noExplicitAny: the vectors' own shape is what is under test
const vectors = (name: string): any => JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'));
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const text = (of: Uint8Array) => Buffer.from(of).toString('utf8');
const hex = (of: string) => fromHex(of)!;

test('canonical JSON', () => {
  const { canonical, refused } = vectors('canonical');
  for (const { value, canonical: wanted, sha256: hash } of canonical) {
    expect(jcs(value)).toBe(wanted);
    expect(toHex(sha256(utf8(wanted)))).toBe(hash);
    expect(parseCanonical(utf8(wanted), 'x')).toEqual(value);
  }
  for (const { name, text: given } of refused)
    expect(() => parseCanonical(utf8(given), 'x'), name).toThrow(/^x: /);
});

test('the layers of messages', () => {
  for (const vector of vectors('messages')) {
    const raw = bytes(vector.message);
    const { headers, body } = splitMessage(raw);
    const layers = messageLayers(raw, sha256);
    expect({
      ...vector,
      relaxed_header: text(relaxedHeaders(headers, L1_HEADERS)),
      relaxed_body: text(relaxedBody(body)),
      raw_sha256: toHex(layers.raw),
      header_sha256: toHex(layers.header),
      body_sha256: toHex(layers.body),
      parts: layers.parts,
    }).toEqual(vector);
  }
});

test('manifests and openings', () => {
  const { message, outcomes } = vectors('manifests');
  const { input } = message;
  const content = {
    raw: bytes(input.message),
    submission: bytes(input.submission),
    mailFrom: input.mail_from,
    rcptTo: input.rcpt_to,
  };
  const secret = hex(input.secret);
  const facts = { log: input.log, messageId: input.message_id, tenantId: input.tenant_id, dkim: input.dkim };
  const draft = draftMessageManifest(
    { ...content, ...facts, acceptedAt: new Date(input.accepted_at), secret },
    sha256,
  );
  const made = finishManifest(draft, BigInt(input.tenant_sequence), sha256);
  expect(text(made.manifestBytes)).toBe(message.manifest);
  expect(toHex(made.canonicalHash)).toBe(message.canonical_hash);
  const openings = openMessage(message.canonical_hash, content, secret, sha256);
  expect(text(formatOpenings(openings))).toBe(message.openings);
  for (const [label, salt] of Object.entries(message.salts))
    expect(toHex(deriveSalt(secret, label, sha256))).toBe(salt);
  let previous = message.canonical_hash;
  for (const outcome of outcomes) {
    const { input: given } = outcome;
    expect(given.previous).toBe(previous);
    const built = buildDeliveryManifest(
      {
        log: given.log,
        messageId: given.message_id,
        messageCanonicalHash: hex(given.message_canonical_hash),
        previous: hex(given.previous),
        kind: given.kind,
        source: given.source,
        occurredAt: new Date(given.occurred_at),
        attempt: given.attempt,
        facts: given.facts,
        transcript: given.transcript && bytes(given.transcript),
        dsn: given.dsn && bytes(given.dsn),
        secret: hex(given.secret),
      },
      sha256,
    );
    expect(text(built.manifestBytes)).toBe(outcome.manifest);
    expect(toHex(built.canonicalHash)).toBe(outcome.canonical_hash);
    expect(text(built.openings)).toBe(outcome.openings);
    previous = outcome.canonical_hash;
  }
});

test('revoked certificates', async () => {
  const { reasons, chain, at, cases } = vectors('revocation');
  expect(
    REVOCATION_REASONS.map(({ code, name, goodBefore }) => ({ code, name, good_before: goodBefore })),
  ).toEqual(reasons);
  for (const { name, kind, data, standing, from } of cases) {
    const book = new RevocationBook([{ name, kind, bytes: bytes(data) }]);
    const [status] = await book.statusOf(certificatesFromPem(chain), new Date(at));
    const said = { standing: book.idle().length > 0 ? null : status!.standing, from: status!.revoked?.from };
    expect({ ...said, from: said.from?.toISOString() ?? null }, `${kind}: ${name}`).toEqual({
      standing,
      from,
    });
  }
});

/** Runs what must hold, or must be refused by a check. */
function judge(valid: boolean, run: () => void, why: string, checks: RegExp): void {
  let refused: string | null = null;
  try {
    run();
  } catch (error) {
    refused = (error as Error).message;
  }
  if (valid) expect(refused, why).toBeNull();
  else expect(refused, why).toMatch(checks);
}

test('proofs', () => {
  const { inclusion, consistency, leaf_hashes: leafHashes } = vectors('merkle');
  for (const [n, hash] of leafHashes.entries())
    expect(toHex(leafHash(sha256(utf8(`entry ${n}`)), sha256))).toBe(hash);
  for (const { valid, why, index, size, leaf_hash: leaf, root, path } of inclusion)
    judge(
      valid,
      () => assertInclusion({ leaf: hex(leaf), index, size, path: path.map(hex), root: hex(root) }, sha256),
      `${why}: ${index} of ${size}`,
      /^inclusion: /,
    );
  for (const { valid, why, path, ...sizes } of consistency) {
    const run = () =>
      assertConsistency(
        {
          oldSize: sizes.old_size,
          oldRoot: hex(sizes.old_root),
          newSize: sizes.new_size,
          newRoot: hex(sizes.new_root),
          path: path.map(hex),
        },
        sha256,
      );
    judge(valid, run, `${why}: ${sizes.old_size} to ${sizes.new_size}`, /^consistency: /);
  }
});

test('tiles', () => {
  const { tree, tiles, paths, refused_paths: refused } = vectors('tiles');
  const hashes = Array.from({ length: tree.size }, (_, n) => leafHash(sha256(utf8(`entry ${n}`)), sha256));
  const grown = appendLeaves(0, Buffer.concat(hashes), () => new Uint8Array(0), sha256);
  expect(toHex(grown.rootHash)).toBe(tree.root);
  for (const [i, { path, sha256: hash }] of tiles.entries()) {
    const { level, index, width, hashes: content } = grown.tiles[i]!;
    expect([tilePath(level, index, width), toHex(sha256(content))]).toEqual([path, hash]);
  }
  for (const { path, level, index, width } of paths)
    expect(parseTilePath(path)).toEqual({ level, index, width });
  for (const path of refused) expect(parseTilePath(path), path).toBeUndefined();
});

test('notes', () => {
  const { log_key: logLine, witness_key: witnessLine, cases } = vectors('notes');
  const logKey = parseVerifierKey(logLine, sha256);
  const witnessKey = parseVerifierKey(witnessLine, sha256);
  for (const { kind, valid, why, note, says } of cases)
    judge(
      valid,
      () => {
        const said = readNote(kind, note, logKey, witnessKey, says);
        expect(said).toEqual(says);
      },
      `${kind}: ${why}`,
      /^(note|checkpoint|promise|cosignature|proof|inclusion): /,
    );
});

function readNote(
  kind: string,
  note: string,
  logKey: VerifierKey,
  witnessKey: VerifierKey,
  says?: { entry: string },
): object {
  if (kind === 'promise') {
    const { canonicalHash, deadline } = openPromise(note, [logKey], sha256);
    return { canonical_hash: toHex(canonicalHash), deadline };
  }
  if (kind === 'proof') {
    const proof = parseTlogProof(utf8(note));
    const { checkpoint } = openCheckpoint(proof.checkpointNote, [logKey]);
    const entry = says?.entry ?? toHex(sha256(utf8('entry 7')));
    const leaf = leafHash(hex(entry), sha256);
    assertInclusion(
      { leaf, index: proof.index, size: checkpoint.size, path: proof.path, root: checkpoint.rootHash },
      sha256,
    );
    if (proof.extra !== undefined) throw new Error('proof: carries extra data');
    return { entry, index: proof.index, size: checkpoint.size };
  }
  const { checkpoint } = openCheckpoint(note, [logKey]);
  if (kind === 'checkpoint') return { size: checkpoint.size, root: toHex(checkpoint.rootHash) };
  return { size: checkpoint.size, time: assertCosigned(parseNote(utf8(note)), witnessKey) };
}

/** The reader's clock where a case does not say. */
const READ_AT = '2026-03-06T00:00:00.000Z';

test('the smallest bundle for each rule is there, and breaks that rule', () => {
  const list = readFileSync(new URL('smallest-bundles.txt', import.meta.url), 'utf8');
  const rows = [...list.matchAll(/^([\w.-]+): .+((?:\n {2}.+)+)/gm)].flatMap(([, check, names]) =>
    names!
      .trim()
      .split(/\s+/)
      .map((name) => ({ check: check === '-' ? undefined : check, name })),
  );
  const listed = new Set<string>();
  const { cases } = vectors('bundles');
  for (const { check, name } of rows) {
    for (const one of name.endsWith('*') ? ['crl', 'ocsp'].map((kind) => name.replace('*', kind)) : [name]) {
      const found = cases.find(({ file }: { file: string }) => file === `broken/${one}.zip`);
      if (check !== undefined) expect(found?.failed[0], one).toBe(check);
      listed.add(`broken/${one}.zip`);
    }
  }
  const ruled = /^broken\/(history|order|times|revoked|window|witness-own|log-end|outcomes)-/;
  const unlisted = cases.filter(({ file }: { file: string }) => ruled.test(file) && !listed.has(file));
  expect(unlisted.map(({ file }: { file: string }) => file)).toEqual([]);
});

describe('bundles', () => {
  const { cases, pinned, mldsa44, received } = vectors('bundles');

  test('every file is named, every broken one fails for its own reason', () => {
    const files = ['good', 'broken'].flatMap((kind) =>
      readdirSync(resolve(folder, 'bundles', kind)).map((name) => `${kind}/${name}`),
    );
    expect(cases.map(({ file }: { file: string }) => file).sort()).toEqual(files.sort());
    for (const { file, valid, failed } of cases) {
      expect(valid).toBe(file.startsWith('good/'));
      expect(failed.length > 0).toBe(!valid);
    }
  });

  test('each comes out as it should', async () => {
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    for (const { why: _, now, ...expected } of cases) {
      const { file } = expected;
      const found = await verifyBundle(read(`bundles/${file}`), { sha256, now: new Date(now) });
      expect({
        file,
        valid: found.valid,
        failed: names(found.checks.filter(({ ok }) => !ok)),
        warnings: names(found.warnings),
        verdict: found.verdict,
        reasons: names(found.reasons),
      }).toEqual(expected);
    }
  });

  test('second signatures are checked, and one that cannot be is told of by whoever cannot', async () => {
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    const files = readdirSync(resolve(folder, 'bundles/mldsa44')).map((name) => `mldsa44/${name}`);
    expect(mldsa44.map(({ file }: { file: string }) => file).sort()).toEqual(files.sort());
    for (const { file, now, valid, failed, warnings, unchecked } of mldsa44) {
      const bundle = read(`bundles/${file}`);
      const options = { sha256, now: new Date(now) };
      const found = await verifyBundle(bundle, options);
      const said = [found.valid, names(found.checks.filter(({ ok }) => !ok)), names(found.warnings)];
      expect(said, file).toEqual([valid, failed, warnings]);
      const unable = await verifyBundle(bundle, { ...options, mldsa44: () => true });
      expect([unable.verdict, [...names(unable.warnings), 'mldsa44_not_checked']], file).toEqual([
        unchecked.verdict,
        unchecked.warnings,
      ]);
    }
  });

  test('an answer to who asks again has the second signature too', async () => {
    const bundle = readBundle(read('bundles/mldsa44/both.zip'));
    const policy = readPinnedPolicy(JSON.parse(text(bundle.get('policy.json')!)), sha256);
    const [manifest, note] = ['manifest.json', 'outcomes.note'].map((name) => bundle.get(name)!);
    const asked = { log: 'log.example/acuse', manifest: manifest!, keys: policy.logKeys };
    const second = await secondSignatures(policy);
    const stripped = utf8(text(note!).replace(/[^\n]{3000,}\n/, ''));
    expect(openAnswer(note!, { ...asked, second }, null, sha256).count).toBe(1);
    expect(openAnswer(stripped, asked, null, sha256).count).toBe(1);
    expect(() => openAnswer(stripped, { ...asked, second }, null, sha256)).toThrow(/is missing/);
  });

  test('a bundle whose policy leaves out the second key of the service that is asked is not spared it', async () => {
    const now = new Date(READ_AT);
    const policyOf = (file: string) =>
      readPinnedPolicy(JSON.parse(text(readBundle(read(`bundles/${file}`)).get('policy.json')!)), sha256);
    const own = policyOf('mldsa44/both.zip');
    const first = async (file: string, options: object) => {
      const { checks, facts } = await verifyBundle(read(`bundles/${file}`), { sha256, now, ...options });
      return [checks.find(({ ok }) => !ok)?.name, facts.trust];
    };
    const { mldsa44Keys: _, ...before } = own;
    expect(await first('good/sealed.zip', { own: before })).toEqual([undefined, 'own']);
    expect(await first('good/sealed.zip', { own })).toEqual(['checkpoint', 'own']);
    const later = own.mldsa44Keys!.map((key) => ({ ...key, from: '2026-03-05T00:00:00.000Z' }));
    expect(await first('good/sealed.zip', { own: { ...own, mldsa44Keys: later } })).toEqual([
      undefined,
      'own',
    ]);
    expect(await first('mldsa44/both.zip', { own })).toEqual([undefined, 'own']);
    expect(await first('mldsa44/both.zip', { own: before })).toEqual([undefined, 'bundle']);
  });

  test("the keys of the service that is asked are the reader's, to the letter; those of a namesake are not", async () => {
    const file = 'good/nom151.zip';
    const now = new Date(cases.find((each: { file: string }) => each.file === file).now);
    const zip = read(`bundles/${file}`);
    const own = readPinnedPolicy(JSON.parse(text(readBundle(zip).get('policy.json')!)), sha256);
    const [authority] = own.timeStamps;
    const namesake = parseVerifierKey(
      pinned
        .flatMap(({ policy }: { policy: { log_keys?: { key: string }[] } }) => policy.log_keys ?? [])
        .map(({ key }: { key: string }) => key)
        .find((key: string) => key.startsWith('log.example/acuse+66e3618b')),
      sha256,
    );
    const said = async (policy: TrustPolicy) => {
      const { verdict, facts, valid } = await verifyBundle(zip, { sha256, now, own: policy });
      return [valid, verdict, facts.trust];
    };
    expect(await said(own)).toEqual([true, 'verified', 'own']);
    for (const other of [
      { ...own, logKeys: [namesake] },
      { ...own, witnessKeys: [] },
      { ...own, timeStamps: [{ ...authority!, policies: ['1.2.3'] }] },
      { ...own, timeStamps: [{ ...authority!, development: true }] },
    ])
      expect(await said(other)).toEqual([true, 'unproven', 'bundle']);
  });

  test('each verdict under a policy of the reader', async () => {
    for (const { file, now, policy, ...expected } of pinned) {
      const trust = policy === 'bundle' ? policy : readPinnedPolicy(policy, sha256);
      const found = await verifyBundle(read(`bundles/${file}`), { sha256, now: new Date(now), trust });
      const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
      const { verdict } = found;
      expect({ verdict, reasons: names(found.reasons), warnings: names(found.warnings) }, file).toEqual(
        expected,
      );
    }
  });

  test('received messages match in the layers that they should', async () => {
    for (const { file, bundle, L0, L1, L2, verdict } of received) {
      const options = { sha256, now: new Date(READ_AT), eml: read(`received/${file}`) };
      const { eml } = await verifyBundle(read(`bundles/${bundle}`), options);
      expect([file, bundle, eml?.L0, eml?.L1, eml?.L2, eml?.verdict]).toEqual([
        file,
        bundle,
        L0,
        L1,
        L2,
        verdict,
      ]);
    }
  });
});

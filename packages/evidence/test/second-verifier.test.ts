import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import { type Bundle, readBundle, withSums, writeBundle } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { disclose } from '../src/disclose.ts';
import { erasedOpenings } from '../src/openings.ts';
import { renewalImprint, renewalSums } from '../src/renewal.ts';
import { certificateToPem, responseToken } from '../src/timestamp/parse.ts';
import { completeBundle, lab, policy, stamp, storedEvidence, tampered } from './bundle-support.ts';
import { sha256 } from './support.ts';

/** The verifier that was written from docs/evidence-format.md alone, in another language. */
const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors');
const CHECK = join(VECTORS, 'check.py');
const MAX_LINES = 400;
const missing = [
  ['python3', '--version'],
  ['openssl', 'version'],
].flatMap(([program, option]) => (spawnSync(program!, [option!]).status === 0 ? [] : [program]));
const run = promisify(execFile);
/** Each asks openssl, one question after the other. */
const AT_ONCE = 3;
const ONE_RULE =
  /^broken\/(act|reply|history|order|times|outcomes|openings-withheld|window|revoked|revocation|mldsa44|witness-(own|time|too|of-outcome))-/;
const folder = tempFolder();

/** Its output: `valid`, or the name of the check that fails and why. */
function check(bundle: Bundle): string {
  const path = join(folder, 'bundle.zip');
  writeFileSync(path, writeBundle(bundle));
  const { stdout, stderr, status } = spawnSync('python3', ['-B', CHECK, path], { encoding: 'utf8' });
  expect(stderr).not.toContain('Traceback');
  expect(status).toBe(stdout.trim() === 'valid' ? 0 : 1);
  return (stdout || stderr).trim();
}

/** Its answers to questions, which are lines of JSON. */
async function checkEach(questions: string[]): Promise<string> {
  const asking = run('python3', ['-B', join(VECTORS, 'check_each.py')], { maxBuffer: 16 * 1024 * 1024 });
  asking.child.stdin!.end(questions.join('\n'));
  return (await asking).stdout;
}

/** Its verdict on each; a stack trace ends it. */
async function checkAll(bundles: readonly Bundle[]): Promise<string[]> {
  const now = new Date().toISOString();
  const questions = bundles.map((each, id) => {
    const path = join(folder, `bundle-${id}.zip`);
    writeFileSync(path, writeBundle(each));
    return JSON.stringify({ id, op: 'verify_bundle', args: { path, now } });
  });
  const lines = (await checkEach(questions)).trim().split('\n');
  expect(lines).toHaveLength(bundles.length);
  return lines.map((line) => (JSON.parse(line) as { result: { said: string } }).result.said);
}

const bundle = await completeBundle();

const skipped = missing.length > 0;
const why = skipped ? ` (no ${missing.join(' and no ')} here)` : '';

describe.skipIf(skipped)(`a second verifier, in Python${why}`, () => {
  test(`is in files of at most ${MAX_LINES} lines, one statement a line`, () => {
    for (const file of readdirSync(VECTORS).filter((name) => name.endsWith('.py'))) {
      const lines = readFileSync(join(VECTORS, file), 'utf8').trimEnd().split('\n');
      expect(lines.length, file).toBeLessThanOrEqual(MAX_LINES);
      const crowded = lines.filter(
        (line) => line.length > 112 || /^\s*(if|for|else|while|with|def)\b.*:\s+\w+[^'"\])}]*$/.test(line),
      );
      expect(crowded, file).toEqual([]);
    }
  });

  test('says whom it believed and what it leaves out, and believes no bundle if it is given a policy', () => {
    const run = (...more: string[]) =>
      spawnSync('python3', ['-B', CHECK, join(VECTORS, 'bundles/good/sealed.zip'), ...more], {
        encoding: 'utf8',
      });
    const alone = run();
    expect(alone.stdout.trim()).toBe('valid');
    expect(alone.stderr).toMatch(/Trust was taken from the bundle itself/);
    expect(alone.stderr).toMatch(/trusted root {2}SHA-256 [0-9a-f]{64}/);
    expect(alone.stderr).toMatch(/Not checked here: .*\nNo part of the proof.*report\.pdf/);
    const own = join(folder, 'policy.json');
    const sealed = readBundle(new Uint8Array(readFileSync(join(VECTORS, 'bundles/good/sealed.zip'))));
    writeFileSync(own, sealed.get('policy.json')!);
    expect(run(own).stdout.trim()).toBe('valid');
    expect(run(own).stderr).not.toMatch(/taken from the bundle/);
    // A forger whose bundle names the forger's own root, and says so truly, is valid only until somebody pins
    // another.
    const stranger = JSON.parse(Buffer.from(sealed.get('policy.json')!).toString());
    stranger.time_stamps[0].roots = [certificateToPem(lab.root.der)];
    writeFileSync(own, JSON.stringify(stranger));
    expect(run(own).stderr).toMatch(/^timestamp: under no trusted root/);
  });

  test('takes every good bundle of the vectors and refuses every broken one, for a reason of its own', async () => {
    const { cases } = JSON.parse(readFileSync(join(VECTORS, 'bundles.json'), 'utf8'));
    const asked = (cases as { file: string; now: string }[]).map(({ file, now }) =>
      JSON.stringify({ id: file, op: 'verify_bundle', args: { path: join(VECTORS, 'bundles', file), now } }),
    );
    const shares = Array.from({ length: AT_ONCE }, (_, at) => asked.filter((_, n) => n % AT_ONCE === at));
    const answers = (await Promise.all(shares.map(checkEach))).flatMap((text) => text.trim().split('\n'));
    const said = new Map(
      answers.map((line) => {
        const { id, result } = JSON.parse(line) as { id: string; result: { said: string } };
        return [id, result.said];
      }),
    );
    // One line: a check of the format's page and why. A stack trace would have more.
    for (const { file, valid, failed } of cases) {
      expect(said.get(file), file).toMatch(valid ? /^valid$/ : /^[a-z_]+(\.\w+)*: .+$/);
      // Each breaks one rule, and every verifier names the same.
      if (!valid && ONE_RULE.test(file)) expect(said.get(file)?.startsWith(failed[0]), file).toBe(true);
    }
  });

  const able = spawnSync('python3', ['-c', 'from cryptography.hazmat.primitives.asymmetric import mldsa']);
  const why = able.status === 0 ? '' : ' (skipped: needs cryptography 48 for Python)';
  test.skipIf(able.status !== 0)(`checks second signatures by another's ML-DSA-44${why}`, () => {
    const { mldsa44 } = JSON.parse(readFileSync(join(VECTORS, 'bundles.json'), 'utf8'));
    for (const { file, now, valid, failed } of mldsa44) {
      const args = ['-B', CHECK, join(VECTORS, 'bundles', file), '--now', now];
      const { stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
      if (valid) expect([file, stdout]).toEqual([file, 'valid\n']);
      else expect(stderr, file).toMatch(new RegExp(`^${failed[0]}: `));
      expect(stderr).not.toContain('not checked here: that');
    }
  });

  test("judges revocation as the vectors do, and a reader's list as `acuse verify --revocation`", () => {
    const program = [
      'import sys, json, base64',
      `sys.path.insert(0, ${JSON.stringify(VECTORS)}); sys.dont_write_bytecode = True`,
      'from datetime import datetime',
      'import check, check_time',
      'from check_document import moment',
      'told = json.load(open(sys.argv[1]))',
      'signer, issuer = check_time.certificates_of(told["chain"].encode())[:2]',
      'for case in told["cases"]:',
      '    read = check_time.word_of_list if case["kind"] == "crl" else check_time.word_of_answer',
      '    word = read(base64.b64decode(case["data"]), signer, issuer, moment(told["at"]))',
      '    standing = "doubted" if isinstance(word, datetime) else {"nothing": "unknown"}.get(word, word)',
      '    assert standing == case["standing"], (case["kind"], case["name"], word)',
      '    assert standing != "doubted" or word == moment(case["from"]), case["name"]',
    ].join('\n');
    const vectors = join(VECTORS, 'revocation.json');
    const judged = spawnSync('python3', ['-c', program, vectors], { encoding: 'utf8' });
    expect([judged.status, judged.stderr]).toEqual([0, '']);

    const { cases } = JSON.parse(readFileSync(vectors, 'utf8'));
    const given = (bundle: string, kind: string, name: string, pem = false) => {
      const { data } = cases.find((each: (typeof cases)[0]) => each.kind === kind && each.name === name);
      const text = `-----BEGIN X509 CRL-----\n${data}\n-----END X509 CRL-----\n`;
      const path = join(folder, `today.${kind}`);
      writeFileSync(path, pem ? text : Buffer.from(data, 'base64'));
      const options = ['--now', '2026-03-06T00:00:00.000Z', '--revocation', path];
      const file = join(VECTORS, `bundles/good/${bundle}.zip`);
      return spawnSync('python3', ['-B', CHECK, file, ...options], { encoding: 'utf8' });
    };
    for (const kind of ['crl', 'ocsp']) {
      const stolen = given('sealed', kind, 'reason 1, a second after it stamped');
      expect([stolen.status, stolen.stderr]).toEqual([1, expect.stringMatching(/^timestamp_revocation: /)]);
      const replaced = given('sealed', kind, 'reason 4, a second after it stamped', kind === 'crl');
      expect([replaced.status, replaced.stdout]).toEqual([0, 'valid\n']);
    }
    const idle = given('nom151', 'ocsp', 'reason 1, a second after it stamped');
    expect([idle.status, idle.stderr]).toEqual([0, expect.stringContaining('speaks of no certificate here')]);
    for (const name of ['a delta of another list', 'an unknown critical extension of the list'])
      expect(given('sealed', 'crl', name).stderr).toMatch(/is neither a whole revocation list/);
  });

  test('reads messages as the vectors do', () => {
    const program = [
      'import sys, json, base64',
      `sys.path.insert(0, ${JSON.stringify(VECTORS)}); sys.dont_write_bytecode = True`,
      'import check',
      'for one in json.load(open(sys.argv[1])):',
      '    raw = base64.b64decode(one["message"])',
      '    assert check.relaxed_header(raw).decode() == one["relaxed_header"], one["name"]',
      '    assert check.relaxed_body(raw).decode() == one["relaxed_body"], one["name"]',
      '    assert list(check.leaves(raw)) == one["parts"], (one["name"], list(check.leaves(raw)))',
    ].join('\n');
    const { status, stderr } = spawnSync('python3', ['-c', program, join(VECTORS, 'messages.json')], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  test('takes what is complete, shown in part, erased, stamped by a PSC, bare or renewed', async () => {
    expect(check(bundle)).toBe('valid');
    expect(check(await disclose(bundle, [1], { sha256, now: new Date() }))).toBe('valid');
    const stored = await storedEvidence();
    const { message: _, submission: __, ...rest } = stored;
    const openings = erasedOpenings(stored.openings.canonical_hash);
    const deliveries = stored.deliveries!.map(({ manifest, proof }) => ({ manifest, proof }));
    expect(check(assembleBundle({ ...rest, openings, deliveries }, sha256))).toBe('valid');
    const bare = { ...stored.constancia, token: responseToken(stored.constancia.token) };
    expect(check(assembleBundle({ ...stored, constancia: bare }, sha256))).toBe('valid');
    const psc = await stamp(sha256(bundle.get('checkpoint.txt')!), 'sha256', lab.pscResponder, lab.pscPolicy);
    const timeStamps = [lab.pscPolicy];
    const { messageConstancia: ___, ...sealed } = {
      ...stored,
      deliveries,
      constancia: psc,
      policy: { ...policy, timeStamps },
    };
    expect(check(assembleBundle(sealed, sha256))).toBe('valid');
    const sums = renewalSums(assembleBundle(stored, sha256), 1);
    const renewals = [{ ...(await stamp(renewalImprint(sums), 'sha512')), sums }];
    expect(check(assembleBundle({ ...stored, renewals }, sha256))).toBe('valid');
  });

  test.each([
    ['manifest.json', /^(manifest|openings|checkpoint|inclusion)/],
    ['openings.json', /^openings/],
    ['message.eml', /^message/],
    ['submission.bin', /^submission/],
    ['proof.tlog-proof', /^(checkpoint|inclusion|witness)/],
    ['checkpoint.txt', /^stamped_checkpoint/],
    ['constancia.tsr', /^timestamp/],
    ['chain/constancia.pem', /^timestamp/],
    ['message-constancia.tsr', /^message_timestamp/],
    ['delivery/01-sent.json', /^delivery.01/],
    ['delivery/01-sent.tlog-proof', /^delivery.01/],
    ['delivery/01-sent.transcript.json', /^delivery.01/],
    ['delivery/02-bounced.openings.json', /^delivery.02/],
  ])('refuses a changed %s', async (name, expected) => {
    const bytes = bundle.get(name)!;
    const mutants = [0.4, 0.95].map((part) => {
      const mutant = Uint8Array.from(bytes);
      mutant[Math.floor(part * bytes.length)]! ^= 1;
      return tampered(bundle, name, mutant);
    });
    const others = [new Map(bundle).set(name, utf8('{}')), tampered(bundle, name, undefined)];
    const said = await checkAll([...mutants, ...others]);
    for (const each of said.slice(0, mutants.length)) expect(each).toMatch(expected);
    expect(said[2]).toMatch(/^sums/);
    expect(said[3]).not.toBe('valid');
  });

  test('refuses names that no bundle has', () => {
    expect(check(new Map(bundle).set('README', utf8('x')))).toMatch(/^bundle|^sums/);
    expect(check(withSums(new Map(bundle).set('parts/00.bin', utf8('x')), sha256))).toMatch(/^openings/);
  });
});

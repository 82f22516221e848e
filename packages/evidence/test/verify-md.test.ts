import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import { type Bundle, evidenceLines, readBundle, withSums } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { disclose } from '../src/disclose.ts';
import { bundleGuide } from '../src/guide.ts';
import { parseNote } from '../src/note.ts';
import { erasedOpenings } from '../src/openings.ts';
import { readTrustPolicy } from '../src/policy.ts';
import { renewalImprint, renewalList, renewalSums } from '../src/renewal.ts';
import { certificatesFromPem } from '../src/timestamp/certificate.ts';
import { certificateToPem, responseToken } from '../src/timestamp/parse.ts';
import { VERDICT_TITLES } from '../src/verdict-words.ts';
import { formatVerifierKey } from '../src/verifier-key.ts';
import { verifyEntries } from '../src/verify.ts';
import { verifyMd } from '../src/verify-md.ts';
import { stampsOf } from '../src/verify-md-guide.ts';
import { completeBundle, lab, policy, stamp, storedEvidence } from './bundle-support.ts';
import { sha256 } from './support.ts';
import { blocksOf, pasted, pastedWith, text, unpack } from './verify-md-support.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors/bundles');

/** The fingerprint of the root that a good bundle of the vectors has. */
function rootOf(name: string): string {
  const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, name))));
  return bundleGuide(entries, sha256).constancia.rootFingerprint;
}

function filesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    files.map(({ parentPath, name }) => join(parentPath, name)).map((path) => [path, hashOf(path)]),
  );
}

const hashOf = (path: string) => Buffer.from(sha256(readFileSync(path))).toString('hex');

/**
 * Runs the blocks (those that have `only`) as a reader would, in one terminal, each command having to
 * succeed; the first that fails, or null. None may write into the unpacked bundle.
 */
function firstFailure(bundle: Bundle, only = '', env: Record<string, string> = {}): string | null {
  const folder = unpack(bundle);
  const before = filesIn(folder);
  const [functions = '', ...blocks] = blocksOf(bundle);
  // Later blocks take from earlier ones the reader's inputs and the key of the log.
  const state = blocks.flatMap((block) => block.match(/^ *(?:log_key=|counted_at=|given ).*$/gm) ?? []);
  // The list of all files has every name.
  const about = blocks.filter(
    (block) => block.includes(only) && (only === '' || only === 'SHA256SUMS' || !block.includes('files.txt')),
  );
  const head = [functions, ...(only === '' ? [] : [...state, 'times=compared']), 'exec 2>&1'];
  const script = [...head, ...about.flatMap((block) => ["echo 'block begins'", block])].join('\n');
  const run = spawnSync('sh', ['-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: tempFolder(), ...env },
  });
  expect(filesIn(folder)).toEqual(before);
  if (run.status === 0) return null;
  const said = run.stdout.split('block begins\n').slice(1);
  return `${about[said.length - 1]}\n${said.at(-1)}${run.stderr}`;
}

const bundle = await completeBundle();

describe('every command of VERIFY.md does what it says', () => {
  test('on a complete bundle, with outcomes and a constancia of its own', () => {
    expect(blocksOf(bundle).length).toBeGreaterThan(7);
    expect(text(bundle.get('VERIFY.md'))).toContain('not a NOM-151 constancia');
    expect(firstFailure(bundle)).toBeNull();
  });

  test('all at once and twice, as its introduction says, without a file of its own in the folder', () => {
    const folder = unpack(bundle);
    const before = filesIn(folder);
    const printed = text(bundle.get('VERIFY.md'));
    const [commands] = /^ {4}steps=.*\n(?: {4}.*\n)+/m.exec(printed)!;
    const run = commands.replace(/^ {4}less .*\n/m, '');
    const env = { ...process.env, TMPDIR: tempFolder() };
    const say = (more: Record<string, string> = {}) =>
      spawnSync('sh', ['-c', run], { cwd: folder, encoding: 'utf8', env: { ...env, ...more } }).stdout;
    const said = say();
    expect(said).toMatch(
      /^VERDICT 2: Consistent, but nobody you trust vouches for it.*\n(?:.*\n)*VERDICT 2: .*\n$/m,
    );
    expect(said).not.toMatch(/FAILED|MISSING|CHANGED|OTHER|UNEXPECTED/);
    expect(said).toContain('UNKNOWN: the key of the log, because LOG_KEY was not given\n');
    expect(filesIn(folder)).toEqual(before);
    const { logKey, constancia } = bundleGuide(bundle, sha256);
    const given = { LOG_KEY: logKey, ROOT_FINGERPRINT: constancia.rootFingerprint };
    expect(say(given)).toMatch(
      /the key of the log is the one that you were given: OK\n(?:.*\n)*the root.* that you were given: OK\n/,
    );
  });

  test('with another key or root than the one that was given its verdict is 2', () => {
    const { logKey, constancia } = bundleGuide(bundle, sha256);
    const given = { LOG_KEY: logKey, ROOT_FINGERPRINT: constancia.rootFingerprint };
    const others = Object.entries({
      LOG_KEY: logKey.replace(/\+.*/, '+23008197+Af9buEBumUAcOUi4jXx5GIiyPEwdhQ2ybtufICOMclK3'),
      ROOT_FINGERPRINT: constancia.rootFingerprint.replace(/^./, (first) => (first === '0' ? '1' : '0')),
    }).map(([name, other]) => ({ ...given, [name]: other }));
    const said = pastedWith(bundle, ...others);
    expect(said).toHaveLength(2);
    for (const each of said)
      expect(each).toMatch(
        /^VERDICT 2: .*; another key or root than the one that you were given: see OTHER$/m,
      );
  });

  test('a file that was put in, and evidence that the text is not about, fail', () => {
    const stray = new Map(bundle).set('notes.txt', utf8('mine'));
    expect(firstFailure(stray, 'SHA256SUMS')).toContain(
      'UNEXPECTED: notes.txt\nthe files that are here are those of this text: OK\nno other file is here: FAILED',
    );
    for (const [name, from, to] of [
      ['openings.json', /"value":"[^"]*"/, '"value":"eva@example.test"'],
      ['proof.tlog-proof', /^index \d+$/m, 'index 9'],
      ['policy.json', '"name":', '"name" :'],
    ] as const) {
      const changed = text(bundle.get(name)).replace(from, to);
      const entries = withSums(new Map(bundle).set(name, utf8(changed)), sha256);
      const said = firstFailure(entries, 'SHA256SUMS');
      expect(said).toContain(`\nCHANGED: ${name}\nthe files that are here are those of this text: FAILED\n`);
      if (name === 'proof.tlog-proof') {
        const all = new Map(entries).set('VERIFY.md', utf8(verifyMd(bundleGuide(bundle, sha256))));
        expect(firstFailure(all, 'checkpoint.txt')).toContain('proof.tlog-proof is about leaf');
      }
    }
  });

  test('the count of outcomes and the history are checked by their own commands', async () => {
    const guide = text(bundle.get('VERIFY.md'));
    expect(guide).toContain('of this message it then knew 2 outcomes');
    expect(guide).toContain('## 7. One log');
    const withheld = await disclose(bundle, [1], { sha256, now: new Date() });
    expect(text(withheld.get('VERIFY.md'))).toContain('of this message it then knew 2 outcomes');
    expect(firstFailure(withheld)).toBeNull();
    const note = text(bundle.get('outcomes.note'));
    const dropped = new Map(bundle).set('outcomes.note', utf8(note.replace('\n3\n', '\n2\n')));
    expect(firstFailure(dropped, 'outcomes.note')).toContain('Signature Verification Failure');
    const history = text(bundle.get('history.txt'));
    const forged = history.replace(/^(consistency 13 15\n)\S+/m, `$1${Buffer.alloc(32).toString('base64')}`);
    expect(firstFailure(new Map(bundle).set('history.txt', utf8(forged)), 'begins with')).toContain(
      'by history.txt: FAILED',
    );
  });

  test('on one that shows a single part, and on one that was erased', async () => {
    expect(firstFailure(await disclose(bundle, [1], { sha256, now: new Date() }))).toBeNull();
    const { message: _, submission: __, ...stored } = await storedEvidence();
    const openings = erasedOpenings(stored.openings.canonical_hash);
    const deliveries = stored.deliveries!.map(({ manifest, proof }) => ({ manifest, proof }));
    const erased = assembleBundle({ ...stored, openings, deliveries }, sha256);
    const guide = text(erased.get('VERIFY.md'));
    expect(guide).toContain('**The operator erased the content of this message, and with it the salts.**');
    for (const gone of [
      'message.eml',
      'submission.bin',
      'addresses of the envelope',
      'delivery/*.openings.json',
    ])
      expect(guide.slice(guide.indexOf('no longer contains'), guide.indexOf('What remains'))).toContain(gone);
    expect(guide).toContain('the manifest contains commitments instead of content');
    expect(firstFailure(erased)).toBeNull();
  });

  test('on a bare token, and on the token of an authority whose certificate OpenSSL would not take for one', async () => {
    const stored = await storedEvidence();
    const checkpoint = sha256(bundle.get('checkpoint.txt')!);
    const bare = { ...stored.constancia, token: responseToken(stored.constancia.token) };
    expect(firstFailure(assembleBundle({ ...stored, constancia: bare }, sha256))).toBeNull();
    const psc = await stamp(checkpoint, 'sha256', lab.pscResponder, lab.pscPolicy);
    const timeStamps = [lab.pscPolicy, lab.policy];
    const sealed = assembleBundle({ ...stored, constancia: psc, policy: { ...policy, timeStamps } }, sha256);
    expect(text(sealed.get('VERIFY.md'))).toContain('openssl cms -verify -cades -purpose any -attime');
    expect(firstFailure(sealed)).toBeNull();
    const { valid, facts } = await verifyEntries(sealed, { sha256, now: new Date() });
    expect([valid, facts.profile]).toEqual([true, 'nom151']);
  });

  test('on a renewed one', async () => {
    const stored = await storedEvidence();
    const first = renewalSums(assembleBundle(stored, sha256), 1);
    const renewals = [{ ...(await stamp(renewalImprint(first), 'sha512')), sums: first }];
    const renewed = assembleBundle({ ...stored, renewals }, sha256);
    const second = renewalSums(renewed, 2);
    renewals.push({ ...(await stamp(renewalImprint(second), 'sha512')), sums: second });
    expect(firstFailure(assembleBundle({ ...stored, renewals }, sha256))).toBeNull();
  });
});

test('every time-stamp of an authority such as a PSC has its command, and each does what it says', async () => {
  const stored = await storedEvidence();
  const pscPolicy = { ...lab.pscPolicy, hashAlgorithms: ['sha256', 'sha512'] as const };
  const byPsc = (imprint: Uint8Array, hash: 'sha256' | 'sha512' = 'sha256') =>
    stamp(imprint, hash, lab.pscResponder, pscPolicy);
  const [sent, bounced] = stored.deliveries!;
  const outcome = parseNote(utf8(sent!.proof.checkpointNote)).text;
  const evidence = {
    ...stored,
    policy: { ...policy, timeStamps: [pscPolicy] },
    constancia: await byPsc(sha256(bundle.get('checkpoint.txt')!)),
    messageConstancia: await byPsc(sha256(stored.manifest)),
    deliveries: [{ ...sent!, constancia: await byPsc(sha256(utf8(outcome))) }, bounced!],
  };
  const plain = assembleBundle(evidence, sha256);
  const sums = renewalSums(plain, 1);
  const list = renewalList([sums, 'sums of another batch']);
  const renewals = [{ ...(await byPsc(renewalImprint(list), 'sha512')), sums, list }];
  const whole = assembleBundle({ ...evidence, renewals }, sha256);
  const guide = text(whole.get('VERIFY.md'));
  // The constancia's twice, for its own time and for that of the renewal.
  expect(guide.match(/openssl cms -verify -cades -purpose any -attime \d+/g)).toHaveLength(5);
  expect(guide).not.toContain('openssl ts -verify');
  expect(firstFailure(whole)).toBeNull();
  expect((await verifyEntries(whole, { sha256, now: new Date() })).valid).toBe(true);
  for (const base of ['delivery/01-sent', 'renewal/01']) {
    const other = withSums(new Map(whole).set(`${base}.tsr`, whole.get('constancia.tsr')!), sha256);
    expect(firstFailure(other, base), base).toMatch(/imprint|Verification/);
  }
  // Over sums alone, without a list.
  const alone = [{ ...(await byPsc(renewalImprint(sums), 'sha512')), sums }];
  const one = assembleBundle({ ...evidence, renewals: alone }, sha256);
  expect(firstFailure(one, 'renewal/01')).toBeNull();
});

test.each([
  'chain-nom151',
  'erased',
  'history-not-shown',
  'nom151',
  'one-part-disclosed',
  'outcome-opened',
  'outcomes-not-counted',
  'outcomes-withheld',
  'revoked-later-crl',
  'revoked-later-ocsp',
  'sealed',
  'unanswered-later',
  'warns-unstamped',
])('its verdict on %s is that of the verifier, with the right keys and with none', async (name) => {
  const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, `good/${name}.zip`))));
  const guide = bundleGuide(entries, sha256);
  const whole = withSums(new Map(entries).set('VERIFY.md', utf8(verifyMd(guide))), sha256);
  const roots = stampsOf(guide).map(({ rootFingerprint }) => rootFingerprint);
  const right = { LOG_KEY: guide.logKey, ROOT_FINGERPRINT: roots.join(' ') };
  const own = readTrustPolicy(JSON.parse(text(whole.get('policy.json'))), sha256);
  const now = new Date();
  const [withKeys = '', withNone = ''] = pastedWith(whole, right, {});
  for (const [said, trust] of [[withKeys, own] as const, [withNone, undefined] as const]) {
    const found = await verifyEntries(whole, { sha256, now, ...(trust && { trust }) });
    expect(said.match(/^VERDICT \d: ([^:]*)/m)?.[1]?.trim()).toBe(VERDICT_TITLES.en[found.verdict]);
    expect(said).not.toMatch(/FAILED|OTHER than/);
    // Of all that is here, whoever vouches for it.
    expect(withKeys.match(/^MISSING: /gm) ?? []).toHaveLength(
      found.reasons.filter(({ name: reason }) => !/^(?:bundle_keys|development)$/.test(reason)).length,
    );
  }
});

describe('what cannot all be true is told by it, as each command stands', () => {
  // A future time is one by the clock of this machine; the reversed proofs prove the same.
  const rows = readdirSync(join(VECTORS, 'broken')).filter((name) =>
    /^(?:history-(?!reversed)|order-|times-(?!future)|outcomes-|unanswered-)/.test(name),
  );

  test.each(rows)('%s', (name) => {
    const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, 'broken', name))));
    const guide = utf8(verifyMd(bundleGuide(entries, sha256)));
    // Without what looks at each file or certificate by itself.
    const each = / {2}pin |files\.txt|message, byte for byte/;
    const said = pasted(new Map(entries).set('VERIFY.md', guide), {}, (block) => !each.test(block));
    expect(said).toMatch(/FAILED|MISSING/);
  });
});

test('another operator, and what is not there, are told in words', async () => {
  const { outcomesNote: _, ...uncounted } = await storedEvidence();
  const guide = text(assembleBundle(uncounted, sha256).get('VERIFY.md'));
  expect(guide).toContain('One or more may have been left out, such as a bounce');
  expect(guide).toContain('the time-stamp is from a development authority');
  expect(guide).toContain('no better verdict is possible');
  const [key] = policy.logKeys;
  expect(guide).toContain(`    ${formatVerifierKey(key!)}\n`);
});

describe('and fails where the bundle lies', () => {
  test.each([
    ['message.eml', 'message, byte for byte: FAILED'],
    ['manifest.json', ': FAILED\n'],
    ['checkpoint.txt', 'checkpoint.txt'],
    ['constancia.tsr', 'ts -verify'],
    ['chain/constancia.pem', 'pin chain/constancia.pem'],
    ['delivery/01-sent.json', 'delivery/01-sent.json'],
  ])('%s', (name, command) => {
    const bytes = Uint8Array.from(bundle.get(name)!);
    // Of a token, its signature: nobody signs the certificates that it carries.
    bytes[Math.floor(bytes.length * (name.endsWith('.tsr') ? 0.97 : 0.6))]! ^= 1;
    const changed = new Map(withSums(new Map(bundle).set(name, bytes), sha256));
    const line = (of: Bundle) => evidenceLines(of).find((each) => each.endsWith(`  ${name}`))!;
    const guide = text(bundle.get('VERIFY.md')).replace(line(bundle), line(changed));
    const entries = withSums(changed.set('VERIFY.md', utf8(guide)), sha256);
    expect(firstFailure(entries)).toContain(command);
  });
});

describe('the commands trust one root alone', () => {
  const forged = readdirSync(join(VECTORS, 'broken')).filter((name) => name.startsWith('forged-'));
  const genuine = rootOf('good/sealed.zip');

  test('there are forgeries to try', () => expect(forged.length).toBeGreaterThan(12));

  test.each(forged)("%s: they fail, or show a root that is not the authority's", (name) => {
    const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, 'broken', name))));
    const guide = verifyMd(bundleGuide(entries, sha256));
    const whole = withSums(new Map(entries).set('VERIFY.md', utf8(guide)), sha256);
    const failure = firstFailure(whole, '-attime');
    if (failure === null) expect(guide).not.toContain(genuine);
    else expect(failure).toMatch(/ts -verify|cms -verify|openssl x509/);
  });

  test('a root of the machine does not count', async () => {
    // As if the forger's root were among the machine's own: by itself `openssl cms` would believe it.
    const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, 'broken/forged-root-last.zip'))));
    const [, strangerRoot] = certificatesFromPem(text(entries.get('chain/constancia.pem')));
    const machine = tempFolder();
    const pem = join(machine, 'root.pem');
    writeFileSync(pem, certificateToPem(strangerRoot!));
    const hash = execFileSync('openssl', ['x509', '-in', pem, '-noout', '-subject_hash']).toString().trim();
    writeFileSync(join(machine, `${hash}.0`), certificateToPem(strangerRoot!));
    const guide = bundleGuide(entries, sha256);
    const asPsc = { ...guide, constancia: { ...guide.constancia, profile: 'nom151' as const } };
    const whole = withSums(new Map(entries).set('VERIFY.md', utf8(verifyMd(asPsc))), sha256);
    expect(firstFailure(whole, 'cms -verify', { SSL_CERT_DIR: machine })).toContain('cms -verify');
  });
});

test('OpenSSL takes the constancia by the plain command', () => {
  const folder = unpack(bundle);
  const command = [
    'ts',
    '-verify',
    '-data',
    'checkpoint.txt',
    '-in',
    'constancia.tsr',
    '-CAfile',
    'chain/constancia.pem',
  ];
  expect(execFileSync('openssl', command, { cwd: folder, stdio: 'pipe' }).toString()).toContain(
    'Verification: OK',
  );
});

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { withSums } from '../src/bundle.ts';
import { toHex, utf8 } from '../src/bytes.ts';
import { bundleGuide } from '../src/guide.ts';
import { verifyMd } from '../src/verify-md.ts';
import { completeBundle } from './bundle-support.ts';
import { sha256 } from './support.ts';
import { blocksOf, type Chosen, pasted, pastedWith, text } from './verify-md-support.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors');
const bundle = await completeBundle();

const withoutBounce = () =>
  new Map([...bundle].filter(([name]) => !/^(?:delivery\/02|chain\/delivery-02)/.test(name)));

test('a bounce that was left out is missing: nothing about it holds, and nobody is accused', () => {
  const missing = withSums(withoutBounce(), sha256);
  const said = pasted(missing);
  expect(said).toMatch(/^MISSING: delivery\/02-bounced\.json\n(?:.*\n)*the files that are here are.*: OK$/m);
  expect(said).toContain('outcomes that the log counted: 2; in this file: 1 shown\n');
  expect(said).not.toMatch(/FAILED|CHANGED|UNEXPECTED|OTHER/);
  expect(said.match(/^.*(?:02-bounced|outcome 2|outcome-2|left out).*: OK$/gm)).toBeNull();
  expect(said).toMatch(/^VERDICT 2: .*a development authority; .*not the whole: see MISSING\n$/m);
  // Files that it does not need are shown all the same: the history leads to a tree that another file has.
  expect(said).toContain('the tree of 15 begins with that of 13: OK\n');
});

test('so it is where the text was written again, without it', () => {
  const rest = withoutBounce();
  rest.delete('history.txt');
  const entries = withSums(rest, sha256);
  const guide = utf8(verifyMd(bundleGuide(entries, sha256)));
  const said = pasted(withSums(new Map(entries).set('VERIFY.md', guide), sha256));
  expect(said).toContain('outcomes that the log counted: 2; in this file: 1 shown\n');
  expect(said).toContain('MISSING: outcomes that the log counted\n');
  expect(said).not.toMatch(/FAILED|left out.*OK/);
  expect(said).toMatch(/^VERDICT 2: .*a development authority; .*not the whole: see MISSING\n$/m);
});

test.each([
  ['manifest.json', 'message.eml', 'history.txt', 'constancia.tsr'],
  ['openings.json', 'proof.tlog-proof', 'outcomes.note', 'delivery/01-sent.json'],
  ['checkpoint.txt', 'chain/constancia.pem', 'delivery/01-sent.openings.json'],
  ['delivery/01-sent.tlog-proof', 'delivery/01-sent.tsr', 'delivery/02-bounced.json', 'policy.json'],
])('without %s and the others, nothing is said to fail', (...names) => {
  const rest = new Map(bundle);
  for (const name of names) expect(rest.delete(name), name).toBe(true);
  const said = pasted(withSums(rest, sha256));
  for (const name of names) expect(said).toContain(`MISSING: ${name}\n`);
  expect(said).not.toContain('FAILED');
  expect(said).toMatch(/^VERDICT 2: /m);
});

test('a time that cannot be read is not taken for another one', () => {
  const changed = new Map(bundle).set('delivery/01-sent.tsr', utf8('no time-stamp'));
  const said = pasted(withSums(changed, sha256));
  expect(said).toContain('CHANGED: delivery/01-sent.tsr\n');
  expect(said).toContain('MISSING: a time of: accepted, not after: outcome 1 sealed\n');
  expect(said.match(/the time of the token is the one tried: OK/g)).toHaveLength(
    [...bundle.keys()].filter((name) => name.endsWith('.tsr')).length - 1,
  );
  expect(said).toMatch(/^VERDICT 1: Do not rely on this file/m);
});

test('each outcome is one sentence, from the files, which says whose word it is', () => {
  const said = pasted(bundle);
  expect(said).toMatch(
    /^Handed to the receiving server; sent at \S+Z: server \S+ \([0-9.]+\) answered 250 .*; TLS .*, certificate verified: .*\. By the operator's word\.$/m,
  );
  expect(said).toMatch(/^\S+Z outcome 1: sent, says the operator$/m);
  const guide = text(bundle.get('VERIFY.md'));
  if (bundle.has('delivery/01-sent.dsn.eml'))
    expect(guide).toContain('**The operator wrote `delivery/01-sent.dsn.eml` itself**');
});

test('header and body are compared in the relaxed form, as the verifier has it, and in a received copy', () => {
  const messages: { message: string; header_sha256: string; body_sha256: string }[] = JSON.parse(
    readFileSync(join(VECTORS, 'messages.json'), 'utf8'),
  );
  const [functions = ''] = blocksOf(bundle);
  const folder = tempFolder();
  const run = (part: string, file: string) =>
    spawnSync('sh', ['-c', `${functions}\nrelaxed_${part} ${file}`], {
      env: { ...process.env, TMPDIR: folder },
    }).stdout.subarray(`temporary files: ${folder}/tmp.0123456789\n`.length);
  for (const { message, header_sha256, body_sha256 } of messages) {
    const file = join(folder, 'message.eml');
    writeFileSync(file, Buffer.from(message, 'base64'));
    expect(Buffer.from(sha256(run('header', file))).toString('hex')).toBe(header_sha256);
    expect(Buffer.from(sha256(run('body', file))).toString('hex')).toBe(body_sha256);
  }
  const copy = join(folder, 'copy.eml');
  const relayed = `Received: from a\r\n by b\r\n${text(bundle.get('message.eml'))}\r\n`;
  writeFileSync(copy, relayed.replaceAll('\r\n', '\n'));
  const received: Chosen = (block) => block.includes('RECEIVED');
  expect(pasted(bundle, { RECEIVED: copy }, received)).toMatch(
    /header of message.eml, relaxed: OK\nbody of message.eml, relaxed: OK\nsealed header in RECEIVED: OK\nsealed body in RECEIVED: OK\n/,
  );
  writeFileSync(copy, relayed.replace(/^Subject: /m, 'Subject: Re: '));
  expect(pasted(bundle, { RECEIVED: copy }, received)).toContain('sealed header in RECEIVED: FAILED\n');
});

test('what is signed and proven is read from the files, of which another text is no match', () => {
  const [proof, note] = ['proof.tlog-proof', 'outcomes.note'];
  const signature = (bytes: number) => `$1${Buffer.alloc(bytes).toString('base64')}`;
  const signed = /^(— log\.\S+ ).*$/m;
  const inProof = 'manifest.json in checkpoint.txt: FAILED\n';
  const about: Chosen = (block) => block.includes('included ') || block.includes('signed ');
  const said = (changes: readonly (readonly [string, RegExp, string])[]) => {
    const changed = new Map(bundle);
    for (const [name, from, to] of changes) {
      const other = text(changed.get(name)).replace(from, to);
      expect(other).not.toBe(text(changed.get(name)));
      changed.set(name, utf8(other));
    }
    return pasted(changed, {}, about);
  };
  expect(said([[proof, /^index .*$/m, 'index a[$(touch "$work/ran")]']])).toContain(inProof);
  const others = said([
    [proof, /^(index .*\n)/m, `${signature(32)}\n`],
    [proof, signed, signature(68)],
    [note, signed, signature(76)],
  ]);
  for (const expected of [
    inProof,
    'signature of checkpoint.txt: FAILED\n',
    'signature of outcomes.note: FAILED\n',
  ])
    expect(others).toContain(expected);
});

const counted: Chosen = (block) => /log_key=|NEWER_NOTE/.test(block);

test('a newer note is checked, and what it counts more is missing here', () => {
  const folder = tempFolder();
  const note = join(folder, 'newer.note');
  writeFileSync(note, bundle.get('outcomes.note')!);
  expect(pasted(bundle, { NEWER_NOTE: note }, counted)).toMatch(
    /signature of the newer note: OK\n.*is about this message: OK\nnewer note: 2 outcomes, counted at \S+Z\n/,
  );
  writeFileSync(note, text(bundle.get('outcomes.note')).replace('\n3\n', '\n4\n'));
  const said = pasted(bundle, { NEWER_NOTE: note }, counted);
  expect(said).toContain('signature of the newer note: FAILED\n');
  expect(said).toContain('MISSING: outcomes that the newer note counts\n');
});

test('what it says of an outcome is what was hashed, whatever else the file has', () => {
  const file = 'delivery/02-bounced.openings.json';
  const genuine = bundle.get(file)!;
  const forged = utf8(text(genuine).replace('{', '{"text":"entregado y leido","helo":"mx.example",'));
  const guide = text(bundle.get('VERIFY.md')).replace(toHex(sha256(genuine)), toHex(sha256(forged)));
  const changed = new Map(bundle).set(file, forged).set('VERIFY.md', utf8(guide));
  const said = pasted(withSums(changed, sha256));
  expect(said).toContain('Reported as not delivered; bounced at');
  expect(said).not.toMatch(/entregado y leido|mx\.example|CHANGED/);
});

test('a fingerprint may be written without colons and in small letters', () => {
  const root = bundleGuide(bundle, sha256).constancia.rootFingerprint;
  const written = [root, root.toLowerCase(), root.replaceAll(':', '').toLowerCase()];
  const sets = [...written.map((one) => `AB:CD ${one}`), 'abcd'];
  const said = pastedWith(bundle, ...sets.map((ROOT_FINGERPRINT) => ({ ROOT_FINGERPRINT })));
  for (const each of said.slice(0, -1))
    expect(each).toContain('the root of the authority is the one that you were given: OK\n');
  expect(said).toHaveLength(4);
  expect(said.at(-1)).toMatch(
    /^VERDICT 2: .*another key or root than the one that you were given: see OTHER/m,
  );
});

test('a page of an error in place of a newer note condemns nothing', () => {
  const page = join(tempFolder(), 'newer.note');
  for (const content of ['', '<!doctype html><title>404</title>\n']) {
    writeFileSync(page, content);
    const said = pasted(bundle, { NEWER_NOTE: page }, counted);
    expect(said).toContain('MISSING: a note in the file that NEWER_NOTE names\n');
    expect(said).not.toContain('FAILED');
  }
});

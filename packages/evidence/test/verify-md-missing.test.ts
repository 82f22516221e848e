import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { withSums } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { bundleGuide } from '../src/guide.ts';
import { verifyMd } from '../src/verify-md.ts';
import { completeBundle } from './bundle-support.ts';
import { sha256 } from './support.ts';
import { pasted, text } from './verify-md-support.ts';

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
  expect(said).toMatch(/^VERDICT 2: .*a development authority\n$/m);
  // What it does not need is shown all the same: the history leads to a tree that another file has.
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
  expect(said).toMatch(/^VERDICT 2: .*a development authority\n$/m);
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

test('a newer note is checked, and what it counts more is missing here', () => {
  const folder = tempFolder();
  const note = join(folder, 'newer.note');
  writeFileSync(note, bundle.get('outcomes.note')!);
  expect(pasted(bundle, { NEWER_NOTE: note })).toMatch(
    /signature of the newer note: OK\n.*is about this message: OK\nnewer note: 2 outcomes, counted at \S+Z\n/,
  );
  writeFileSync(note, text(bundle.get('outcomes.note')).replace('\n3\n', '\n4\n'));
  const said = pasted(bundle, { NEWER_NOTE: note });
  expect(said).toContain('signature of the newer note: FAILED\n');
  expect(said).toContain('MISSING: outcomes that the newer note counts\n');
});

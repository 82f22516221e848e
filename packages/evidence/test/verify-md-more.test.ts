import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Bundle, readBundle, withSums } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { bundleGuide } from '../src/guide.ts';
import { verifyMd } from '../src/verify-md.ts';
import { sha256 } from './support.ts';
import { type Chosen, pasted, text, unpack } from './verify-md-support.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors/bundles');

/** With the text that is written today. */
function vector(name: string): Bundle {
  const entries = readBundle(new Uint8Array(readFileSync(join(VECTORS, `${name}.zip`))));
  return withSums(new Map(entries).set('VERIFY.md', utf8(verifyMd(bundleGuide(entries, sha256)))), sha256);
}

/** The blocks before the one in question that it needs, and itself. */
const about =
  (...words: string[]): Chosen =>
  (block) =>
    ['log_key=', ...words].some((word) => block.includes(word));

const sealed = vector('good/sealed');

test('what opens a commitment opens it in its own place alone', () => {
  const rewritten = (from: string, to: string) => {
    const before = text(sealed.get('VERIFY.md'));
    expect(before).toContain(from);
    return withSums(new Map(sealed).set('VERIFY.md', utf8(before.replaceAll(from, to))), sha256);
  };
  const content = about('opens manifest.json');
  expect(pasted(sealed, {}, content)).not.toContain('FAILED');
  const swaps: [string, string, RegExp][] = [
    ['opens manifest.json rcpt_to', 'opens manifest.json mail_from', /^envelope recipient .*: FAILED$/m],
    ['opens manifest.json raw', 'opens manifest.json body', /^message, byte for byte: FAILED$/m],
    ['opens manifest.json 2 ', 'opens manifest.json 1 ', /^part 1: FAILED$/m],
    ['opens manifest.json 2 ', 'opens manifest.json 3 ', /^part 1: FAILED$/m],
  ];
  for (const [from, to, failure] of swaps) {
    const said = pasted(rewritten(from, to), {}, content);
    expect(said).toMatch(failure);
    expect(said.match(/FAILED/g)).toHaveLength(1);
  }
});

test('cosignatures of the witnesses that the reader knows are checked', () => {
  const { witness_keys: keys } = JSON.parse(text(sealed.get('policy.json')));
  const said = (WITNESS_KEYS: string, of = sealed) => pasted(of, { WITNESS_KEYS }, about('WITNESS_KEYS'));
  expect(said(keys[0].key)).toContain('cosigned by witness.example/w1 at 2026-03-04T05:06:15Z: OK\n');
  const { log_keys: others } = JSON.parse(text(sealed.get('policy.json')));
  expect(said(others[0].key)).toContain('log.example/acuse did not cosign\n');
  expect(said('')).toContain('WITNESS_KEYS was not given: no cosignature was checked\n');
  const other = new Map(sealed).set('checkpoint.txt', utf8('log.example/acuse\n13\nAAAA\n'));
  expect(said(keys[0].key, other)).toContain(
    'cosigned by witness.example/w1 at 2026-03-04T05:06:15Z: FAILED',
  );
});

test('two bundles of one log are held against each other', () => {
  const SECOND_BUNDLE = unpack(vector('good/acknowledged'));
  const said = (name: string) => pasted(vector(name), { SECOND_BUNDLE }, about('SECOND_BUNDLE'));
  expect(said('good/acknowledged')).toMatch(/^trees of one size in both bundles: [1-9]/m);
  expect(said('good/acknowledged')).not.toContain('FAILED');
  // Other messages at the same places of a log of this name.
  expect(said('good/reply-rsa')).toMatch(/^.*: one tree of one size: FAILED$/m);
});

test.each([
  ['good/reply-rsa', []],
  ['good/reply-ed25519', []],
  ['good/reply-second-signature', []],
  ['good/reply-subdomain', []],
  ['broken/reply-body', ['body of .*, as its domain signed it']],
  ['broken/reply-from-changed', ["signature of the recipient's mail domain in .*"]],
  ['broken/reply-partial', ['From, To, Subject and the whole body of .* are signed']],
  [
    'broken/reply-from-twice',
    [
      '.* goes from that domain to the address of this message',
      'From, To, Subject and the whole body of .* are signed',
      "signature of the recipient's mail domain in .*",
    ],
  ],
  ['good/reply-to-named', []],
  ['broken/reply-unaligned', ['.* goes from that domain to the address of this message']],
  ['broken/reply-of-another', ['.* goes from that domain to the address of this message']],
  ['broken/reply-to-name', ['.* goes from that domain to the address of this message']],
  ['broken/reply-to-two', ['.* goes from that domain to the address of this message']],
])('%s: the DKIM signature of a mail that acknowledged', (name, failures) => {
  const said = pasted(vector(name), {}, about('signed_by_domain'));
  expect(said.match(/FAILED/g) ?? []).toHaveLength(failures.length);
  for (const each of failures) expect(said).toMatch(new RegExp(`^${each}: FAILED$`, 'm'));
  if (failures.length === 0) expect(said).toMatch(/^signature of the recipient's mail domain in .*: OK$/m);
});

test('one in another form is unknown', () => {
  const said = pasted(vector('good/reply-simple-simple'), {}, about('signed_by_domain'));
  expect(said).toContain('UNKNOWN: the DKIM signature of receiver.example');
  expect(said).not.toContain('FAILED');
});

test.each([
  ['accepted-after', 'accepted'],
  ['occurred-after', 'outcome 1'],
])('what came to a log after its end: %s', (name, what) => {
  const said = pasted(vector(`broken/log-end-${name}`));
  expect(said).toContain(`${what}, not after: the log ended: FAILED\n`);
  expect(pasted(vector('good/outcomes-of-ended-log'))).not.toContain('FAILED');
});

import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../src/bytes.ts';
import { jcs } from '../src/jcs.ts';
import {
  draftMessageManifest,
  finishManifest,
  isMessageManifest,
  type MessageInput,
  parseMessageManifest,
} from '../src/manifest.ts';
import {
  assertOpens,
  discloseParts,
  erasedOpenings,
  formatOpenings,
  type Openings,
  openMessage,
  parseOpenings,
} from '../src/openings.ts';
import { expectRefusal, sampleMessage, sha256 } from './support.ts';

const input = sampleMessage();

function manifestOf(overrides: Partial<MessageInput> = {}, sequence = 17n) {
  const { manifestBytes, canonicalHash } = finishManifest(
    draftMessageManifest({ ...input, ...overrides }, sha256),
    sequence,
    sha256,
  );
  const manifest = parseMessageManifest(manifestBytes);
  return { manifestBytes, manifest, hash: toHex(canonicalHash), sha: toHex(sha256(manifestBytes)) };
}

const openingsOf = (overrides: Partial<MessageInput> = {}) =>
  openMessage(manifestOf(overrides).hash, { ...input, ...overrides }, input.secret, sha256);

test.each([
  ['no part', 'Content-Type: multipart/mixed; boundary=b\r\n\r\nnothing\r\n', 0],
  ['one part', 'Content-Type: text/plain\r\n\r\nHola\r\n', 1],
  [
    'several',
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\na\r\n--b\r\n\r\nb\r\n--b--\r\n',
    2,
  ],
])('a message of %s has a manifest that is canonical and opens', (_, text, parts) => {
  const raw = utf8(`Service-Evidence: v=1; id=0197b1a0-0000-7000-8000-000000000001; log=l/a\r\n${text}`);
  const { manifest, manifestBytes, hash } = manifestOf({ raw });
  expect(Buffer.from(manifestBytes).toString()).toBe(jcs(manifest));
  expect(manifest.mail.parts).toHaveLength(parts);
  assertOpens(openingsOf({ raw }), manifest, hash, sha256);
});

test('the two-step manifest is the canonical form of the whole object, and its hash that of the bytes', () => {
  fc.assert(
    fc.property(
      fc.record({
        mailFrom: fc.string({ unit: 'grapheme' }),
        rcptTo: fc.string({ unit: 'grapheme' }),
        messageId: fc.uuid(),
        tenantId: fc.uuid(),
        acceptedAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
        secret: fc.uint8Array({ minLength: 32, maxLength: 32 }),
        submission: fc.uint8Array(),
      }),
      fc.bigInt({ min: 0n, max: 2n ** 63n }),
      (overrides, sequence) => {
        const { manifestBytes, manifest, hash, sha } = manifestOf(overrides, sequence);
        expect(Buffer.from(manifestBytes).toString()).toBe(jcs(manifest));
        expect(manifest.tenant_sequence).toBe(String(sequence));
        expect(manifest.accepted_at).toBe(overrides.acceptedAt.toISOString());
        expect(hash).toBe(sha);
      },
    ),
  );
});

test('bytes are the manifest of an input only if they are exactly that', () => {
  const { manifestBytes } = manifestOf();
  const is = (bytes: Uint8Array, overrides: Partial<MessageInput> = {}, sequence = 17n) =>
    isMessageManifest(bytes, { ...input, ...overrides }, sequence, sha256);
  expect(is(manifestBytes)).toBe(true);
  for (let i = 0; i < manifestBytes.length; i++)
    expect(is(Uint8Array.from(manifestBytes, (byte, at) => (at === i ? byte ^ 1 : byte)))).toBe(false);
  for (const bytes of [
    manifestBytes.subarray(0, -1),
    manifestBytes.subarray(1),
    Uint8Array.of(...manifestBytes, 0x7d),
    new Uint8Array(0),
  ])
    expect(is(bytes)).toBe(false);
  const others: Partial<MessageInput>[] = [
    { mailFrom: 'another@example.test' },
    { rcptTo: 'another@example.test' },
    { messageId: '0197b1a0-0000-7000-8000-0000000000ff' },
    { tenantId: '0197b1a0-0000-7000-8000-0000000000ff' },
    { acceptedAt: new Date(input.acceptedAt.getTime() + 1) },
    { secret: input.secret.map((byte) => byte ^ 1) },
    { submission: utf8('another') },
    { raw: Uint8Array.of(...input.raw, 0x20) },
    { dkim: [] },
    { log: 'another.example/log' },
  ];
  for (const other of others) expect(is(manifestBytes, other)).toBe(false);
  for (const sequence of [16n, 18n, 170n, 1n]) expect(is(manifestBytes, {}, sequence)).toBe(false);
});

test('every layer is committed to, each apart from the others', () => {
  const base = manifestOf().manifest;
  const changed = (overrides: Partial<MessageInput>) => {
    const { mail, envelope, submission } = manifestOf(overrides).manifest;
    const names: string[] = [];
    for (const name of ['raw', 'header', 'body'] as const)
      if (mail[name] !== base.mail[name]) names.push(name);
    for (const [i, part] of mail.parts.entries()) if (part !== base.mail.parts[i]) names.push(`part ${i}`);
    if (envelope.mail_from !== base.envelope.mail_from) names.push('mail_from');
    if (envelope.rcpt_to !== base.envelope.rcpt_to) names.push('rcpt_to');
    if (submission !== base.submission) names.push('submission');
    return names;
  };
  const raw = Buffer.from(input.raw).toString('latin1');
  const edit = (from: string, to: string) => changed({ raw: utf8(raw.replace(from, to)) });
  expect(edit('Subject: Aviso', 'Subject: Otro')).toEqual(['raw', 'header']);
  expect(edit('Subject: Aviso', 'subject:  Aviso')).toEqual(['raw']);
  expect(edit('X-Trace: 1', 'X-Trace: 2')).toEqual(['raw']);
  expect(edit('Cordial', 'Amable')).toEqual(['raw', 'body', 'part 0']);
  expect(edit('AAEC', 'AAED')).toEqual(['raw', 'body', 'part 1']);
  expect(edit('contrato.pdf', 'contrat0.pdf')).toEqual(['raw', 'body', 'part 1']);
  expect(changed({ mailFrom: 'x@y.example' })).toEqual(['mail_from']);
  expect(changed({ rcptTo: 'x@y.example' })).toEqual(['rcpt_to']);
  expect(changed({ submission: utf8('{}') })).toEqual(['submission']);
});

test('without the secret nothing can be guessed: equal content, other secrets, no commitment alike', () => {
  const values = (secret: Uint8Array) => {
    const { mail, envelope, submission } = manifestOf({ secret }).manifest;
    return [
      mail.raw,
      mail.header,
      mail.body,
      ...mail.parts,
      envelope.mail_from,
      envelope.rcpt_to,
      submission,
    ];
  };
  const one = values(sha256(utf8('one')));
  const two = values(sha256(utf8('two')));
  expect(new Set([...one, ...two]).size).toBe(one.length + two.length);
  const hashes = [input.raw, input.submission, utf8(input.rcptTo)].map((content) => toHex(sha256(content)));
  for (const hash of hashes) expect(jcs(manifestOf().manifest)).not.toContain(hash);
});

describe('refused inputs', () => {
  test.each<[string, Partial<MessageInput>, string]>([
    ['log', { log: 'two words' }, 'manifest'],
    ['message id', { messageId: 'x' }, 'manifest'],
    ['tenant id', { tenantId: input.tenantId.toUpperCase() }, 'manifest'],
    ['first field', { raw: utf8('Subject: x\r\n\r\n') }, 'message'],
    ['empty message', { raw: new Uint8Array() }, 'message'],
    ['secret', { secret: new Uint8Array(31) }, 'openings'],
  ])('%s', (_, overrides, check) =>
    expectRefusal(() => draftMessageManifest({ ...input, ...overrides }, sha256), check),
  );

  test('sequence', () => {
    expectRefusal(() => finishManifest(draftMessageManifest(input, sha256), -1n, sha256), 'manifest');
  });
});

describe('parsing', () => {
  const { manifest } = manifestOf();
  const parse = (value: unknown) => parseMessageManifest(utf8(jcs(value)));
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['another type', { ...manifest, type: 'acuse/message/v2' }],
    ['a field more', { ...manifest, extra: 1 }],
    ['a field less', { ...manifest, log: undefined }],
    ['a number for a sequence', { ...manifest, tenant_sequence: 17 }],
    ['a leading zero', { ...manifest, tenant_sequence: '017' }],
    ['another time zone', { ...manifest, accepted_at: '2026-01-01T00:00:00.000+00:00' }],
    ['a 13th month', { ...manifest, accepted_at: '2026-13-01T00:00:00.000Z' }],
    ['upper-case hex', { ...manifest, submission: manifest.submission.toUpperCase() }],
    ['a short hash', { ...manifest, mail: { ...manifest.mail, raw: 'ab' } }],
    ['parts that are no list', { ...manifest, mail: { ...manifest.mail, parts: {} } }],
    [
      'too many parts',
      { ...manifest, mail: { ...manifest.mail, parts: Array(129).fill(manifest.mail.raw) } },
    ],
    ['another asserter', { ...manifest, envelope: { ...manifest.envelope, asserted_by: 'nobody' } }],
    ['an unknown algorithm', { ...manifest, dkim: [{ ...manifest.dkim[0], algorithm: 'rsa-sha1' }] }],
    ['a proto key', JSON.parse(jcs(manifest).replace('"log"', '"__proto__"'))],
  ])('%s is refused', (_, value) => {
    const clean = JSON.parse(JSON.stringify(value));
    expectRefusal(() => parse(clean), 'manifest');
  });

  test('no single changed byte parses to the same manifest', () => {
    const { manifestBytes, hash } = manifestOf();
    for (let i = 0; i < manifestBytes.length; i++) {
      const mutant = Uint8Array.from(manifestBytes);
      mutant[i]! ^= 1;
      expect(toHex(sha256(mutant))).not.toBe(hash);
    }
  });
});

describe('openings', () => {
  const { manifest, hash } = manifestOf();
  const check = (openings: Openings) =>
    assertOpens(parseOpenings(formatOpenings(openings)), manifest, hash, sha256);

  test('open every commitment, there and back', () => {
    const openings = openingsOf();
    expect(parseOpenings(formatOpenings(openings))).toEqual(openings);
    expect(openings.mail.parts.map(({ media_type, filename, size }) => [media_type, filename, size])).toEqual(
      [
        ['text/plain', null, 15],
        ['application/pdf', 'contrato.pdf', 3],
      ],
    );
    check(openings);
  });

  test('one part alone, and nothing of the rest', () => {
    const disclosed = discloseParts(openingsOf(), [1]);
    check(disclosed);
    const text = Buffer.from(formatOpenings(disclosed)).toString();
    expect(text).toContain('contrato.pdf');
    const { mail, envelope, submission } = openingsOf();
    const closed = [
      mail.raw,
      mail.header,
      mail.body,
      mail.parts[0],
      envelope.mail_from,
      envelope.rcpt_to,
      submission,
    ];
    for (const opening of closed) {
      expect(text).not.toContain(opening!.salt);
      expect(text).not.toContain(opening!.sha256);
    }
    expectRefusal(() => discloseParts(openingsOf(), [2]), 'openings');
    expectRefusal(() => discloseParts(disclosed, [0]), 'openings');
  });

  test('none at all, when they are erased', () => check(erasedOpenings(hash)));

  test('what is not said to be missing must be there, and what is said to be erased must not', () => {
    const openings = openingsOf();
    const { submission: _, ...rest } = openings;
    expectRefusal(() => check(rest), 'openings', /only 7 of 8/);
    check({ ...rest, content: 'disclosed' });
    expectRefusal(() => check({ ...openings, content: 'erased' }), 'openings', /erased/);
    expectRefusal(() => check({ ...openings, mail: { ...openings.mail, parts: [] } }), 'openings', /only/);
  });

  test('another salt, hash, address, part or order opens nothing', () => {
    const o = openingsOf();
    const other = toHex(sha256(utf8('other')));
    const refuse = (openings: Openings) => expectRefusal(() => check(openings), 'openings');
    refuse({ ...o, canonical_hash: other });
    refuse({ ...o, submission: { ...o.submission!, salt: other } });
    refuse({ ...o, submission: { ...o.submission!, sha256: other } });
    refuse({ ...o, mail: { ...o.mail, raw: o.mail.body! } });
    refuse({
      ...o,
      envelope: { ...o.envelope, rcpt_to: { ...o.envelope.rcpt_to!, value: 'other@b.example' } },
    });
    refuse({ ...o, envelope: { ...o.envelope, rcpt_to: o.envelope.mail_from! } });
    const [first, second] = o.mail.parts as [Openings['mail']['parts'][0], Openings['mail']['parts'][0]];
    const parts = (...list: Openings['mail']['parts']) => refuse({ ...o, mail: { ...o.mail, parts: list } });
    parts(second, first);
    parts(first, first);
    parts(first, { ...second, filename: null });
    parts(first, { ...second, media_type: 'text/plain' });
    parts(first, { ...second, size: 4 });
    parts(first, { ...second, index: 2 });
    parts(first, second, { ...second, index: 2 });
  });

  test('every changed byte of the document is refused', () => {
    const bytes = formatOpenings(openingsOf());
    for (let i = 0; i < bytes.length; i++) {
      const mutant = Uint8Array.from(bytes);
      mutant[i]! ^= 1;
      expectRefusal(() => assertOpens(parseOpenings(mutant), manifest, hash, sha256), 'openings');
    }
  });
});

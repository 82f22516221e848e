import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../src/bytes.ts';
import { buildDeliveryManifest, type DeliveryInput, parseDeliveryManifest } from '../src/delivery.ts';
import type { MailReportFacts } from '../src/delivery-facts.ts';
import { assertDeliveryOpens, parseDeliveryOpenings } from '../src/delivery-openings.ts';
import { jcs } from '../src/jcs.ts';
import { expectRefusal, sampleDelivery, sha256 } from './support.ts';

const input = sampleDelivery(sha256(utf8('message')));
const build = (overrides: Partial<DeliveryInput> = {}) =>
  buildDeliveryManifest({ ...input, ...overrides }, sha256);

test('the manifest says what happened and commits to how', () => {
  const { manifestBytes, canonicalHash, openings } = build();
  const manifest = parseDeliveryManifest(manifestBytes);
  expect(toHex(canonicalHash)).toBe(toHex(sha256(manifestBytes)));
  expect(manifest).toMatchObject({
    type: 'acuse/delivery/v1',
    kind: 'sent',
    attempt: 1,
    etsi: 'http://uri.etsi.org/19522/Event/RelayToNonERDS',
    previous: toHex(input.previous),
    occurred_at: '2026-03-04T05:06:08.000Z',
  });
  for (const secret of ['mx.receiver.example', 'Ok: queued', toHex(sha256(input.transcript!))])
    expect(Buffer.from(manifestBytes).toString()).not.toContain(secret);
  const opened = parseDeliveryOpenings(openings);
  assertDeliveryOpens(opened, manifest, toHex(canonicalHash), sha256);
  expect(opened.facts.value).toEqual(input.facts);
});

const REPORT: MailReportFacts = {
  claims: {
    feedback_type: null,
    final_recipient: 'ana@receiver.example',
    original_recipient: null,
    remote_mta: 'mx.of.the.forgers.choosing',
    reply: { code: 550, enhanced: '5.1.1', text: 'no such user' },
  },
  dkim: { domains: [], result: 'none' },
  mail_from: '',
  peer: { helo: 'stranger.example', ip: '203.0.113.9', tls: null },
  sha256: 'ab'.repeat(32),
  spf: { domain: 'stranger.example', result: 'fail' },
  vouched_by: null,
};
const BLANK = { ip: null, mx: null, reply: null, reported_by_mail: null, tls: null };
const BY_MAIL = { ...BLANK, reported_by_mail: REPORT };
const ACT = {
  code_sent_at: '2026-03-04T08:00:00.000Z',
  ip: '203.0.113.7',
  language: 'es' as const,
  name: 'Luis Pérez',
  reason: null,
  sentence: 'Recibí este mensaje.',
};

test.each(['bounced', 'complained'] as const)('%s, as a mail reported, is a thing received', (kind) => {
  const { manifestBytes, openings, canonicalHash } = build({
    kind,
    source: 'reported_by_mail',
    facts: BY_MAIL,
    transcript: null,
  });
  const manifest = parseDeliveryManifest(manifestBytes);
  expect(manifest).toMatchObject({
    source: 'reported_by_mail',
    transcript: null,
    etsi: 'http://uri.etsi.org/19522/Event/ReceivedFromNonERDS',
  });
  const opened = parseDeliveryOpenings(openings);
  assertDeliveryOpens(opened, manifest, toHex(canonicalHash), sha256);
  expect(opened.facts.value).toEqual(BY_MAIL);
});

test('a bounce of our own session and one that we decided have an event of their own', () => {
  for (const source of ['session', 'operator'] as const) {
    const { manifestBytes } = build({ kind: 'bounced', source, facts: BLANK, transcript: null });
    expect(parseDeliveryManifest(manifestBytes).etsi).toMatch(/RelayToNonERDSFailure$/);
  }
});

test('a cancelled message has failed nowhere: no event, no report, no server', () => {
  const cancelled: Partial<DeliveryInput> = {
    kind: 'cancelled',
    source: 'operator',
    facts: { ...BLANK, reply: { code: null, enhanced: null, text: 'cancelled by the sender' } },
    transcript: null,
    dsn: null,
  };
  const { manifestBytes } = build(cancelled);
  expect(parseDeliveryManifest(manifestBytes)).toMatchObject({ kind: 'cancelled', etsi: null, dsn: null });
  const failure = '"http://uri.etsi.org/19522/Event/RelayToNonERDSFailure"';
  const claimed = Buffer.from(manifestBytes).toString().replace('"etsi":null', `"etsi":${failure}`);
  expectRefusal(() => parseDeliveryManifest(utf8(claimed)), 'delivery');
  for (const wrong of [
    { dsn: utf8('Action: failed') },
    { source: 'session' },
    { source: 'reported_by_mail', facts: BY_MAIL },
  ] as Partial<DeliveryInput>[])
    expectRefusal(() => build({ ...cancelled, ...wrong }), 'delivery');
});

describe('an act of the recipient on the page', () => {
  const acted: Partial<DeliveryInput> = {
    kind: 'acknowledged',
    source: 'recipient_page',
    facts: { ...BLANK, acknowledgement: ACT },
    transcript: null,
    dsn: null,
  };
  test('and there it is taken', () => {
    expect(parseDeliveryManifest(build(acted).manifestBytes).kind).toBe('acknowledged');
  });
  test.each<[string, Partial<DeliveryInput>]>([
    ['stated by a mail', { source: 'reported_by_mail', facts: BY_MAIL, dsn: utf8('Recibido') }],
    ['stated by the operator', { source: 'operator', facts: BLANK }],
    ['answered in a session', { source: 'session', facts: input.facts }],
    ['with a mail', { dsn: utf8('Recibido') }],
    ['without the act', { facts: BLANK }],
    [
      'with the key of a mail',
      { facts: { ...BLANK, acknowledgement: { dkim: {} } } as unknown as DeliveryInput['facts'] },
    ],
    [
      'in what a mail reported',
      { kind: 'displayed', source: 'reported_by_mail', facts: { ...BY_MAIL, acknowledgement: ACT } },
    ],
  ])('never %s', (_, wrong) => expectRefusal(() => build({ ...acted, ...wrong }), 'delivery'));

  test('whatever the manifest says', () => {
    const text = Buffer.from(build(acted).manifestBytes).toString();
    const mailed = text
      .replace('"recipient_page"', '"reported_by_mail"')
      .replace('"etsi":null', '"etsi":"http://uri.etsi.org/19522/Event/ReceivedFromNonERDS"');
    const reported = text.replace('"dsn":null', `"dsn":"${'ab'.repeat(32)}"`);
    for (const changed of [mailed, reported]) {
      expect(changed).not.toBe(text);
      expectRefusal(() => parseDeliveryManifest(utf8(changed)), 'delivery');
    }
  });
});

describe('what a mail said never stands as what a server answered', () => {
  const conversation = input.transcript;
  test.each<[string, Partial<DeliveryInput>]>([
    ['sent, by mail', { kind: 'sent', source: 'reported_by_mail', facts: BY_MAIL, transcript: null }],
    ['sent, by the operator', { kind: 'sent', source: 'operator', facts: BLANK, transcript: null }],
    ['a complaint in a session', { kind: 'complained', source: 'session' }],
    ['a server beside the mail', { ...mailed(), facts: { ...BY_MAIL, mx: 'mx.receiver.example' } }],
    ['an address beside the mail', { ...mailed(), facts: { ...BY_MAIL, ip: '192.0.2.1' } }],
    ['a reply beside the mail', { ...mailed(), facts: { ...BY_MAIL, reply: REPORT.claims.reply } }],
    ['a conversation beside the mail', { ...mailed(), transcript: conversation }],
    ['no mail', { ...mailed(), facts: BLANK }],
    ['a mail in a session', { kind: 'bounced', source: 'session', facts: BY_MAIL }],
    ['a server that the operator names', { kind: 'bounced', source: 'operator', transcript: null }],
  ])('%s', (_, overrides) => expectRefusal(() => build(overrides), 'delivery'));

  function mailed(): Partial<DeliveryInput> {
    return { kind: 'bounced', source: 'reported_by_mail', facts: BY_MAIL, transcript: null };
  }
});

test('whatever was said, both documents are canonical and say it', () => {
  const texts = ['', '"', '\\', 'ñ €\u{1f4e8}', '\u0000\u001f\u007f', 'a\r\nb', '\u2028', '{"mx":"other"}'];
  for (const text of texts) {
    const facts = {
      ...BLANK,
      ip: text,
      mx: text,
      reply: { code: 250, enhanced: text, text },
      tls: { version: text, cipher: text, peer_certificate_sha256: null },
    };
    for (const [dsn, transcript] of [
      [null, null],
      [utf8(text), null],
      [null, utf8(text)],
    ] as const) {
      const { manifestBytes, openings, canonicalHash } = build({ facts, dsn, transcript, attempt: 7 });
      // Both refuse bytes that are not their own canonical form.
      const manifest = parseDeliveryManifest(manifestBytes);
      const opened = parseDeliveryOpenings(openings);
      assertDeliveryOpens(opened, manifest, toHex(canonicalHash), sha256);
      expect(opened.facts.value).toEqual(facts);
      expect(manifest.attempt).toBe(7);
    }
  }
});

test.each<[string, Partial<DeliveryInput>]>([
  ['an attempt that is not a number', { attempt: Number.NaN }],
  ['a negative attempt', { attempt: -1 }],
  ['a log with a space', { log: 'log one' }],
  ['a log of no name', { log: '' }],
  ['an id that is not a UUID', { messageId: '","kind":"bounced' }],
  ['a time past the year 9999', { occurredAt: new Date(Date.UTC(10_000, 0)) }],
  ['a hash of 31 bytes', { previous: new Uint8Array(31) }],
  ['a message hash of 33 bytes', { messageCanonicalHash: new Uint8Array(33) }],
  ['a fact too many', { facts: { ...input.facts, more: 1 } as DeliveryInput['facts'] }],
  ['a fact that is a number', { facts: { ...input.facts, mx: 1 } as unknown as DeliveryInput['facts'] }],
])('nothing is made of %s', (_, overrides) => expectRefusal(() => build(overrides), 'delivery'));

describe('refused', () => {
  const { manifestBytes, openings, canonicalHash } = build();
  const manifest = parseDeliveryManifest(manifestBytes);
  const value = JSON.parse(Buffer.from(manifestBytes).toString());
  test.each<[string, unknown]>([
    ["another kind's event", { ...value, kind: 'bounced' }],
    ['an unknown kind', { ...value, kind: 'read' }],
    ['a label changed', { ...value, trust: { operator_asserted: [], third_party_verifiable: ['kind'] } }],
    ['an unknown source', { ...value, source: 'hearsay' }],
    ['no source', { ...value, source: null }],
    ['a field more', { ...value, read: true }],
    ['a fraction', { ...value, attempt: 1.5 }],
    ['no facts', { ...value, facts: null }],
  ])('%s', (_, changed) => expectRefusal(() => parseDeliveryManifest(utf8(jcs(changed))), 'delivery'));

  test('every changed byte of the openings', () => {
    for (let i = 0; i < openings.length; i++) {
      const mutant = Uint8Array.from(openings);
      mutant[i]! ^= 1;
      const check = () =>
        assertDeliveryOpens(parseDeliveryOpenings(mutant), manifest, toHex(canonicalHash), sha256);
      expectRefusal(check, 'delivery');
    }
  });

  test('openings of another leaf, or with something left out', () => {
    const other = build({ attempt: 2 });
    const check = (bytes: Uint8Array) =>
      assertDeliveryOpens(parseDeliveryOpenings(bytes), manifest, toHex(canonicalHash), sha256);
    expectRefusal(() => check(other.openings), 'delivery', /another leaf/);
    const opened = JSON.parse(Buffer.from(openings).toString());
    expectRefusal(() => check(utf8(jcs({ ...opened, dsn: null }))), 'delivery', /dsn/);
  });
});

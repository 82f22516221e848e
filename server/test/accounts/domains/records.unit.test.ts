import { describe, expect, test } from 'vitest';
import { readOwnableDomain } from '../../../src/accounts/domains/name.ts';
import {
  type CheckedRecord,
  type DnsAnswer,
  judge,
  type WantedRecord,
  wantedRecords,
  withLastStatus,
} from '../../../src/accounts/domains/records.ts';
import {
  decideStanding,
  GRACE_MS,
  RECHECK_MS,
  RECHECK_SOON_MS,
  type Standing,
} from '../../../src/accounts/domains/status.ts';

describe('names', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com.', 'example.com'],
    [' mail.example.co.uk ', 'mail.example.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['sandbox.test', 'sandbox.test'],
  ])('%s is %s', (text, name) => {
    expect(readOwnableDomain(text)).toEqual({ ok: true, name });
  });

  test.each([
    'com',
    'co.uk',
    'com.mx',
    'github.io',
    'xn--55qx5d.cn',
    '公司.cn',
    'test',
    '',
    '.',
    'a..b.com',
    '-a.com',
    'a-.com',
    '192.0.2.1',
    '[192.0.2.1]',
    '2130706433',
    'http://example.com',
    'example.com/x',
    'user@example.com',
    'example.com:25',
    'exa mple.com',
    'example.com\n',
    'ex\u0000ample.com',
    'xn--example-.com',
    '_dmarc.example.com',
    '*.example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(100)}com`,
  ])('%j is refused', (text) => {
    const reading = readOwnableDomain(text);
    if (text === 'example.com\n') expect(reading).toEqual({ ok: true, name: 'example.com' });
    else expect(reading.ok).toBe(false);
  });
});

const domain = { name: 'example.com', challenge: 'c0ffee' };
const key = {
  dkimKeyId: 'k',
  selector: 'acuse-1-rsa',
  algorithm: 'rsa-sha256',
  publicKey: 'MIIB',
  status: 'active',
} as const;

describe('records', () => {
  test('are the challenge, one a key, the return path and DMARC', () => {
    const records = wantedRecords(
      domain,
      [key, { ...key, selector: 'acuse-1-ed', algorithm: 'ed25519-sha256' }],
      'bounces.acuse.test',
    );
    expect(records.map((each) => [each.purpose, each.type, each.name, each.value, each.required])).toEqual([
      ['ownership', 'TXT', '_acuse-challenge.example.com', 'acuse-verification=c0ffee', true],
      ['dkim', 'TXT', 'acuse-1-rsa._domainkey.example.com', 'v=DKIM1; k=rsa; p=MIIB', false],
      ['dkim', 'TXT', 'acuse-1-ed._domainkey.example.com', 'v=DKIM1; k=ed25519; p=MIIB', false],
      ['return_path', 'CNAME', 'bounce.example.com', 'bounces.acuse.test', false],
      ['dmarc', 'TXT', '_dmarc.example.com', 'v=DMARC1; p=none; rua=mailto:dmarc@bounce.example.com', false],
    ]);
    expect(wantedRecords(domain, [], null).map((each) => each.purpose)).toEqual(['ownership', 'dmarc']);
  });

  const [ownership, dkim, returnPath, dmarc] = wantedRecords(domain, [key], 'bounces.acuse.test') as [
    WantedRecord,
    WantedRecord,
    WantedRecord,
    WantedRecord,
  ];
  const found = (...values: string[]): DnsAnswer => ({ kind: 'found', values });
  test.each<[string, WantedRecord, DnsAnswer, string]>([
    ['the challenge', ownership, found('acuse-verification=c0ffee'), 'found'],
    ['the challenge among others', ownership, found('x', 'acuse-verification=c0ffee'), 'found'],
    ["another's challenge", ownership, found('acuse-verification=c0ffef'), 'mismatch'],
    ['a prefix of the challenge', ownership, found('acuse-verification=c0ffe'), 'mismatch'],
    ['no challenge', ownership, { kind: 'none' }, 'missing'],
    ['a failed look-up', ownership, { kind: 'failed', error: 'ETIMEOUT' }, 'error'],
    ['the key, written otherwise', dkim, found('p= MI IB ;k=rsa; t=y'), 'found'],
    ['the key without k', dkim, found('v=DKIM1; p=MIIB'), 'found'],
    ['another key', dkim, found('v=DKIM1; k=rsa; p=MIIC'), 'mismatch'],
    ['a revoked key', dkim, found('v=DKIM1; k=rsa; p='), 'mismatch'],
    ['another algorithm', dkim, found('v=DKIM1; k=ed25519; p=MIIB'), 'mismatch'],
    ['another version', dkim, found('v=DKIM2; p=MIIB'), 'mismatch'],
    ['the alias', returnPath, found('Bounces.ACUSE.test.'), 'found'],
    ['an MX to the same host', returnPath, found('20 other.test', '10 bounces.acuse.test'), 'found'],
    ['another alias', returnPath, found('bounces.evil.test'), 'mismatch'],
    ['any policy', dmarc, found('v=DMARC1; p=reject; rua=mailto:d@example.com'), 'found'],
    ['no policy', dmarc, found('v=spf1 -all'), 'mismatch'],
  ])('%s', (_, wanted, answer, status) => {
    expect(judge(wanted, answer).status).toBe(status);
  });

  test('a look-up of an older value says nothing about a newer one', () => {
    const last: CheckedRecord[] = [{ ...dkim, status: 'found', found: [dkim.value] }];
    expect(withLastStatus([dkim], last)[0]!.status).toBe('found');
    expect(withLastStatus([{ ...dkim, value: 'v=DKIM1; k=rsa; p=NEW' }], last)[0]).toMatchObject({
      status: 'unchecked',
      found: [],
    });
  });
});

describe('standing', () => {
  const at = new Date('2026-11-20T00:00:00Z');
  const later = (ms: number) => new Date(at.getTime() + ms);
  const before = new Date('2026-01-01T00:00:00Z');
  const records = (status: CheckedRecord['status']): CheckedRecord[] => [
    { purpose: 'ownership', type: 'TXT', name: 'n', value: 'v', required: true, status, found: [] },
    { purpose: 'dmarc', type: 'TXT', name: 'd', value: 'v', required: false, status: 'missing', found: [] },
  ];
  const pending: Standing = { status: 'pending', verifiedAt: null, graceUntil: null, checkDueAt: null };
  const verified: Standing = { status: 'verified', verifiedAt: before, graceUntil: null, checkDueAt: at };
  const graced: Standing = { ...verified, graceUntil: later(1_000) };
  const failing: Standing = { ...verified, status: 'failing' };
  const vouched: Standing = { ...verified, checkDueAt: null };

  test.each<[string, Standing, CheckedRecord['status'], Date, Standing]>([
    [
      'pending and found',
      pending,
      'found',
      at,
      { status: 'verified', verifiedAt: at, graceUntil: null, checkDueAt: later(RECHECK_MS) },
    ],
    ['pending and missing', pending, 'missing', at, pending],
    ['pending and failed', pending, 'error', at, pending],
    ['verified and found', verified, 'found', at, { ...verified, checkDueAt: later(RECHECK_MS) }],
    [
      'verified and missing: grace begins',
      verified,
      'missing',
      at,
      { ...verified, graceUntil: later(GRACE_MS), checkDueAt: later(RECHECK_SOON_MS) },
    ],
    [
      'verified and changed: grace begins',
      verified,
      'mismatch',
      at,
      { ...verified, graceUntil: later(GRACE_MS), checkDueAt: later(RECHECK_SOON_MS) },
    ],
    [
      'verified and the look-up failed',
      verified,
      'error',
      at,
      { ...verified, checkDueAt: later(RECHECK_SOON_MS) },
    ],
    ['in grace and still missing', graced, 'missing', at, { ...graced, checkDueAt: later(RECHECK_SOON_MS) }],
    [
      'past its grace and missing',
      graced,
      'missing',
      later(1_000),
      { ...verified, status: 'failing', checkDueAt: later(1_000 + RECHECK_MS) },
    ],
    [
      'past its grace and the look-up failed',
      graced,
      'error',
      later(1_000),
      { ...graced, checkDueAt: later(1_000 + RECHECK_SOON_MS) },
    ],
    ['in grace and found again', graced, 'found', at, { ...verified, checkDueAt: later(RECHECK_MS) }],
    ['failing and missing', failing, 'missing', at, { ...failing, checkDueAt: later(RECHECK_MS) }],
    [
      'failing and found again',
      failing,
      'found',
      at,
      { status: 'verified', verifiedAt: at, graceUntil: null, checkDueAt: later(RECHECK_MS) },
    ],
    ['vouched for and missing', vouched, 'missing', at, vouched],
    ['vouched for and found', vouched, 'found', at, vouched],
  ])('%s', (_, now, status, when, then) => {
    expect(decideStanding(now, records(status), when)).toEqual(then);
  });
});

import { expect, test } from 'vitest';
import { diagnose } from '../portal/src/pages/domain/diagnose.ts';
import { likelyZone, shownName, zoneFile } from '../portal/src/pages/domain/zone.ts';
import type { Domain, DomainRecord } from '../shared/api/portal-types.ts';

const OWNERSHIP: DomainRecord = {
  purpose: 'ownership',
  type: 'TXT',
  name: '_acuse-challenge.example.com',
  value: 'acuse-verification=b6c7de0835bf2a6d4a2f0f4f7a1f1f0b9f0f2a11',
  required: true,
  status: 'mismatch',
  found: [],
  key_status: null,
};
const KEY = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'.repeat(12)}`;
const DKIM: DomainRecord = {
  ...OWNERSHIP,
  purpose: 'dkim',
  name: 'k1._domainkey.example.com',
  value: KEY,
  required: false,
  key_status: 'active',
};
const RETURN_PATH: DomainRecord = {
  ...OWNERSHIP,
  purpose: 'return_path',
  type: 'CNAME',
  name: 'bounce.example.com',
  value: 'mx.acuse.example',
};

test.each<[string, DomainRecord, string]>([
  ['what is found needs nothing', { ...OWNERSHIP, status: 'found', found: [OWNERSHIP.value] }, 'none'],
  ['nothing there', { ...OWNERSHIP, status: 'missing' }, 'missing'],
  ['no answer', { ...OWNERSHIP, status: 'error', found: ['ESERVFAIL'] }, 'unanswered'],
  ['quotation marks', { ...OWNERSHIP, found: [`"${OWNERSHIP.value}"`] }, 'quoted'],
  ['curly quotation marks', { ...OWNERSHIP, found: [`“${OWNERSHIP.value}”`] }, 'quoted'],
  ['a space inside', { ...OWNERSHIP, found: [OWNERSHIP.value.replace('=', '= ')] }, 'spaces'],
  ['the first 255 characters', { ...DKIM, found: [KEY.slice(0, 255)] }, 'cut'],
  ['another key', { ...DKIM, found: ['v=DKIM1; k=rsa; p=AAAA'] }, 'other_key'],
  ['no key at all', { ...DKIM, found: ['hello'] }, 'differs'],
  ['the domain behind it', { ...RETURN_PATH, found: ['mx.acuse.example.example.com'] }, 'appended'],
  [
    'an MX with the domain behind it',
    { ...RETURN_PATH, found: ['10 MX.acuse.example.a.example.'] },
    'appended',
  ],
  ['another host', { ...RETURN_PATH, found: ['mail.example.net'] }, 'differs'],
  ['no DMARC record', { ...OWNERSHIP, purpose: 'dmarc', found: ['v=spf1 -all'] }, 'not_dmarc'],
  ['several, none of them right', { ...OWNERSHIP, found: ['x', 'y'] }, 'differs'],
])('a record is explained by what was found: %s', (_case, record, kind) => {
  expect(diagnose(record).kind).toBe(kind);
});

test('names are shown as providers ask for them', () => {
  expect(likelyZone('example.com')).toBe('example.com');
  expect(likelyZone('mail.example.com')).toBe('example.com');
  expect(likelyZone('boletines.grupoalameda.com.mx')).toBe('grupoalameda.com.mx');
  expect(shownName('bounce.mail.example.com', 'example.com')).toBe('bounce.mail');
  expect(shownName('bounce.mail.example.com', 'mail.example.com')).toBe('bounce');
  expect(shownName('bounce.mail.example.com', null)).toBe('bounce.mail.example.com');
});

test('a zone file has names in full, long values in strings of 255, and ends targets with a dot', () => {
  const file = zoneFile({
    name: 'example.com',
    records: [OWNERSHIP, DKIM, RETURN_PATH],
  } as unknown as Domain);
  const [, ownership, dkim, returnPath] = file.split('\n');
  expect(ownership).toBe(`_acuse-challenge.example.com. 3600 IN TXT "${OWNERSHIP.value}"`);
  const strings = dkim!.split(' TXT ').at(-1)!.slice(1, -1).split('" "');
  expect(strings.join('')).toBe(KEY);
  expect(Math.max(...strings.map(({ length }) => length))).toBe(255);
  expect(returnPath).toBe('bounce.example.com. 3600 IN CNAME mx.acuse.example.');
});

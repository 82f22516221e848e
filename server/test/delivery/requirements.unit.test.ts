import { expect, test } from 'vitest';
import { dkimRecordName, returnPathName } from '../../src/accounts/domains/records.ts';
import { judgeRequirements, type RequirementFacts } from '../../src/delivery/requirements/requirements.ts';

const name = 'shop.example';
const key = {
  dkimKeyId: 'k',
  selector: 's1',
  algorithm: 'rsa-sha256',
  publicKey: 'AAAA',
  status: 'active',
} as const;
const facts: RequirementFacts = {
  domain: { name, challenge: 'x', keys: [key], records: [] },
  complaints: { sent: 0, complained: 0 },
  sample: [],
  reporter: null,
  sources: null,
};

function judged(change: Partial<RequirementFacts>): Record<string, string> {
  const all = judgeRequirements({ ...facts, ...change }, 'mail.example');
  return Object.fromEntries(all.map(({ rule, verdict }) => [rule, verdict]));
}

test('what nothing is known of is neither met nor unmet', () => {
  expect(new Set(Object.values(judged({})))).toEqual(new Set(['unknown']));
});

test.each([
  [99, 50, 'unknown'],
  [1_000, 0, 'met'],
  [10_000, 9, 'met'],
  [1_000, 1, 'at_risk'],
  [10_000, 29, 'at_risk'],
  [1_000, 3, 'unmet'],
])('of %i messages %i complaints: %s', (sent, complained, verdict) => {
  expect(judged({ complaints: { sent, complained } })['complaint_rate']).toBe(verdict);
});

test.each([
  [99, 0, 'unknown'],
  [1_000, 980, 'met'],
  [1_000, 979, 'unmet'],
])('of %i reported messages %i aligned: %s', (total, passed, verdict) => {
  expect(judged({ reporter: { total, passed } })['alignment']).toBe(verdict);
});

test('records count as they were last found', () => {
  const wanted = [
    ['TXT', dkimRecordName('s1', name), 'v=DKIM1; k=rsa; p=AAAA', 'found'],
    ['CNAME', returnPathName(name), 'mail.example', 'mismatch'],
    ['TXT', `_dmarc.${name}`, `v=DMARC1; p=none; rua=mailto:dmarc@bounce.${name}`, 'missing'],
  ] as const;
  const records = wanted.map(([type, at, value, status]) => ({
    ...{ purpose: 'dkim', required: false, found: [], type, name: at, value, status },
  })) as RequirementFacts['domain']['records'];
  expect(judged({ domain: { ...facts.domain, records } })).toMatchObject({
    ...{ dkim: 'met', spf: 'unmet', dmarc: 'unmet' },
  });
});

test('every address needs its name', () => {
  const addresses = ['192.0.2.1', '192.0.2.2'];
  expect(judged({ sources: { addresses, reversed: addresses } })['reverse_dns']).toBe('met');
  expect(judged({ sources: { addresses, reversed: ['192.0.2.1'] } })['reverse_dns']).toBe('unmet');
  expect(judged({ sources: { addresses: [], reversed: [] } })['reverse_dns']).toBe('unknown');
});

const head = (text: string) => ({
  head: Buffer.from(`${text}\r\n\r\nList-Unsubscribe: <https:x>`),
  tls: null,
});
test.each([
  ['List-Unsubscribe: <https://x/>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click', 'met'],
  [
    'List-Unsubscribe: <mailto:u@x>,\r\n <https://x/>\r\nlist-unsubscribe-post: list-unsubscribe=one-click',
    'met',
  ],
  ['List-Unsubscribe: <mailto:u@x>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click', 'at_risk'],
  ['List-Unsubscribe: <https://x/>', 'at_risk'],
  ['List-Id: <news.shop.example>', 'at_risk'],
  ['Precedence: Bulk', 'at_risk'],
  ['precedence: list', 'at_risk'],
  ['Precedence: junk', 'not_needed'],
  ['Auto-Submitted: auto-generated', 'not_needed'],
  ['Subject: List-Unsubscribe-Post: List-Unsubscribe=One-Click', 'not_needed'],
])('one click: %s', (text, verdict) => {
  expect(judged({ sample: [head(text)] })['one_click_unsubscribe']).toBe(verdict);
});

test('one click counts among what is sent to many, whatever else the domain sends', () => {
  const invoice = head('Subject: Factura');
  const one = head('List-Unsubscribe: <https://x/>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click');
  const without = head('List-Unsubscribe: <mailto:u@x>');
  const seen = (...sample: RequirementFacts['sample']) =>
    judgeRequirements({ ...facts, sample }, null).find(({ rule }) => rule === 'one_click_unsubscribe');
  expect(seen(invoice, invoice)).toMatchObject({ verdict: 'not_needed', part: 0, total: 2 });
  expect(seen(invoice, invoice, one)).toMatchObject({ verdict: 'met', part: 1, total: 1 });
  expect(seen(invoice, one, without)).toMatchObject({ verdict: 'at_risk', part: 1, total: 2 });
  expect(seen({ head: null, tls: null })).toMatchObject({ verdict: 'unknown', part: 0, total: 0 });
});

import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../src/bytes.ts';
import { buildDeliveryManifest, type DeliveryInput, parseDeliveryManifest } from '../src/delivery.ts';
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

test.each(['bounced', 'complained'] as const)('%s has its own event', (kind) => {
  const facts = { ip: null, mx: null, reply: null, tls: null };
  const { manifestBytes, openings, canonicalHash } = build({ kind, facts, transcript: null });
  const manifest = parseDeliveryManifest(manifestBytes);
  expect(manifest.etsi).not.toContain('Handover');
  expect(manifest.transcript).toBeNull();
  assertDeliveryOpens(parseDeliveryOpenings(openings), manifest, toHex(canonicalHash), sha256);
});

describe('refused', () => {
  const { manifestBytes, openings, canonicalHash } = build();
  const manifest = parseDeliveryManifest(manifestBytes);
  const value = JSON.parse(Buffer.from(manifestBytes).toString());
  test.each<[string, unknown]>([
    ["another kind's event", { ...value, kind: 'bounced' }],
    ['an unknown kind', { ...value, kind: 'read' }],
    ['a label changed', { ...value, trust: { operator_asserted: [], third_party_verifiable: ['kind'] } }],
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

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { acuse } from './run.ts';

/** `--at`, over bundles whose authority's first certificate ends with 2026 and whose second one ends with 2035. */
const good = (name: string) =>
  resolve(import.meta.dirname, `../../../contract/vectors/bundles/good/${name}.zip`);
const verify = (name: string, ...more: string[]) => acuse(['verify', good(name), '--json', ...more]);
const failed = ({ checks }: { checks: { name: string; ok: boolean }[] }) =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name);

test('acuse verify --at asks that the newest time-stamp still be covered, renewals counted in', async () => {
  const soon = await verify('sealed', '--at', '2026-12-31T23:59:59Z');
  expect([soon.code, soon.json.facts.covered_until]).toEqual([0, '2027-01-01T00:00:00.000Z']);

  const late = await verify('sealed', '--at', '2027-01-01T00:00:01+00:00');
  expect(late.code).toBe(1);
  expect(failed(late.json)).toContain('timestamp.validity_at');

  const renewed = await verify('renewed-once', '--at', '2035-12-31T00:00:00Z');
  expect([renewed.code, renewed.json.facts.covered_until]).toEqual([0, '2036-01-01T00:00:00.000Z']);
  const over = await verify('renewed-once', '--at', '2036-02-01T00:00:00Z');
  expect(over.code).toBe(1);
  expect(failed(over.json)).toContain('renewal.01.validity_at');
});

test('and without it only tells until when it is', async () => {
  const { code, json } = await verify('sealed');
  expect([code, json.valid, json.facts.covered_until]).toEqual([0, true, '2027-01-01T00:00:00.000Z']);
});

test.each(['yesterday', '2027-01-01', '2027-13-01T00:00:00Z'])('%j is no time', async (text) => {
  const { code, err } = await acuse(['verify', good('sealed'), '--at', text]);
  expect(code).toBe(2);
  expect(err).toContain('--at takes "now" or a time such as');
});

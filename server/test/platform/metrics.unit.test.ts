import { expect, test } from 'vitest';
import { createMetrics } from '../../src/platform/metrics.ts';

const warnings: object[] = [];
const log = { error: () => {}, warn: (fields: object) => void warnings.push(fields) };

test('counters, histograms and looked-up gauges stand in one exposition', async () => {
  const metrics = createMetrics({ log, process: false });
  metrics.counter('acuse_sends_total', 'Sends', ['outcome']).inc({ outcome: 'created' }, 3);
  metrics.histogram('acuse_flush_seconds', 'Flush', [0.1, 1]).observe(0.5);
  metrics.gauge('acuse_oldest_seconds', 'Age', () => 7);
  metrics.gauges('acuse_queue', 'Queue', 'status', async () => ({ queued: 2, deferred: 1 }));
  const text = await metrics.text();
  expect(text).toContain('acuse_sends_total{outcome="created"} 3');
  expect(text).toContain('acuse_flush_seconds_bucket{le="1"} 1');
  expect(text).toContain('acuse_oldest_seconds 7');
  expect(text).toContain('acuse_queue{status="deferred"} 1');
});

test('a look-up that fails leaves its metric out and everything else in', async () => {
  const metrics = createMetrics({ log, process: false });
  let works = true;
  metrics.gauge('acuse_fragile', 'Fragile', async () => {
    if (!works) throw new Error('database gone');
    return 1;
  });
  metrics.gauge('acuse_steady', 'Steady', () => 2);
  expect(await metrics.text()).toContain('acuse_fragile 1');
  works = false;
  const text = await metrics.text();
  expect(text).not.toMatch(/^acuse_fragile /m);
  expect(text).toContain('acuse_steady 2');
  expect(warnings).toEqual([expect.objectContaining({ metric: 'acuse_fragile' })]);
});

test('a label that is gone is shown no more', async () => {
  const metrics = createMetrics({ log, process: false });
  let values: Record<string, number> = { a: 1, b: 2 };
  metrics.gauges('acuse_things', 'Things', 'kind', async () => values);
  expect(await metrics.text()).toContain('acuse_things{kind="b"} 2');
  values = { a: 1 };
  expect(await metrics.text()).not.toContain('kind="b"');
});

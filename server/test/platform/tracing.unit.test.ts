import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { tracingSettings } from '../../src/config/tracing-variables.ts';
import { newId } from '../../src/platform/ids.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { boundExport, SPANS_MAX } from '../../src/platform/tracing/bounded-export.ts';
import { openTracing } from '../../src/platform/tracing/open-tracing.ts';
import { rootOf } from '../../src/platform/tracing/tracing.ts';
import { readExposition } from '../support/exposition.ts';

/** Memory and time of traces, and their settings in the environment. */

afterEach(() => void vi.useRealTimers());

const silent = { warn: vi.fn(), info: vi.fn(), error: vi.fn() };
const span = {} as ReadableSpan;

test('keeps a bounded number of spans, counts the others, and gives up a collector that trickles', async () => {
  vi.useFakeTimers();
  const metrics = createMetrics({ log: silent, process: false });
  let cuts = 0;
  const answers: ((result: ExportResult) => void)[] = [];
  const bounded = boundExport(
    { export: (_spans, done) => void answers.push(done), shutdown: async () => {} },
    { log: silent, metrics, shownUrl: 'http://collector.test', cut: () => void cuts++ },
  );
  const counted = async () => {
    const seen = readExposition(await metrics.text());
    const value = (outcome: string) => seen.value('acuse_trace_spans_total', { outcome });
    return { exported: value('exported'), failed: value('failed'), dropped: value('dropped') };
  };
  for (let at = 0; at < SPANS_MAX; at++) expect(bounded.admit()).toBe(true);
  expect([bounded.admit(), bounded.admit()]).toEqual([false, false]);
  expect(await counted()).toEqual({ exported: 0, failed: 0, dropped: 2 });

  const results: ExportResultCode[] = [];
  bounded.export([span, span, span], ({ code }) => results.push(code));
  // On their way they take up as much as before.
  expect(bounded.admit()).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(results).toEqual([ExportResultCode.FAILED]);
  expect(cuts).toBe(1);
  // An answer that comes after all counts for nothing more.
  answers[0]!({ code: ExportResultCode.SUCCESS });
  expect(await counted()).toEqual({ exported: 0, failed: 3, dropped: 3 });
  expect([1, 2, 3, 4].map(() => bounded.admit())).toEqual([true, true, true, false]);

  bounded.export([span], () => {});
  answers[1]!({ code: ExportResultCode.SUCCESS });
  bounded.export([span], () => {});
  answers[2]!({ code: ExportResultCode.SUCCESS });
  expect(await counted()).toEqual({ exported: 2, failed: 3, dropped: 4 });
  expect(silent.warn).toHaveBeenCalledTimes(1);
  expect(silent.info).toHaveBeenCalledTimes(1);
});

test('asks for traces by the standard variables, and refuses what they do not know', () => {
  const settings = (env: Record<string, string>) => tracingSettings(loadConfig(env).config);
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com/base/' };
  expect(settings({})).toBeNull();
  expect(settings({ ...base, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(settings(base)).toEqual({
    url: 'https://otel.example.com/base/v1/traces',
    serviceName: 'acuse',
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/own' };
  expect(settings({ ...base, ...traces })).toMatchObject({ url: 'http://127.0.0.1:4318/own' });
  const sampled = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(settings({ ...base, ...sampled })).toMatchObject({ sampler: 'traceidratio', ratio: 0.25 });
  for (const bad of [{ OTEL_TRACES_SAMPLER: 'sometimes' }, { OTEL_TRACES_SAMPLER_ARG: '1.5' }])
    expect(() => settings({ ...base, ...bad })).toThrow(ConfigError);
});

test('samples by the id of a trace and by the word of a caller', async () => {
  const open = async (sampler: 'parentbased_always_off' | 'traceidratio', ratio = 1) =>
    (await openTracing(
      { url: 'http://127.0.0.1:9/v1/traces', serviceName: 'acuse', sampler, ratio },
      { log: silent, metrics: createMetrics({ log: silent, process: false }), version: '0' },
    ))!;
  const off = await open('parentbased_always_off');
  const caller = off.callersOf(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`)!;
  expect(caller).toEqual({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false });
  const inside = off.place(caller);
  expect(inside).toMatchObject({ traceId: caller.traceId, isSampled: false });
  expect(inside.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(inside.spanId).not.toBe(caller.spanId);
  expect(off.callersOf('00-zz-zz-01')).toBeNull();
  const id = newId();
  expect(rootOf(id)).toEqual({ traceId: id.replaceAll('-', ''), spanId: id.replaceAll('-', '').slice(16) });
  await off.close();
});

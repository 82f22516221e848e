import type { TracingSettings } from '../platform/tracing/tracing.ts';
import { boolean, oneOf, share, text, webUrl } from './config-values.ts';
import type { ValuesOf, Variables } from './variable.ts';

export const TRACING_VARIABLES = {
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'process',
    type: webUrl,
    doc: 'OpenTelemetry collector that gets traces by OTLP over HTTP, in JSON: its base URL, such as http://127.0.0.1:4318. Without it there are no traces.',
    optional: true,
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    group: 'process',
    type: webUrl,
    doc: 'The same for traces alone: the whole URL. Default: OTEL_EXPORTER_OTLP_ENDPOINT followed by /v1/traces.',
    default: (known) => (known.otlpEndpoint === null ? undefined : `${known.otlpEndpoint}/v1/traces`),
    optional: true,
  },
  otelDisabled: {
    name: 'OTEL_SDK_DISABLED',
    group: 'process',
    type: boolean,
    doc: 'true: no traces, whatever the other OTEL_… variables say.',
    default: 'false',
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    group: 'process',
    type: text,
    doc: 'Name of this service in traces.',
    default: 'acuse',
  },
  otelSampler: {
    name: 'OTEL_TRACES_SAMPLER',
    group: 'process',
    type: oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    doc: 'Which traces are recorded. parentbased_…: as the caller decided, if its request says so.',
    default: 'parentbased_always_on',
  },
  otelSamplerShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    group: 'process',
    type: share,
    doc: 'Share of the traces that a …traceidratio sampler records.',
    default: '1',
  },
} satisfies Variables;

export function tracingSettings(config: ValuesOf<typeof TRACING_VARIABLES>): TracingSettings | null {
  const { otlpTracesEndpoint: url, otelDisabled, otelServiceName, otelSampler, otelSamplerShare } = config;
  if (url === null || otelDisabled) return null;
  return { url, serviceName: otelServiceName, sampler: otelSampler, ratio: otelSamplerShare };
}

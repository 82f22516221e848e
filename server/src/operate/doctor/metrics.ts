import { createMetrics } from '../../platform/metrics.ts';
import type { Finding } from './finding.ts';

export async function metricsOf(findings: readonly Finding[], at: Date): Promise<string> {
  const metrics = createMetrics({ log: { warn() {}, error() {} }, process: false });
  metrics.series(
    'acuse_doctor_finding',
    'Findings of the last run of acuse doctor, by check and severity.',
    ['code', 'severity'],
    () => {
      const counts = new Map<string, number>();
      for (const { check, status } of findings)
        if (status !== 'ok') counts.set(`${check} ${status}`, (counts.get(`${check} ${status}`) ?? 0) + 1);
      return [...counts].map(([key, value]) => {
        const [code, severity] = key.split(' ') as [string, string];
        return { labels: { code, severity }, value };
      });
    },
  );
  metrics.gauge('acuse_doctor_run_timestamp_seconds', 'When acuse doctor ran last, as Unix time.', () =>
    Math.floor(at.getTime() / 1_000),
  );
  return metrics.text();
}

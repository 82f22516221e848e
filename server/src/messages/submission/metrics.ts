import type { Metrics } from '../../platform/metrics.ts';

interface SubmissionMetrics {
  onMessage(outcome: string): void;
  onLogin(admitted: boolean): void;
  watch(heldBytes: () => number): void;
}

export function createSubmissionMetrics(metrics: Metrics): SubmissionMetrics {
  const messages = metrics.counter(
    'acuse_submission_messages_total',
    'Messages that came by SMTP: accepted, replayed, or the error code of their refusal.',
    ['outcome'],
  );
  const logins = metrics.counter('acuse_submission_logins_total', 'SMTP logins: admitted or refused.', [
    'outcome',
  ]);
  return {
    onMessage: (outcome) => messages.inc({ outcome }),
    watch(heldBytes) {
      metrics.gauge(
        'acuse_submission_held_bytes',
        'Bytes of messages being received or judged by SMTP submission.',
        heldBytes,
      );
    },
    onLogin: (admitted) => logins.inc({ outcome: admitted ? 'admitted' : 'refused' }),
  };
}

import type { Metrics } from '../platform/metrics.ts';

/** What an operator sees of SMTP submission. */
export interface SubmissionMetrics {
  onMessage(outcome: string): void;
  onLogin(admitted: boolean): void;
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
    onLogin: (admitted) => logins.inc({ outcome: admitted ? 'admitted' : 'refused' }),
  };
}

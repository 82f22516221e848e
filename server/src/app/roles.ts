import type { Accept } from '../messages/accept.ts';
import { createSubmission, type SubmissionPorts } from '../messages/submission/listeners.ts';
import { createSubmissionMetrics } from '../messages/submission/metrics.ts';
import type { Services } from './services.ts';

export interface OpenSubmission extends SubmissionPorts {
  stop(graceMs: number): Promise<void>;
}

export async function openSubmission(services: Services, accept: Accept): Promise<OpenSubmission> {
  const { config, certificate, db, keyCheck, clock, log, metrics } = services;
  const counted = createSubmissionMetrics(metrics);
  const submission = createSubmission({
    accept,
    threads: services.threads,
    db,
    keyCheck,
    clock,
    log,
    hostname: config.hostname,
    host: config.submissionHost,
    port: config.submissionPort,
    tlsPort: config.submissionsPort,
    certificate: certificate.current,
    onMessage: counted.onMessage,
    onLogin: counted.onLogin,
  });
  counted.watch(submission.heldBytes);
  certificate.onChange(submission.renew);
  const ports = await submission.start();
  return { ...ports, stop: submission.stop };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@acuse/mail/smtp/client';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/logger.ts';
import type { IncomingMail } from '../platform/smtp/smtp-types.ts';
import type { Report } from './behaviour.ts';
import { bounceReport, complaintReport, receiptReport } from './foreign-reports.ts';

interface ReturnPathAddress {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const WRITERS = { complaint: complaintReport, bounce: bounceReport, receipt: receiptReport } as const;

/** A realistic delay (ms). */
export const REACT_AFTER_MS = 500;
/** Waits between tries (ms): 4xx until the message is recorded as sent. */
export const RETRY_MS: readonly number[] = [500, 1_000, 2_000, 5_000, 15_000, 60_000, 180_000];

export interface ReportBackDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly returnPath: ReturnPathAddress;
}

/** Reports by SMTP, as a recipient's server would; retries on 4xx and connection failures. */
export function createReportBack(
  deps: ReportBackDeps,
): (kind: Report, mail: IncomingMail, signal: AbortSignal) => Promise<void> {
  return async (kind, mail, signal) => {
    for (const forwardPath of mail.forwardPaths) {
      const reported = {
        reversePath: mail.reversePath,
        forwardPath,
        raw: mail.raw,
        at: deps.clock.now(),
        id: newId(),
      };
      const report = WRITERS[kind](reported);
      await sleep(REACT_AFTER_MS, undefined, { signal });
      await deliver(deps, { reversePath: '', forwardPath: mail.reversePath }, report, signal);
    }
  };
}

interface Path {
  readonly reversePath: string;
  readonly forwardPath: string;
}

export async function deliver(
  deps: ReportBackDeps,
  path: Path,
  report: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  let answer = '';
  for (const waitMs of [...RETRY_MS, null]) {
    const outcome = await tryOnce(deps, path, report, signal);
    if (outcome.kind === 'done') return;
    answer = outcome.answer;
    if (outcome.kind === 'refused' || waitMs === null) break;
    await sleep(waitMs, undefined, { signal });
  }
  deps.log.warn({ answer }, 'the return path refused mail from the sandbox mailbox');
}

type Outcome = { kind: 'done' } | { kind: 'refused' | 'later'; answer: string };

async function tryOnce(
  deps: ReportBackDeps,
  path: Path,
  report: Uint8Array,
  signal: AbortSignal,
): Promise<Outcome> {
  const opened = await connect({
    ...deps.returnPath,
    ehloName: `mx.${SANDBOX_DOMAIN}`,
    tls: { mode: 'opportunistic' },
    clock: { now: () => deps.clock.monotonicMs() },
    signal,
  });
  if (opened.kind !== 'ready') return verdict(opened);
  const sent = await opened.session.send({ ...path, data: [report] });
  await opened.session.quit();
  return sent.kind === 'accepted' ? { kind: 'done' } : verdict(sent);
}

function verdict(
  result:
    | { kind: 'refused'; reply: { code: number; text: string } }
    | { kind: 'connection-failed'; error: { message: string } }
    | { kind: 'unsupported'; detail: string },
): Outcome {
  if (result.kind === 'connection-failed') return { kind: 'later', answer: result.error.message };
  if (result.kind === 'unsupported') return { kind: 'refused', answer: result.detail };
  const { code, text } = result.reply;
  return { kind: code < 500 ? 'later' : 'refused', answer: `${code} ${text}` };
}

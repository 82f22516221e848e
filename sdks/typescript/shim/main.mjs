// Driven by the conformance suite: sdks/conformance/README.md. A request a line on
// stdin, an answer a line on stdout; requests run side by side.
import { createInterface } from 'node:readline';
import { AcuseError, CancelledError } from '@acuse/client';
import { clientFor } from './clients.mjs';
import { OPS } from './ops.mjs';

const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
for await (const line of lines) if (line.trim() !== '') void handle(JSON.parse(line));

async function handle({ id, op, args = {}, options = {} }) {
  const record = { attempts: [], sleeps: [] };
  const answer = await run(op, args, options, record).catch((error) => ({ error: describe(error) }));
  process.stdout.write(`${JSON.stringify({ id, ...answer, ...record })}\n`);
}

async function run(op, args, options, record) {
  const perform = OPS[op];
  if (perform === undefined) return { error: { class: 'ShimError', text: `no op ${op}` } };
  const call = {};
  let cancelledMs;
  if (args.cancel_after_ms !== undefined) {
    const control = new AbortController();
    call.signal = control.signal;
    setTimeout(() => {
      cancelledMs = performance.now();
      control.abort();
    }, args.cancel_after_ms);
  }
  try {
    const makeClient = () => clientFor(options, record);
    return { result: await perform(args, { makeClient, call, options, describe }) };
  } catch (error) {
    if (error instanceof CancelledError && cancelledMs !== undefined)
      return { error: { ...describe(error), elapsed_ms: performance.now() - cancelledMs } };
    throw error;
  }
}

/** The error in the suite's words. */
function describe(error) {
  if (!(error instanceof AcuseError)) return { class: 'ShimError', text: String(error?.stack ?? error) };
  const fields = {
    class: error instanceof CancelledError ? 'Cancelled' : error.name,
    text: String(error),
    status: error.status,
    code: error.code,
    message: error.message,
    fix: error.fix,
    request_id: error.requestId,
    retry_after: error.retryAfter,
    attempts: error.attempts,
    phase: error.phase,
    outcome_unknown: error.outcomeUnknown,
    idempotency_key: error.idempotencyKey,
    reason: error.reason,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

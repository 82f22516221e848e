import type { SmtpReply } from '../reply/parse.ts';
import { type Channel, SmtpFailure } from './channel.ts';
import { mailCommand, type OutgoingMessage, rcptCommand } from './commands.ts';
import type { Extensions } from './extensions.ts';
import { AHEAD_MAIL_MS, BLOCK_BYTES, ONE_WRITE_BYTES, type SmtpTimeouts } from './limits.ts';
import { dataForChunk, dataForDot, type MessageScan } from './message-data.ts';
import type { Transcript } from './transcript.ts';
import type { Accepted, MonotonicClock, Refused, SmtpStage } from './types.ts';
import { within } from './within.ts';

/** One mail transaction on an open session. */
export interface Transaction {
  readonly channel: Channel;
  readonly transcript: Transcript;
  readonly extensions: Extensions;
  readonly timeouts: SmtpTimeouts;
  readonly clock: MonotonicClock;
  readonly message: OutgoingMessage;
  readonly scan: MessageScan;
  /** Clear the leftovers of the transaction before with RSET. */
  readonly reset: boolean;
  /**
   * Called when the last bytes of the message are written: from here on a lost session may have been an
   * accepted message.
   */
  readonly onDataComplete: () => void;
  /** The envelope, where it left with the end of the message before. */
  readonly ahead: SentEnvelope | null;
  /**
   * Asked before the end of the message is written; what it returns writes, in the same segment, what follows
   * that. RFC 2920 §3.1
   */
  readonly findNext: () => (() => void) | null;
}

/** Commands on their way, and the replies to them. */
export interface SentEnvelope {
  readonly steps: readonly Step[];
  readonly replies: readonly Promise<SmtpReply>[];
}

/**
 * How it ended; `state` says what the server is left with: `clean`, a transaction to RSET (`open`), or data
 * cut short (`broken`).
 */
export interface TransactionEnd {
  readonly outcome: Accepted | Refused;
  readonly state: 'clean' | 'open' | 'broken';
}

interface Step {
  readonly stage: SmtpStage;
  readonly line: string;
  readonly timeoutMs: number;
}

/**
 * Carries out MAIL, RCPT and the data in two round trips where the server pipelines. Rejects with
 * SmtpFailure. No byte of the message leaves before the server has said that it will read message bytes: a
 * server that lost step would take the lines of a hostile body for commands.
 */
export async function runTransaction(t: Transaction): Promise<TransactionEnd> {
  const { ahead } = t;
  const stop = await within(t.channel, t.timeouts.envelopeMs, () =>
    ahead === null ? offerEnvelope(t) : answers(t, ahead),
  );
  if (stop !== null) return { outcome: stop, state: 'open' };
  return t.extensions.chunking ? sendChunk(t) : sendDotted(t);
}

async function offerEnvelope(t: Transaction): Promise<Refused | null> {
  await mayGoOn(t, 'mail');
  const steps = envelopeSteps(t, t.timeouts.mailMs);
  if (t.reset) steps.unshift({ stage: 'rset', line: 'RSET', timeoutMs: t.timeouts.rsetMs });
  return t.extensions.pipelining ? answers(t, sendSteps(t.channel, steps)) : oneByOne(t, steps);
}

/**
 * The envelope of a message, for a server that pipelines, all in one segment: DATA may be the last of a
 * group, and the message before the first. RFC 2920 §3.1
 */
export function sendEnvelopeAhead(envelope: Envelope): SentEnvelope {
  const mailMs = Math.min(envelope.timeouts.mailMs, AHEAD_MAIL_MS);
  return sendSteps(envelope.channel, envelopeSteps(envelope, mailMs));
}

type Envelope = Pick<Transaction, 'channel' | 'extensions' | 'timeouts' | 'message' | 'scan'>;

function sendSteps(channel: Channel, steps: readonly Step[]): SentEnvelope {
  channel.write(steps.map((step) => step.line));
  return { steps, replies: steps.map((step) => channel.expect(step.stage, step.timeoutMs)) };
}

function envelopeSteps({ message, extensions, scan, timeouts }: Envelope, mailMs: number): Step[] {
  const steps: Step[] = [
    { stage: 'mail', line: mailCommand(message, extensions, scan), timeoutMs: mailMs },
    { stage: 'rcpt', line: rcptCommand(message, extensions), timeoutMs: timeouts.rcptMs },
  ];
  if (!extensions.chunking) steps.push({ stage: 'data', line: 'DATA', timeoutMs: timeouts.dataMs });
  return steps;
}

async function oneByOne(t: Transaction, steps: readonly Step[]): Promise<Refused | null> {
  for (const step of steps) {
    t.channel.write([step.line]);
    const refused = judge(step.stage, await t.channel.expect(step.stage, step.timeoutMs));
    if (refused !== null) return refused;
  }
  return null;
}

/** Every reply is awaited, so that the session stays in step; the first refusal counts. RFC 2920 §3.1 */
async function answers(t: Transaction, { steps, replies }: SentEnvelope): Promise<Refused | null> {
  let refused: Refused | null = null;
  let dataGiven = false;
  for (const [i, promise] of replies.entries()) {
    const { stage } = steps[i]!;
    try {
      const reply = await promise;
      dataGiven = stage === 'data' && reply.code === 354;
      refused ??= judge(stage, reply);
    } catch (failure) {
      // A refusal followed by a hang-up (421, or a server that closes on errors) is a refusal.
      if (refused !== null) return refused;
      throw failure;
    }
  }
  if (refused !== null && dataGiven) await sendNothing(t);
  return refused;
}

/**
 * A server that takes DATA although it took no recipient gets an empty message, which goes to nobody. RFC
 * 2920 §3.1
 */
async function sendNothing(t: Transaction): Promise<void> {
  t.channel.write(['.']);
  await t.channel.expect('dot', t.timeouts.dotMs).catch(() => {});
}

async function sendDotted(t: Transaction): Promise<TransactionEnd> {
  const data = dataForDot(t.message.data, t.scan);
  t.transcript.client(`[message data: ${data.sizeBytes} octets]`);
  const end = await sendBody(t, data.bytes);
  return end;
}

/** The message as one BDAT chunk. RFC 3030 §2 */
async function sendChunk(t: Transaction): Promise<TransactionEnd> {
  const data = dataForChunk(t.message.data, t.scan);
  t.channel.write([`BDAT ${data.bytes.length} LAST`]);
  t.transcript.client(`[message data: ${data.sizeBytes} octets]`);
  return sendBody(t, data.bytes);
}

/**
 * Octets that are held back until the end may be sent: without them neither a dot nor a BDAT chunk is
 * complete.
 */
const END_BYTES = 3;
const MIB = 1_048_576;

async function sendBody(t: Transaction, bytes: Uint8Array): Promise<TransactionEnd> {
  const { channel, timeouts } = t;
  const final = channel.expectAfterData('dot', timeouts.dotMs);
  // A message that fits into one flight leaves with its end; for a larger one the end waits until the peer
  // has taken the rest.
  const ahead = bytes.length <= ONE_WRITE_BYTES ? 0 : bytes.length - END_BYTES;
  const beganMs = t.clock.now();
  for (let at = 0; at < ahead; at += BLOCK_BYTES) {
    const to = Math.min(at + BLOCK_BYTES, ahead);
    const leftMs = beganMs + timeouts.blockMs + (to / MIB) * timeouts.mibMs - t.clock.now();
    await channel.writeBlock(
      bytes.subarray(at, to),
      'body',
      Math.max(1, Math.min(timeouts.blockMs, Math.round(leftMs))),
    );
    const early = final.early();
    if (early !== null) return { outcome: { kind: 'refused', stage: 'body', reply: early }, state: 'broken' };
  }
  await mayGoOn(t, 'dot');
  // It may have been waited for: what is not sent cannot have been taken.
  if (channel.failure !== null) throw new SmtpFailure('body', channel.failure);
  // Whatever may go wrong here, the message is not complete yet.
  const speakAhead = t.findNext();
  t.onDataComplete();
  await writeEnd(t, bytes.subarray(ahead), speakAhead);
  if (!t.extensions.chunking) t.transcript.client('.');
  final.sent();
  const reply = await final.reply;
  const refused = judge('dot', reply);
  return { outcome: refused ?? { kind: 'accepted', reply }, state: 'clean' };
}

function writeEnd(t: Transaction, bytes: Uint8Array, speakAhead: (() => void) | null): Promise<void> {
  const write = () => t.channel.writeBlock(bytes, 'body', t.timeouts.blockMs);
  if (speakAhead === null) return write();
  return t.channel.together(() => {
    const taken = write();
    speakAhead();
    return taken;
  });
}

/**
 * Throws when the caller holds the message back. Not awaited where it says so at once, which is nearly
 * always.
 */
async function mayGoOn({ message }: Transaction, step: 'mail' | 'dot'): Promise<void> {
  const answer = message.mayGoOn?.(step) ?? true;
  if (answer === true || (await answer)) return;
  throw new SmtpFailure(step === 'mail' ? 'mail' : 'body', {
    code: 'aborted',
    message: 'held back by the sender before the message was complete',
  });
}

/** Null is yes. A reply that is neither yes nor no, and a server that cannot RSET, end the session. */
function judge(stage: SmtpStage, reply: SmtpReply): Refused | null {
  const positive = stage === 'data' ? reply.code === 354 : reply.code >= 200 && reply.code < 300;
  if (positive) return null;
  if (reply.code >= 400 && stage !== 'rset') return { kind: 'refused', stage, reply };
  throw new SmtpFailure(stage, { code: 'bad_reply', message: `${reply.code} does not answer ${stage}` });
}

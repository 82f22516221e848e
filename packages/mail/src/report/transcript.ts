/** The transcript of an SMTP conversation that a report shows: which command drew which refusal. */
import type { RefusedStep } from '../reply/evidence.ts';
import { addressesIn } from './addresses.ts';
import { MAX_RECIPIENTS } from './limits.ts';

export interface Refusal {
  readonly step: RefusedStep;
  readonly code: number;
  readonly status: string | null;
  readonly text: string;
}

/** A transcript's lines for one recipient. */
export interface Transcribed extends Refusal {
  readonly address: string;
}

interface Reply {
  readonly code: number;
  readonly status: string | null;
  text: string;
}

/** A command with the refusals up to the next one, and the recipients that the text then names for them. */
interface Exchange {
  readonly step: RefusedStep;
  readonly recipient: string | null;
  readonly refusals: Reply[];
  readonly concluded: { readonly address: string; readonly reply: Reply }[];
}

const TALKING = /^[ \t.]*while talking to /i;
const SENT =
  /^[ \t|*]*(?:>>>|-->|C:|sent:|sent <<<|sent >>>)[ \t]*(mail from|rcpt to|data|bdat|ehlo|helo|starttls|quit|rset|\.)(?![a-z])(.*)$/i;
const RECEIVED =
  /^[ \t|*]*(?:<<<|<--|S:|replied:|received >>>|received <<<)[ \t]*([245]\d\d)(?:([ -])(.*))?$/i;
/** Sendmail's own conclusion, under which it may repeat an answer: `554 <a@b>... 550 Host unknown`. */
const CONCLUDED = /^[ \t]*([45]\d\d)[ -](?:([45]\.\d{1,3}\.\d{1,3}) )?<?([^\s<>]{3,320}?)>?\.\.\./;
const CODE = /^([45]\d\d)(?=[ -])/;
const STATUS = /^#?([45]\.\d{1,3}\.\d{1,3})(?=\s|$)/;

const STEPS: Readonly<Record<string, RefusedStep>> = {
  'mail from': 'mail',
  'rcpt to': 'rcpt',
  data: 'data',
  bdat: 'data',
  '.': 'data',
  // Replies to these commands are about no message.
  quit: 'unknown',
  rset: 'unknown',
};

export interface Transcript {
  /** Recipients that it names, in its order; keys are addresses in lower case. */
  readonly recipients: ReadonlyMap<string, Transcribed>;
  /** The one refusal without a name: for all recipients that the transcript does not name. */
  readonly others: Refusal | null;
}

/** A transcript's lines for each recipient. */
export function readTranscript(text: string): Transcript {
  const recipients = new Map<string, Transcribed>();
  const unnamed: Refusal[] = [];
  for (const exchange of exchangesOf(text)) {
    const named = refusedIn(exchange);
    for (const one of named) {
      const key = one.address.toLowerCase();
      if (!recipients.has(key) && recipients.size < MAX_RECIPIENTS) recipients.set(key, one);
    }
    const [first] = exchange.refusals;
    if (named.length === 0 && first !== undefined) unnamed.push({ ...first, step: exchange.step });
  }
  return { recipients, others: unnamed.length === 1 ? unnamed[0]! : null };
}

function exchangesOf(text: string): Exchange[] {
  const begun = (step: RefusedStep, recipient: string | null): Exchange => ({
    step,
    recipient,
    refusals: [],
    concluded: [],
  });
  let exchange = begun('unknown', null);
  const all = [exchange];
  let continued = false;
  for (const line of text.split('\n')) {
    const sent = SENT.exec(line);
    if (sent !== null || TALKING.test(line)) {
      const step = sent === null ? 'unknown' : (STEPS[sent[1]!.toLowerCase()] ?? 'opening');
      exchange = begun(step, step === 'rcpt' ? (addressesIn(sent?.[2] ?? '')[0]?.address ?? null) : null);
      all.push(exchange);
      continue;
    }
    const received = RECEIVED.exec(line);
    if (received !== null) {
      const before = exchange.refusals.at(-1);
      if (continued && before?.code === Number(received[1]))
        before.text += ` ${withoutStatus(received[3] ?? '')}`;
      else if (received[1]! >= '400') exchange.refusals.push(replyOf(received[1]!, received[3] ?? ''));
      continued = received[2] === '-';
      continue;
    }
    const concluded = CONCLUDED.exec(line);
    if (concluded?.[3]?.includes('@') !== true) continue;
    const [, code, , address] = concluded;
    const rest = line.slice(concluded[0].length).trim();
    const inner = CODE.exec(rest)?.[1];
    const own = inner === undefined ? replyOf(code!, rest) : replyOf(inner, rest.slice(inner.length + 1));
    const { recipient } = exchange;
    const answered = recipient === null || recipient.toLowerCase() === address!.toLowerCase();
    exchange.concluded.push({
      address: address!,
      reply: (answered ? exchange.refusals.at(-1) : undefined) ?? own,
    });
  }
  return all;
}

function withoutStatus(line: string): string {
  return line.trim().replace(STATUS, '').trim();
}

function replyOf(code: string, text: string): Reply {
  return {
    code: Number(code),
    status: STATUS.exec(text.trim())?.[1] ?? null,
    text: `${code} ${text.trim()}`,
  };
}

function refusedIn({ step, recipient, refusals, concluded }: Exchange): Transcribed[] {
  const says = (address: string, at: RefusedStep, { code, status, text }: Reply) => ({
    address,
    step: at,
    code,
    status,
    text,
  });
  const [first] = refusals;
  const commanded = recipient === null || first === undefined ? [] : [says(recipient, step, first)];
  return [
    ...commanded,
    ...concluded.map(({ address, reply }) =>
      says(address, refusals.includes(reply) ? step : 'unknown', reply),
    ),
  ];
}

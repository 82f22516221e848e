import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { parseTimeStampRequest } from '@acuse/tsa/request';
import type { Behaviour } from './support.ts';

/**
 * Known behaviour of authorities, and of whatever answers in their place; with what an operator is told
 * of it.
 */
export interface AuthorityFault {
  readonly name: string;
  readonly behaviour?: Behaviour;
  /** Its clock is off by this much. */
  readonly skewMs?: number;
  /** It never ends its answer: how long it is waited for is what the test takes. */
  readonly hangs?: true;
  readonly reason: RegExp;
}

const HOUR_MS = 3_600_000;

/**
 * Patience with an authority (ms): short with one that hangs, longer than any stall of the machine with every
 * other.
 */
export const patienceMs = ({ hangs }: AuthorityFault) => (hangs === true ? 300 : 30_000);

const answering =
  (body: string | Uint8Array, mediaType = 'application/timestamp-reply'): Behaviour =>
  (answer) =>
    answer.setHeader('content-type', mediaType).end(body);

export const AUTHORITY_FAULTS: readonly AuthorityFault[] = [
  {
    name: 'HTML',
    behaviour: answering('<html><title>Log in</title>', 'text/html'),
    reason: /answered text\/html instead of a time-stamp: .*<html><title>Log in/,
  },
  { name: 'HTML called a reply', behaviour: answering('<html>'), reason: /instead of a time-stamp/ },
  {
    name: 'HTTP 500',
    behaviour: (answer) => answer.writeHead(500, { 'content-type': 'text/plain' }).end('out of\r\n\0order'),
    reason: /HTTP 500 \(text\/plain\): .*out of order/,
  },
  { name: 'HTTP 200 and nothing', behaviour: answering(''), reason: /instead of a time-stamp/ },
  {
    name: 'nothing, for ever',
    behaviour: () => {},
    hangs: true,
    reason: /no answer from http:\/\/127.0.0.1:\d+\/tsa: .*timeout/i,
  },
  {
    name: 'the beginning of an answer',
    behaviour: (answer) => void answer.writeHead(200).write('0'),
    hangs: true,
    reason: /no answer from .*timeout/i,
  },
  {
    name: 'by closing the connection',
    behaviour: (answer) => answer.socket!.destroy(),
    reason: /no answer/,
  },
  {
    name: 'without end',
    behaviour: (answer) => void answer.write(Buffer.alloc(2 * 1024 * 1024, 0x30)),
    reason: /over 1048576 bytes/,
  },
  {
    name: 'garbage DER',
    behaviour: answering(Buffer.from('3003020100', 'hex')),
    reason: /refused its answer/,
  },
  {
    name: 'a rejection',
    behaviour: (answer, respondTo) => answer.end(respondTo(Buffer.from('30', 'hex'))),
    reason: /status: rejection/,
  },
  {
    name: 'a token for another imprint',
    behaviour: (answer, respondTo) =>
      answer.end(respondTo(buildTimeStampRequest({ imprint: new Uint8Array(32), hashAlgorithm: 'sha256' }))),
    reason: /imprint/,
  },
  {
    name: 'what it answered to another request for the same',
    behaviour: (answer, respondTo, request) => {
      const asked = parseTimeStampRequest(request);
      const imprint = asked.kind === 'request' ? asked.imprint : new Uint8Array(32);
      const nonce = new Uint8Array(16).fill(1);
      answer.end(respondTo(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256', nonce })));
    },
    reason: /nonce/,
  },
  {
    name: 'trailing bytes',
    behaviour: (answer, respondTo, request) =>
      answer.end(Buffer.concat([respondTo(request), Buffer.from('x')])),
    reason: /trailing/,
  },
  {
    name: 'a redirect',
    behaviour: (answer) => answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    reason: /HTTP 302/,
  },
  { name: 'with a clock an hour fast', skewMs: HOUR_MS + 60_000, reason: /clock: it says/ },
  { name: 'with a clock an hour slow', skewMs: -HOUR_MS - 60_000, reason: /clock: it says|validity/ },
];

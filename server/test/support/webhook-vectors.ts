import { createHash } from 'node:crypto';
import { exampleOf, type Schema } from '../../src/surfaces/reference/example.ts';
import type { OpenApiDocument } from '../../src/surfaces/reference/openapi.ts';
import { webhookHeaders } from '../../src/webhooks/sign.ts';

/**
 * contract/vectors/webhooks.json: deliveries as the server signs them, and what receivers must refuse.
 * contract/vectors/README.md says the steps.
 */

type Headers = Record<string, string>;

interface Delivery {
  readonly body: string;
  readonly headers: Headers;
}

interface Case extends Delivery {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly tolerance: number;
  /** Seconds since 1970, by the receiver's clock. */
  readonly now: number;
  readonly accept_unstamped: boolean;
  /** The event, or why it is refused. */
  readonly out: object;
}

const TOLERANCE_S = 300;
const AT = new Date('2026-11-22T10:00:00.900Z');
const NOW = Math.floor(AT.getTime() / 1_000);
const WEBHOOK_ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a12';
const EVENT_ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a13';

const secretOf = (name: string) => `whsec_${createHash('sha256').update(name).digest('base64')}`;
const SECRET = secretOf('webhook vectors: now');
const PREVIOUS = secretOf('webhook vectors: before');
const OTHER = secretOf('webhook vectors: of another endpoint');

export function webhookVectors(document: OpenApiDocument): object {
  const types = Object.keys(document['webhooks'] as object);
  const bodies = new Map(types.map((type) => [type, bodyOf(document, type)]));
  const one = delivery(bodies.get('email.bounced')!);
  return {
    secret: SECRET,
    tolerance: TOLERANCE_S,
    cases: [
      ...[...bodies.values()].map((body) => good(`${JSON.parse(body).type}`, delivery(body))),
      ...goodCases(one),
      ...changedCases(one),
      ...headerCases(one),
      ...timeCases(one),
      ...unstampedCases(one),
      ...bodyCases(),
      ...secretCases(one),
    ],
  };
}

/** As the server would send it. */
function delivery(body: string, secret = SECRET, previousSecret: string | null = null): Delivery {
  const { type = 'email.bounced' } = isObject(body) ? JSON.parse(body) : {};
  const signing = { webhookId: WEBHOOK_ID, eventId: EVENT_ID, type, secret, previousSecret, at: AT };
  return { body, headers: webhookHeaders({ ...signing, body: Buffer.from(body) }) };
}

const isObject = (text: string) => /^\{.*\}$/s.test(text);

function bodyOf(document: OpenApiDocument, type: string): string {
  const schemas = (document['components'] as unknown as { schemas: Record<string, Schema> }).schemas;
  const name = type.replace(/(?:^|\.)([a-z])/g, (_, first: string) => first.toUpperCase());
  const resolve = (ref: string) => schemas[ref.slice('#/components/schemas/'.length)]!;
  const event = exampleOf(schemas[name]!, resolve) as { data: object };
  return JSON.stringify({ ...event, type, data: { ...event.data, event_id: EVENT_ID } });
}

/** `change`: what differs from a receiver with the one secret and the clock of the server. */
function caseOf(name: string, sent: Delivery, out: object, change: Partial<Case> = {}): Case {
  const receiver = { secrets: [SECRET], tolerance: TOLERANCE_S, now: NOW, accept_unstamped: false };
  return { name, ...receiver, ...sent, ...change, out };
}

function good(name: string, sent: Delivery, change: Partial<Case> = {}, isStamped = true): Case {
  const { type, created_at, data } = JSON.parse(sent.body);
  const event = { type, created_at, data, event_id: EVENT_ID, replay_protected: isStamped };
  return caseOf(name, sent, { event }, change);
}

const bad = (name: string, sent: Delivery, reason: string, change: Partial<Case> = {}): Case =>
  caseOf(name, sent, { reason }, change);

/** A header set, or taken away with null. */
function withHeaders(sent: Delivery, change: Record<string, string | null>): Delivery {
  const merged = { ...sent.headers, ...change };
  return {
    ...sent,
    headers: Object.fromEntries(
      Object.entries(merged).filter((each): each is [string, string] => each[1] !== null),
    ),
  };
}

const renamed = (sent: Delivery, rename: (name: string) => string): Delivery => ({
  ...sent,
  headers: Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [rename(name), value])),
});

function goodCases(one: Delivery): Case[] {
  const rotating = delivery(one.body, SECRET, PREVIOUS);
  const signature = one.headers['webhook-signature']!;
  const signed = (value: string) => withHeaders(one, { 'webhook-signature': value });
  return [
    good(
      'header names in capitals',
      renamed(one, (name) => name.toUpperCase()),
    ),
    good(
      'header names in lower case',
      renamed(one, (name) => name.toLowerCase()),
    ),
    good('during a rotation, with the new secret', rotating),
    good('during a rotation, with the old secret', rotating, { secrets: [PREVIOUS] }),
    good('several secrets, the last one fits', one, { secrets: [OTHER, PREVIOUS, SECRET] }),
    good('a signature of another version stands before it', signed(`v2,AAAA ${signature}`)),
    good('wrong signatures before it', signed(`${'v1,AAAA '.repeat(9)}${signature}`)),
    good('more than one space between signatures', signed(`v1,AAAA   ${signature}`)),
    good(
      'an unknown type',
      delivery(`{"type":"email.opened","created_at":"2026-11-22T10:00:00.000Z","data":{"a":[1]}}`),
    ),
    good('fields that nobody knows yet', delivery(one.body.replace(/\}$/, ',"later":{"a":null}}'))),
  ];
}

function changedCases(one: Delivery): Case[] {
  const changed = (body: string): Delivery => ({ ...one, body });
  return [
    bad('a byte of the body changed', changed(one.body.replace('"', "'")), 'no_match'),
    bad('a space at the end of the body', changed(`${one.body} `), 'no_match'),
    bad(
      'the same JSON with other spaces',
      changed(JSON.stringify(JSON.parse(one.body), null, 1)),
      'no_match',
    ),
    bad('an empty body', changed(''), 'no_match'),
    bad('another id', withHeaders(one, { 'webhook-id': WEBHOOK_ID }), 'no_match'),
    bad('another time', withHeaders(one, { 'webhook-timestamp': String(NOW + 1) }), 'no_match'),
    bad('another secret', one, 'no_match', { secrets: [OTHER] }),
    bad('signed with the characters of the secret', keyedAsText(one), 'no_match'),
  ];
}

/** `webhook-signature` with the hash of Service-Signature: keyed and made up otherwise. */
function keyedAsText(one: Delivery): Delivery {
  const hex = one.headers['Service-Signature']!.slice('sha256='.length);
  return withHeaders(one, { 'webhook-signature': `v1,${Buffer.from(hex, 'hex').toString('base64')}` });
}

function headerCases(one: Delivery): Case[] {
  const signature = one.headers['webhook-signature']!;
  const signed = (value: string) => withHeaders(one, { 'webhook-signature': value });
  return [
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => [
      bad(`without ${name}`, withHeaders(one, { [name]: null }), 'missing_header'),
      bad(`an empty ${name}`, withHeaders(one, { [name]: '' }), 'missing_header'),
      bad(`without ${name}, unstamped accepted`, withHeaders(one, { [name]: null }), 'missing_header', {
        accept_unstamped: true,
      }),
    ]),
    bad('no header of ours', { ...one, headers: { 'Content-Type': 'application/json' } }, 'missing_header'),
    bad('the eleventh signature fits', signed(`${'v1,AAAA '.repeat(10)}${signature}`), 'no_match'),
    bad('only another version', signed(signature.replace('v1,', 'v2,')), 'no_match'),
    bad('no version', signed(signature.replace('v1,', '')), 'no_match'),
    bad('V1', signed(signature.replace('v1,', 'V1,')), 'no_match'),
    bad('a signature without its end', signed(signature.slice(0, -4)), 'no_match'),
    bad(
      'a signature in hex',
      signed(`v1,${Buffer.from(signature.slice(3), 'base64').toString('hex')}`),
      'no_match',
    ),
    bad('commas between signatures', signed(`v1,AAAA,${signature}`), 'no_match'),
  ];
}

function timeCases(one: Delivery): Case[] {
  const stamped = (value: string) => withHeaders(one, { 'webhook-timestamp': value });
  return [
    good('300 s old', one, { now: NOW + 300 }),
    good('300 s ahead', one, { now: NOW - 300 }),
    bad('301 s old', one, 'too_old', { now: NOW + 301 }),
    bad('301 s ahead', one, 'too_new', { now: NOW - 301 }),
    good('10 s old with a tolerance of 10', one, { now: NOW + 10, tolerance: 10 }),
    bad('11 s old with a tolerance of 10', one, 'too_old', { now: NOW + 11, tolerance: 10 }),
    bad('old and wrong', { ...one, body: '{}' }, 'too_old', { now: NOW + 301 }),
    ...[
      'soon',
      '-1',
      '+1',
      '1.5',
      '0x10',
      ' ',
      '1e9',
      `${NOW}.0`,
      '2026-11-22T10:00:00Z',
      '9'.repeat(13),
    ].map((value) => bad(`a time of ${JSON.stringify(value)}`, stamped(value), 'malformed_header')),
  ];
}

function unstampedCases(one: Delivery): Case[] {
  const stripped = { 'webhook-id': null, 'webhook-timestamp': null, 'webhook-signature': null };
  const alone = withHeaders(one, stripped);
  const rotating = withHeaders(delivery(one.body, SECRET, PREVIOUS), stripped);
  const accepting = { accept_unstamped: true };
  const signed = (value: string) => withHeaders(alone, { 'Service-Signature': value });
  const signature = alone.headers['Service-Signature']!;
  return [
    bad('Service-Signature alone', alone, 'unstamped'),
    good('Service-Signature alone, accepted', alone, accepting, false),
    good('Service-Signature alone, accepted however late', alone, { ...accepting, now: NOW + 86_400 }, false),
    good('Service-Signature-Previous fits', rotating, { ...accepting, secrets: [PREVIOUS] }, false),
    good(
      'Service-Signature in capitals',
      renamed(alone, (name) => name.toUpperCase()),
      accepting,
      false,
    ),
    bad('Service-Signature alone, another secret', alone, 'no_match', { ...accepting, secrets: [OTHER] }),
    bad('Service-Signature alone, another body', { ...alone, body: `${one.body} ` }, 'no_match', accepting),
    bad('no sha256=', signed(signature.slice(7)), 'no_match', accepting),
    bad('SHA256=', signed(signature.replace('sha256', 'SHA256')), 'no_match', accepting),
    bad('hex in capitals', signed(`sha256=${signature.slice(7).toUpperCase()}`), 'no_match', accepting),
    bad('an empty Service-Signature', signed(''), 'missing_header', accepting),
    bad(
      'nothing to check, unstamped accepted',
      withHeaders(alone, { 'Service-Signature': null }),
      'missing_header',
      accepting,
    ),
    bad(
      'a wrong webhook-signature beside a right Service-Signature',
      withHeaders(one, { 'webhook-signature': 'v1,AAAA' }),
      'no_match',
      accepting,
    ),
  ];
}

/** Signed truly, and no event. */
function bodyCases(): Case[] {
  const at = '"created_at":"2026-11-22T10:00:00.000Z"';
  return [
    ['no JSON', 'no JSON'],
    ['an empty body', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['no type', `{${at},"data":{}}`],
    ['a type that is a number', `{"type":1,${at},"data":{}}`],
    ['no time', '{"type":"email.sent","data":{}}'],
    ['no data', `{"type":"email.sent",${at}}`],
    ['data that is a list', `{"type":"email.sent",${at},"data":[]}`],
  ].map(([name, body]) => bad(`signed truly: ${name}`, delivery(body!), 'malformed_body'));
}

function secretCases(one: Delivery): Case[] {
  return [
    bad('no secret', one, 'bad_secret', { secrets: [] }),
    ...['', 'whsec_', SECRET.slice(6), 'whsec_!!!!', `acuse_${SECRET.slice(6)}`].map((secret) =>
      bad(`the secret ${JSON.stringify(secret.slice(0, 10))}`, one, 'bad_secret', { secrets: [secret] }),
    ),
    bad('one secret of two is none', one, 'bad_secret', { secrets: [SECRET, 'secret'] }),
  ];
}

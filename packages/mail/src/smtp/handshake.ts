import type { SmtpReply } from '../reply/parse.ts';
import type { Channel } from './channel.ts';
import { SmtpFailure } from './channel.ts';
import { type Extensions, NO_EXTENSIONS, parseExtensions } from './extensions.ts';
import type { SmtpTimeouts } from './limits.ts';
import { startTls, type TlsOptions } from './tls.ts';
import type { SmtpStage, TlsFacts } from './types.ts';

/**
 * Credentials for a relay of one's own; never sent in the clear unless `allowClearText`, meant for loopback.
 */
export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
  readonly allowClearText?: boolean;
}

export interface HandshakeOptions {
  readonly host: string;
  readonly ehloName: string;
  readonly tls: TlsOptions;
  readonly auth?: SmtpCredentials;
  readonly timeouts: SmtpTimeouts;
}

/** The facts learnt so far, also for an opening that fails. */
export interface OpeningFacts {
  banner: string | null;
  tls: TlsFacts | null;
}

/** The result of opening a session; a refusal ends it. */
export type Opening =
  | { readonly kind: 'open'; readonly extensions: Extensions }
  | { readonly kind: 'refused'; readonly stage: SmtpStage; readonly reply: SmtpReply };

/**
 * Banner, EHLO (HELO where a server knows no other), STARTTLS and EHLO again, AUTH. Fills `facts`; rejects
 * with SmtpFailure.
 */
export async function openSession(
  channel: Channel,
  options: HandshakeOptions,
  facts: OpeningFacts,
): Promise<Opening> {
  if (options.tls.mode === 'implicit') facts.tls = await secure(channel, options);
  const greeting = await channel.expect('banner', options.timeouts.bannerMs);
  facts.banner = greeting.text;
  if (greeting.code !== 220) return { kind: 'refused', stage: 'banner', reply: greeting };
  let hello = await sayHello(channel, options);
  if (hello.kind === 'refused') return hello;
  if (facts.tls === null && options.tls.mode !== 'off') {
    const upgraded = await upgrade(channel, options, hello.extensions);
    if (upgraded?.kind === 'refused') return upgraded;
    if (upgraded !== null) {
      facts.tls = upgraded.tls;
      // Forgets what was offered in the clear. RFC 3207 §4.2
      hello = await sayHello(channel, options);
      if (hello.kind === 'refused') return hello;
    }
  }
  if (options.auth !== undefined) {
    const refused = await authenticate(channel, options, hello.extensions, facts.tls !== null);
    if (refused !== null) return { kind: 'refused', stage: 'auth', reply: refused };
  }
  return { kind: 'open', extensions: hello.extensions };
}

type Hello =
  | { readonly kind: 'hello'; readonly extensions: Extensions }
  | { readonly kind: 'refused'; readonly stage: 'ehlo'; readonly reply: SmtpReply };

async function sayHello(channel: Channel, options: HandshakeOptions): Promise<Hello> {
  const { ehloMs } = options.timeouts;
  channel.write([`EHLO ${options.ehloName}`]);
  const ehlo = await channel.expect('ehlo', ehloMs);
  if (ehlo.code === 250) return { kind: 'hello', extensions: parseExtensions(ehlo.text) };
  // RFC 5321 §3.2: a server that does not know EHLO is greeted with HELO.
  if (ehlo.code !== 500 && ehlo.code !== 502) return { kind: 'refused', stage: 'ehlo', reply: ehlo };
  channel.write([`HELO ${options.ehloName}`]);
  const helo = await channel.expect('ehlo', ehloMs);
  if (helo.code === 250) return { kind: 'hello', extensions: NO_EXTENSIONS };
  return { kind: 'refused', stage: 'ehlo', reply: helo };
}

async function secure(channel: Channel, options: HandshakeOptions): Promise<TlsFacts> {
  const { socket, facts } = await startTls(
    channel.detach('tls'),
    options.host,
    options.tls,
    options.timeouts.tlsMs,
  );
  channel.attach(socket);
  return facts;
}

type Upgrade =
  | { readonly kind: 'secured'; readonly tls: TlsFacts }
  | { readonly kind: 'refused'; readonly stage: 'starttls'; readonly reply: SmtpReply };

/** Null: not secured, and not required to be. */
async function upgrade(
  channel: Channel,
  options: HandshakeOptions,
  offered: Extensions,
): Promise<Upgrade | null> {
  const required = options.tls.mode === 'required';
  if (!offered.startTls) {
    if (!required) return null;
    throw new SmtpFailure('starttls', { code: 'tls_not_offered', message: 'STARTTLS is not offered' });
  }
  channel.refuseUnasked('starttls');
  channel.write(['STARTTLS']);
  const reply = await channel.expect('starttls', options.timeouts.ehloMs);
  if (reply.code !== 220) return required ? { kind: 'refused', stage: 'starttls', reply } : null;
  return { kind: 'secured', tls: await secure(channel, options) };
}

/** AUTH PLAIN in one step, else LOGIN; the refusing reply, or null. RFC 4954 §4 */
async function authenticate(
  channel: Channel,
  options: HandshakeOptions,
  offered: Extensions,
  secured: boolean,
): Promise<SmtpReply | null> {
  const auth = options.auth!;
  if (!secured && auth.allowClearText !== true) {
    throw new SmtpFailure('auth', { code: 'tls_not_offered', message: 'no credentials in the clear' });
  }
  const { authMs } = options.timeouts;
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  if (offered.auth.includes('PLAIN')) {
    channel.write([`AUTH PLAIN ${base64(`\0${auth.user}\0${auth.pass}`)}`], ['AUTH PLAIN [cut]']);
    const reply = await channel.expect('auth', authMs);
    return reply.code === 235 ? null : reply;
  }
  if (!offered.auth.includes('LOGIN')) {
    throw new SmtpFailure('auth', {
      code: 'auth_not_offered',
      message: 'neither AUTH PLAIN nor LOGIN is offered',
    });
  }
  channel.write(['AUTH LOGIN']);
  let reply = await channel.expect('auth', authMs);
  for (const secret of [auth.user, auth.pass]) {
    if (reply.code !== 334) return reply;
    channel.write([base64(secret)], ['[cut]']);
    reply = await channel.expect('auth', authMs);
  }
  return reply.code === 235 ? null : reply;
}

import { createHash } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import {
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import { INJECTION, SmtpFailure } from './channel.ts';
import type { TlsFacts } from './types.ts';

/** Certificates read in a peer's chain, the leaf first; longer chains are cut, loops end. */
const MAX_CHAIN = 10;

/** A peer's certificates in DER, leaf first, and whether WebPKI with the host name accepts them. */
export interface TlsPeer {
  readonly chain: readonly Uint8Array[];
  readonly authorized: boolean;
  readonly error: string | null;
}

/**
 * How far TLS goes: `off` never asks; `opportunistic` takes it where offered; `required` refuses without;
 * `implicit` is RFC 8314 §3.
 */
export interface TlsOptions {
  readonly mode: 'off' | 'opportunistic' | 'required' | 'implicit';
  /** The name for SNI and for the certificate; default is the host. */
  readonly servername?: string;
  /**
   * Says why this peer is not trusted, or null; without it any certificate will do, as RFC 7435 §3 has it.
   */
  readonly verify?: (peer: TlsPeer) => string | null;
  /** A context with roots or client certificates of one's own, made once and shared. */
  readonly secureContext?: SecureContext;
}

/** Accepts only what WebPKI accepts for the server name: MTA-STS enforce, and smarthosts. RFC 8461 §4.2 */
export function requireWebPki(peer: TlsPeer): string | null {
  return peer.authorized ? null : (peer.error ?? 'the certificate is not trusted');
}

/** OpenSSL's errors for bytes that are not TLS records. */
const NOT_TLS = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_BAD_RECORD_TYPE',
  'ERR_SSL_RECORD_LAYER_FAILURE',
  'ERR_SSL_UNEXPECTED_MESSAGE',
  'ERR_SSL_HTTP_REQUEST',
]);
/** Fewer octets than the head of a record: OpenSSL has no verdict on them. RFC 8446 §5.1 */
const RECORD_HEAD_BYTES = 5;

/**
 * True if a peer that had agreed to STARTTLS first sent clear text: somebody in between may have inserted it,
 * to have us continue in the clear. RFC 3207 §6
 */
function spokeInTheClear(receivedBytes: number, cause: string): boolean {
  return NOT_TLS.has(cause) || (receivedBytes > 0 && receivedBytes < RECORD_HEAD_BYTES);
}

/**
 * Shakes hands over an open socket. Rejects with SmtpFailure tls_failed, tls_untrusted, timeout or, after
 * STARTTLS, starttls_injection for octets that are not TLS.
 */
export function startTls(
  socket: Socket,
  host: string,
  options: TlsOptions,
  timeoutMs: number,
): Promise<{ socket: TLSSocket; facts: TlsFacts }> {
  const servername = options.servername ?? host;
  return new Promise((resolve, reject) => {
    const name = isIP(servername) === 0 ? { servername } : {};
    const context = options.secureContext === undefined ? {} : { secureContext: options.secureContext };
    socket.on('error', ignore);
    const readBefore = socket.bytesRead;
    const secure = tlsConnect({ socket, ...name, ...context, rejectUnauthorized: false });
    const settle = () => {
      clearTimeout(timer);
      secure.off('error', onError);
      secure.off('close', onClose);
    };
    const fail = (code: string, message: string, facts: TlsFacts | null = null) => {
      settle();
      secure.on('error', ignore);
      secure.destroy();
      socket.destroy();
      reject(new SmtpFailure('tls', { code, message }, facts));
    };
    const broken = (code: string, message: string, cause = '') => {
      const injected = options.mode !== 'implicit' && spokeInTheClear(socket.bytesRead - readBefore, cause);
      if (injected) fail(INJECTION.code, INJECTION.message);
      else fail(code, message);
    };
    const onError = (error: NodeJS.ErrnoException) => broken('tls_failed', describe(error), error.code);
    const onClose = () => broken('tls_failed', 'the peer closed during the TLS handshake');
    const timer = setTimeout(() => broken('timeout', `no TLS within ${timeoutMs} ms`), timeoutMs);
    secure.once('error', onError);
    secure.once('close', onClose);
    secure.once('secureConnect', () => {
      const { facts, peer } = inspect(secure);
      const refusal = options.verify?.(peer) ?? null;
      if (refusal !== null) {
        fail('tls_untrusted', refusal, facts);
        return;
      }
      settle();
      resolve({ socket: secure, facts });
    });
  });
}

function ignore(): void {}

function describe(error: NodeJS.ErrnoException): string {
  return [error.code, error.message].filter(Boolean).join(' ').slice(0, 300);
}

function inspect(socket: TLSSocket): { facts: TlsFacts; peer: TlsPeer } {
  const chain = chainOf(socket.getPeerCertificate(true));
  const leaf = chain[0];
  const error = socket.authorized ? null : authorizationError(socket);
  const facts: TlsFacts = {
    version: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher()?.standardName ?? socket.getCipher()?.name ?? 'unknown',
    peerCertificateSha256: leaf === undefined ? null : createHash('sha256').update(leaf).digest('hex'),
    authorized: socket.authorized,
    error,
  };
  return { facts, peer: { chain, authorized: socket.authorized, error } };
}

function authorizationError(socket: TLSSocket): string {
  // The declared type is Error; OpenSSL's verdict comes as a string.
  const reason: unknown = socket.authorizationError;
  return reason instanceof Error ? reason.message : String(reason ?? 'unknown');
}

function chainOf(leaf: PeerCertificate | DetailedPeerCertificate): Uint8Array[] {
  const chain: Uint8Array[] = [];
  const seen = new Set<string>();
  let current: PeerCertificate | DetailedPeerCertificate | undefined = leaf;
  while (current?.raw !== undefined && chain.length < MAX_CHAIN && !seen.has(current.fingerprint256)) {
    seen.add(current.fingerprint256);
    chain.push(new Uint8Array(current.raw));
    current = 'issuerCertificate' in current ? current.issuerCertificate : undefined;
  }
  return chain;
}

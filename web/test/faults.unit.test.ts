import { describe, expect, test } from 'vitest';
import { faultOf, faultWords } from '../shared/mail/fault-words.ts';

/** What Node 20 to 26, its parser of HTTP, undici and OpenSSL call a connection that fails. */
const CODES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL'],
  ...['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  ...['UND_ERR_SOCKET', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_ABORTED', 'UND_ERR_DESTROYED'],
  ...['HPE_INVALID_CONSTANT', 'HPE_INVALID_HEADER_TOKEN', 'HPE_HEADER_OVERFLOW', 'HPE_INVALID_VERSION'],
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'],
  ...['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
  ...['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_TLS_CERT_ALTNAME_FORMAT', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_UNTRUSTED', 'CERT_REJECTED'],
  ...['CERT_CHAIN_TOO_LONG', 'PATH_LENGTH_EXCEEDED', 'INVALID_CA', 'INVALID_PURPOSE', 'UNSPECIFIED'],
  ...['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'CERT_SIGNATURE_FAILURE'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'HOSTNAME_MISMATCH'],
];

describe('a failed connection in words', () => {
  test.each(CODES)('%s', (code) => {
    const fault = faultOf(code);
    expect(fault).toBeDefined();
    expect(faultWords.es.faults[fault!]).not.toBe(faultWords.en.faults[fault!]);
  });

  test.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another name'],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'The server did not answer in time'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'The server does not speak TLS on this port'],
    ['HPE_HEADER_OVERFLOW', 'The answer of the server is too long'],
    ['ENETUNREACH', 'There is no route to the server'],
  ])('%s is the more exact of two that fit: %s', (code, words) => {
    expect(faultWords.en.faults[faultOf(code)!]).toBe(words);
  });

  test('of what is no code nothing is known', () => {
    for (const each of ['SMTP', 'TLSV1', 'ERRORS', 'toString', '']) expect(faultOf(each)).toBeUndefined();
  });
});

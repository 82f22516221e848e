import type { Translated, Words } from '../words/words.ts';

/** Failed connections in words, by the code of Node, OpenSSL and our SMTP client. */
const english = {
  faults: {
    ECONNREFUSED: 'The server refuses connections on this port',
    ECONNRESET: 'The server broke the connection',
    ETIMEDOUT: 'The server does not answer',
    EHOSTUNREACH: 'There is no route to the server',
    EADDRNOTAVAIL: 'The local address cannot be used',
    ENOTFOUND: 'The name is not in the DNS',
    EAI_AGAIN: 'The DNS does not answer',
    ESERVFAIL: 'The DNS of the domain has a fault',
    EPROTO: 'TLS cannot be agreed on',
    ERR_SSL_WRONG_VERSION_NUMBER: 'The server does not speak TLS on this port',
    ERR_SSL_CERTIFICATE_REQUIRED: 'The server asks for a client certificate',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The server does not send the certificate of its issuer',
    UNABLE_TO_GET_ISSUER_CERT: 'An issuer of the certificate is not known',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The issuer of the certificate is not known',
    SELF_SIGNED_CERT_IN_CHAIN: 'The certificate ends at an authority that is not known',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'The server’s certificate is self-signed',
    CERT_HAS_EXPIRED: 'The certificate has expired',
    CERT_NOT_YET_VALID: 'The certificate is not valid yet',
    CERT_REVOKED: 'The certificate was revoked',
    CERT_UNTRUSTED: 'The certificate is not trusted',
    CERT_CHAIN_TOO_LONG: 'The chain of certificates is too long',
    CERT_SIGNATURE_FAILURE: 'The signature of the certificate is wrong',
    INVALID_CA: 'The issuer of the certificate may not issue any',
    INVALID_PURPOSE: 'The certificate is not for servers',
    HOSTNAME_MISMATCH: 'The certificate is for another name',
    HPE_INVALID: 'The answer is not HTTP',
    aborted: 'It was stopped from here',
    auth_not_offered: 'The server offers no sign-in',
    bad_reply: 'The server gave a reply that SMTP does not allow',
    connection_closed: 'The server closed the connection',
    reply_too_long: 'The answer of the server is too long',
    starttls_injection: 'The server sent something between STARTTLS and TLS',
    timeout: 'The server did not answer in time',
    tls_not_offered: 'The server offers no TLS, and without it nothing is sent',
    unsolicited_reply: 'The server answered before it was asked',
  },
  stages: {
    connect: 'connecting',
    tls: 'TLS',
    banner: 'the greeting',
    body: 'the message itself',
    dot: 'the end of the message',
  },
};

const spanish: Translated<typeof english> = {
  faults: {
    ECONNREFUSED: 'El servidor rechaza conexiones en este puerto',
    ECONNRESET: 'El servidor cortó la conexión',
    ETIMEDOUT: 'El servidor no responde',
    EHOSTUNREACH: 'No hay ruta al servidor',
    EADDRNOTAVAIL: 'La dirección local no se puede usar',
    ENOTFOUND: 'El nombre no está en el DNS',
    EAI_AGAIN: 'El DNS no responde',
    ESERVFAIL: 'El DNS del dominio tiene una falla',
    EPROTO: 'No hay acuerdo sobre TLS',
    ERR_SSL_WRONG_VERSION_NUMBER: 'El servidor no habla TLS en este puerto',
    ERR_SSL_CERTIFICATE_REQUIRED: 'El servidor pide un certificado de cliente',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'El servidor no envía el certificado de su emisor',
    UNABLE_TO_GET_ISSUER_CERT: 'No se conoce un emisor del certificado',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'No se conoce al emisor del certificado',
    SELF_SIGNED_CERT_IN_CHAIN: 'El certificado termina en una autoridad que no se conoce',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'El servidor emitió su propio certificado',
    CERT_HAS_EXPIRED: 'El certificado venció',
    CERT_NOT_YET_VALID: 'El certificado aún no es válido',
    CERT_REVOKED: 'El certificado fue revocado',
    CERT_UNTRUSTED: 'El certificado no es de confianza',
    CERT_CHAIN_TOO_LONG: 'La cadena de certificados es demasiado larga',
    CERT_SIGNATURE_FAILURE: 'La firma del certificado es incorrecta',
    INVALID_CA: 'El emisor del certificado no puede emitir certificados',
    INVALID_PURPOSE: 'El certificado no es para servidores',
    HOSTNAME_MISMATCH: 'El certificado es de otro nombre',
    HPE_INVALID: 'La respuesta no es HTTP',
    aborted: 'Se detuvo desde aquí',
    auth_not_offered: 'El servidor no ofrece autenticación',
    bad_reply: 'El servidor dio una respuesta que SMTP no permite',
    connection_closed: 'El servidor cerró la conexión',
    reply_too_long: 'La respuesta del servidor es demasiado larga',
    starttls_injection: 'El servidor envió algo entre STARTTLS y TLS',
    timeout: 'El servidor no respondió a tiempo',
    tls_not_offered: 'El servidor no ofrece TLS, y sin TLS no se envía nada',
    unsolicited_reply: 'El servidor respondió antes de que se le preguntara',
  },
  stages: {
    connect: 'la conexión',
    tls: 'TLS',
    banner: 'el saludo',
    body: 'el mensaje mismo',
    dot: 'el final del mensaje',
  },
};

type Faults = (typeof english)['faults'];

/** Codes that mean what another one says; the first that fits. */
const SAME: readonly (readonly [RegExp, keyof Faults])[] = [
  [/^(?:EPIPE|ECONNABORTED)$/, 'ECONNRESET'],
  [/^(?:ENETUNREACH|EHOSTDOWN)$/, 'EHOSTUNREACH'],
  [/^(?:ENODATA|ENONAME)$/, 'ENOTFOUND'],
  [/^(?:ETIMEOUT|EREFUSED)$/, 'EAI_AGAIN'],
  [/^UND_ERR_SOCKET$/, 'connection_closed'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'ETIMEDOUT'],
  [/^(?:UND_ERR|ERR_TLS)_\w*TIMEOUT$/, 'timeout'],
  [/^(?:UND_ERR_HEADERS|HPE_HEADER)_OVERFLOW$/, 'reply_too_long'],
  [/^UND_ERR_(?:ABORTED|DESTROYED|CLOSED)$/, 'aborted'],
  [/^HPE_/, 'HPE_INVALID'],
  [/^ERR_TLS_CERT_ALTNAME/, 'HOSTNAME_MISMATCH'],
  [/^ERR_SSL_(?:HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|WRONG_SSL_VERSION)$/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/^ERR_SSL_\w*CERTIFICATE_REQUIRED$/, 'ERR_SSL_CERTIFICATE_REQUIRED'],
  [/^ERR_(?:SSL|TLS|OSSL)_/, 'EPROTO'],
  [/^(?:CERT_REJECTED|UNSPECIFIED)$/, 'CERT_UNTRUSTED'],
  [/^PATH_LENGTH_EXCEEDED$/, 'INVALID_CA'],
  [/^UNABLE_TO_DEC(?:RYPT|ODE)_/, 'CERT_SIGNATURE_FAILURE'],
];

export const faultWords: Words<typeof english> = { en: english, es: spanish };

/** Which fault of the table a code stands for. */
export function faultOf(code: string): keyof Faults | undefined {
  if (Object.hasOwn(english.faults, code)) return code as keyof Faults;
  return SAME.find(([pattern]) => pattern.test(code))?.[1];
}

import type { Row } from './row.ts';

/** Why a program that a webhook names was not called, and why its URL is refused. */
export const CONNECTIONS: readonly Row[] = [
  {
    said: 'no answer within {ms} ms',
    es: 'No hubo respuesta en {ms} ms',
    en: 'No answer within {ms} ms',
  },
  {
    said: 'no answer, while too many other deliveries waited as long',
    es: 'No hubo respuesta, y muchas otras entregas llevaban el mismo tiempo en espera',
    en: 'No answer, while too many other deliveries waited as long',
  },
  { said: '{host} has no address', es: '{host} no tiene dirección en el DNS' },
  {
    said: 'the DNS did not answer for {host}',
    es: 'El DNS no respondió a la consulta de {host}',
    en: 'The DNS did not answer for {host}',
  },
  {
    said: '{host} does not resolve to public addresses only',
    es: '{host} no lleva solo a direcciones públicas',
  },
  { said: '{host} is not this machine: use https', es: '{host} no es este equipo: use https' },
  {
    said: 'the connection was lost, or led to an address that is not public',
    es: 'La conexión se perdió o llevó a una dirección que no es pública',
    en: 'The connection was lost, or led to an address that is not public',
  },
  {
    said: 'the endpoint was disabled',
    es: 'El webhook estaba desactivado',
    en: 'The endpoint was disabled',
  },
  { said: 'failed', es: 'Falló', en: 'It failed' },
  {
    said: 'url: {host} does not resolve to public addresses only.',
    es: '{host} no lleva solo a direcciones públicas.',
    en: '{host} does not resolve to public addresses only.',
  },
  {
    said: 'url: {host} is not this machine: use https.',
    es: '{host} no es este equipo: use https.',
    en: '{host} is not this machine: use https.',
  },
  {
    said: 'url: {host} does not resolve: check its spelling, or create its DNS record first.',
    es: '{host} no está en el DNS: revise cómo está escrito o cree antes su registro.',
    en: '{host} does not resolve: check its spelling, or create its DNS record first.',
  },
  {
    said: 'url exceeds {max} characters.',
    es: 'La URL tiene más de {max} caracteres.',
    en: 'The URL is longer than {max} characters.',
  },
  {
    said: 'url must not contain white space or control characters.',
    es: 'La URL no puede tener espacios ni caracteres de control.',
    en: 'The URL must not contain white space or control characters.',
  },
  {
    said: 'url is not an absolute URL such as https://example.com/hooks.',
    es: 'Escriba una URL completa, por ejemplo https://example.com/hooks.',
    en: 'Enter a whole URL such as https://example.com/hooks.',
  },
  {
    said: 'url must use https.',
    es: 'La URL debe usar https.',
    en: 'The URL must use https.',
  },
  {
    said: 'url must not carry credentials: check Service-Signature instead.',
    es: 'La URL no puede llevar contraseña: compruebe la firma (Service-Signature).',
    en: 'The URL must not carry a password: check Service-Signature instead.',
  },
  {
    said: 'url must not have a fragment.',
    es: 'La URL no puede tener una parte después de #.',
    en: 'The URL must not have a part after #.',
  },
];

import type { Row } from './row.ts';

export const ATTENTION: readonly Row[] = [
  {
    said: 'A warm-up is for one source address: name it by its EHLO name.',
    es: 'Un calentamiento es de una dirección: indíquela por su nombre EHLO.',
  },
  { said: 'A warm-up counts by day.', es: 'Un calentamiento se cuenta por día.' },
  {
    said: 'Give 1 to {most} numbers of messages, not {n}.',
    es: 'Indique de 1 a {most} cantidades de mensajes, no {n}.',
  },
  {
    said: 'A cap takes 1 to {most} messages, not {n}.',
    es: 'Un tope admite de 1 a {most} mensajes, no {n}.',
  },
  { said: 'No cap has the id {id}.', es: 'Ningún tope tiene el id {id}.' },
  {
    said: 'ACUSE_SOURCE_POOLS has no pool "{name}" in this process; it has {names}.',
    es: 'ACUSE_SOURCE_POOLS no tiene el grupo «{name}» en este proceso; tiene {names}.',
  },
  {
    said: 'ACUSE_SOURCE_POOLS has no EHLO name "{name}" in this process; it has {names}.',
    es: 'ACUSE_SOURCE_POOLS no tiene el nombre EHLO «{name}» en este proceso; tiene {names}.',
  },
  {
    said: 'Log {origin} was stopped at {at}: the witness {witness} has its checkpoint of {has} leaves, signed by its key, and this database, with {own}, does not lead to it.',
    es: 'El registro {origin} se detuvo el {at}: el testigo {witness} tiene su punto de control de {has} hojas, firmado con su clave, y esta base de datos, con {own}, no lleva a él.',
  },
  { said: 'It signs nothing more.', es: 'Ya no firma nada.' },
  {
    said: 'Mail is due and nobody sends it (messages: {n}). Is a process with the role delivery running?',
    es: 'Hay correo por enviar y nadie lo envía (mensajes: {n}). ¿Hay un proceso con el rol delivery?',
  },
  {
    said: 'Messages have waited for a constancia for over ten minutes.',
    es: 'Hay mensajes que esperan una constancia desde hace más de diez minutos.',
  },
  {
    said: '{n} constancias ended before they were renewed.',
    es: '{n} constancias vencieron antes de renovarse.',
  },
  { said: '{name} fails: {why}.', es: '{name} falla: {why}.' },
  { said: 'A certificate of {name} ends soon.', es: 'Un certificado de {name} vence pronto.' },
  {
    said: '{destination} was repeatedly busy or unreachable; {n} messages wait.',
    es: '{destination} estuvo ocupado o inaccesible varias veces; {n} mensajes esperan.',
  },
  { said: 'Paused by {by}: {why}', es: 'En pausa por {by}: {why}' },
  {
    said: 'A DNS record of {name} is missing: receivers cannot check its mail.',
    es: 'Falta un registro DNS de {name}: los receptores no pueden comprobar su correo.',
  },
  {
    said: 'The DNS records of {name} are gone: its mail is refused.',
    es: 'Los registros DNS de {name} desaparecieron: su correo se rechaza.',
  },
  {
    said: 'The DNS records of {name} are gone: its mail is refused soon.',
    es: 'Los registros DNS de {name} desaparecieron: pronto se rechazará su correo.',
  },
  { said: 'A webhook at {url} fails.', es: 'Falla un webhook en {url}.' },
  {
    said: 'A webhook at {url} was disabled because it failed.',
    es: 'Un webhook en {url} se desactivó porque fallaba.',
  },
];

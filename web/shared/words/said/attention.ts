import type { Row } from './row.ts';

export const ATTENTION: readonly Row[] = [
  [
    'Log {origin} was stopped at {at}: the witness {witness} has its checkpoint of {has} leaves, signed by its key, and this database, with {own}, does not lead to it.',
    'El registro {origin} se detuvo el {at}: el testigo {witness} tiene su punto de control de {has} hojas, firmado con su clave, y esta base de datos, con {own}, no lleva a él.',
  ],
  ['It signs nothing more.', 'Ya no firma nada.'],
  [
    '{n} messages are due and nobody handles any: is a process with the role delivery running?',
    'A {n} mensajes ya les toca y nadie los entrega: ¿hay un proceso con el rol delivery?',
  ],
  [
    'Messages have waited for a constancia for over ten minutes.',
    'Hay mensajes que esperan una constancia desde hace más de diez minutos.',
  ],
  ['{n} constancias ended before they were renewed.', '{n} constancias vencieron antes de renovarse.'],
  ['{name} fails: {why}.', '{name} falla: {why}.'],
  ['A certificate of {name} ends soon.', 'Un certificado de {name} vence pronto.'],
  [
    '{destination} was repeatedly busy or unreachable; {n} messages wait.',
    '{destination} estuvo ocupado o inaccesible varias veces; {n} mensajes esperan.',
  ],
  ['Paused by {by}: {why}', 'En pausa por {by}: {why}'],
  [
    'A DNS record of {name} is missing: receivers cannot check its mail.',
    'Falta un registro DNS de {name}: los receptores no pueden comprobar su correo.',
  ],
  [
    'The DNS records of {name} are gone: its mail is refused.',
    'Los registros DNS de {name} desaparecieron: su correo se rechaza.',
  ],
  [
    'The DNS records of {name} are gone: its mail is refused soon.',
    'Los registros DNS de {name} desaparecieron: pronto se rechazará su correo.',
  ],
  ['A webhook at {url} fails.', 'Falla un webhook en {url}.'],
  ['A webhook at {url} was disabled because it failed.', 'Un webhook en {url} se desactivó porque fallaba.'],
];

import type { Translated, Words } from './words.ts';

/** Values that the server's sentences hold: fields of the API as forms call them, and statuses. */
const english = {
  fields: {
    name: 'the name',
    address: 'the address',
    email: 'the email address',
    url: 'the URL',
    description: 'the description',
    reason: 'the reason',
    subject: 'the subject',
    text: 'the text',
    html: 'the HTML',
    password: 'the password',
    role: 'the role',
    code: 'the code',
    note: 'the note',
    monthly_quota: 'the monthly quota',
    created_after: 'the time from',
    created_before: 'the time until',
  },
  domainStatuses: { pending: 'pending', failing: 'failing' },
  roles: { owner: 'owner', developer: 'developer', viewer: 'viewer', admin: 'admin', support: 'support' },
  spans: { 'less than a second': 'less than a second' },
};

const spanish: Translated<typeof english> = {
  fields: {
    name: 'el nombre',
    address: 'la dirección',
    email: 'el correo',
    url: 'la URL',
    description: 'la descripción',
    reason: 'el motivo',
    subject: 'el asunto',
    text: 'el texto',
    html: 'el HTML',
    password: 'la contraseña',
    role: 'el rol',
    code: 'el código',
    note: 'la nota',
    monthly_quota: 'la cuota mensual',
    created_after: 'la hora inicial',
    created_before: 'la hora final',
  },
  domainStatuses: { pending: 'pendiente', failing: 'con fallas' },
  roles: {
    owner: 'propietario',
    developer: 'desarrollador',
    viewer: 'lector',
    admin: 'administrador',
    support: 'soporte',
  },
  spans: { 'less than a second': 'menos de un segundo' },
};

export const saidWords: Words<typeof english> = { en: english, es: spanish };

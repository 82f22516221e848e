import type { Row } from './row.ts';

export const FORM: readonly Row[] = [
  {
    said: 'name must have 1 to {max} characters.',
    es: 'El nombre debe tener de 1 a {max} caracteres.',
    en: 'The name must have 1 to {max} characters.',
  },
  {
    said: '{field} must be a whole number from {min} to {max}.',
    es: '{field} debe ser un número entero de {min} a {max}.',
  },
  {
    said: 'expires_at must be a time with its offset from UTC (RFC 3339), such as 2026-12-20T09:30:00Z.',
    es: 'El vencimiento no es una fecha con hora válida.',
    en: 'The end is not a valid date and time.',
  },
  {
    said: 'variables has more than {max} characters of text: send only what the template uses.',
    es: 'Las variables tienen más de {max} caracteres: envíe solo las que la plantilla usa.',
  },
  {
    said: 'name must be a domain name such as example.com.',
    es: 'Escriba un nombre de dominio, por ejemplo ejemplo.com.',
    en: 'Enter a domain name such as example.com.',
  },
  { said: 'name has more than {count} characters.', es: 'El nombre tiene más de {count} caracteres.' },
  {
    said: '{name} is a public suffix: register a domain under it.',
    es: '{name} es un sufijo público: registre un dominio que esté debajo de él.',
  },
  { said: '{field} is required.', es: 'Falta {field}.' },
  { said: '{field} must not be empty.', es: 'Falta {field}.' },
  { said: '{field} may have at most 1 character.', es: '{field}: a lo más 1 carácter.' },
  { said: '{field} may have at most {count} characters.', es: '{field}: a lo más {count} caracteres.' },
  { said: '{field} must have at least {count} characters.', es: '{field}: al menos {count} caracteres.' },
  { said: '{field} must be {count} or less.', es: '{field}: a lo más {count}.' },
  { said: '{field} must be {count} or more.', es: '{field}: al menos {count}.' },
  { said: '{field} may have at most {count} items.', es: '{field}: a lo más {count} elementos.' },
  { said: '{field} must have at least {count} items.', es: '{field}: al menos {count} elementos.' },
  { said: '{field} may have at most {count} fields.', es: '{field}: a lo más {count} campos.' },
  { said: '{field} must not have the same item twice.', es: '{field}: un elemento está repetido.' },
  {
    said: '{field} has a character that is not allowed, or not the form that is.',
    es: '{field} tiene un carácter que no se permite o no tiene la forma correcta.',
  },
  { said: '{field} is not one of the allowed values.', es: '{field} no es uno de los valores permitidos.' },
  { said: '{field} must be one of {values}.', es: '{field} debe ser uno de estos valores: {values}.' },
  { said: 'At least one of text and html is required.', es: 'Se necesita texto, HTML o ambos.' },
  { said: 'give at least one of text and html.', es: 'Se necesita texto, HTML o ambos.' },
  {
    said: '{field} must be a time such as 2026-11-20T09:30:00Z (RFC 3339).',
    es: '{field} no es una fecha con hora válida.',
    en: '{field} is not a valid date and time.',
  },
  { said: 'limit must be from 1 to {count}.', es: 'Se pueden pedir de 1 a {count} filas.' },
  {
    said: 'after is a cursor of another list, or of other filters: repeat those of the page it came with, or leave after out to begin again.',
    es: 'Esta página pertenece a otra lista o a otros filtros: comience de nuevo.',
    en: 'This page belongs to another list or to other filters: begin again.',
  },
  {
    said: 'after must be the next_cursor of an earlier page.',
    es: 'Esta página de la lista no existe: comience de nuevo.',
    en: 'There is no such page of the list: begin again.',
  },
  { said: '{name} must be an id: a UUID.', es: 'El id no es válido: debe ser un UUID.' },
  {
    said: "The body exceeds this endpoint's limit of {count} bytes.",
    es: 'Supera el límite de {count} bytes.',
  },
  {
    said: 'The message exceeds the limit of {count} bytes for a raw message.',
    es: 'El mensaje supera el límite de {count} bytes.',
  },
  {
    said: 'Too many requests of this kind are in progress: wait for one to end.',
    es: 'Hay demasiadas solicitudes de este tipo en curso: espere a que termine una.',
  },
];

export const ADDRESSES: readonly Row[] = [
  { said: 'The part after *@ is not a domain name.', es: 'Lo que sigue a *@ no es un nombre de dominio.' },
  {
    said: 'A suppression list takes addresses, not patterns: give one address.',
    es: 'La lista de supresión acepta direcciones, no patrones: escriba una dirección.',
  },
  {
    said: 'The file is empty: send CSV with a column "address".',
    es: 'El archivo está vacío: debe ser un CSV con una columna «address».',
  },
  {
    said: 'The file has {count} addresses; a file may have {max}: split it.',
    es: 'El archivo tiene {count} direcciones y el máximo es {max}: divídalo.',
  },
  { said: 'The file is not CSV: {why}.', es: 'El archivo no es CSV: {why}.' },
  {
    said: 'The first line names no column "address" or "email": add it, or send one address per line.',
    es: 'La primera línea no tiene una columna «address» o «email»: agréguela, o escriba una dirección por línea.',
  },
  {
    said: 'The file takes too much {limit} to read: split it.',
    es: 'El archivo es demasiado grande: divídalo.',
  },
  {
    said: 'Limit of {max} suppressed addresses per list reached: delete some first.',
    es: 'La lista llegó al límite de {max} direcciones: elimine algunas primero.',
  },
  { said: 'This address is not on the list.', es: 'Esta dirección no está en la lista.' },
  {
    said: "{address} is on this account's suppression list, so nothing was queued: to send to it again, remove it with DELETE /v1/suppressions/{id}.",
    es: '{address} está en la lista de supresión de esta cuenta, por lo que no se envió nada. Para volver a escribirle, quítela de la lista.',
    en: "{address} is on this account's suppression list, so nothing was sent. To send to it again, remove it from the list.",
  },
  {
    said: "{address} is on the operator's suppression list, so nothing was queued: only the operator can remove it.",
    es: '{address} está en la lista de supresión del operador, por lo que no se envió nada: solo el operador puede quitarla.',
  },
  {
    said: '{address} is always suppressed, so nothing was queued: this address of the sandbox shows the refusal.',
    es: '{address} está siempre en la lista de supresión: esta dirección del entorno de pruebas muestra el rechazo.',
  },
];

/** Say nothing that the code's own sentence in the page does not. */
export const SAID_BY_THE_CODE: readonly Row[] = [
  'The request body is not valid.',
  'The address is empty or malformed.',
  'A query or path parameter is not valid.',
  'The account is suspended: contact the operator.',
  'The account is deactivated: contact the operator.',
  'No such resource. Check the path and the id.',
  'The resource already exists.',
  "The body exceeds this endpoint's limit.",
  'Send Content-Type application/json or message/rfc822.',
  'The From domain is not verified for this account.',
  'The From address is not an approved, active sender of its verified domain.',
  'The recipient is on the suppression list; nothing was queued.',
  'The template could not be rendered with these variables.',
  'The message was sent with certified=false and can never be sealed.',
  'The message is not sealed in a Merkle batch. A certified message will be: retry shortly. A plain message never is.',
  'send_at must be in the future, and at most 30 days after the message is accepted.',
  'The link is wrong, was used already or has expired: ask for a new one.',
  'The password is too short or easy to guess: use at least 12 characters that nobody expects.',
  'Monthly quota exhausted: wait for the next UTC month, or ask the operator to raise it.',
  'Too many requests: retry after the seconds in Retry-After.',
  'Something failed on our side. Retry with the same Idempotency-Key; if it keeps failing, report the Request-Id.',
  'The service is unavailable. The request may have been accepted: retry after the seconds in Retry-After with the same Idempotency-Key.',
  'The service is overloaded and nothing was accepted: retry after the seconds in Retry-After with the same Idempotency-Key.',
  'The service is unavailable: retry after the seconds in Retry-After.',
  'This needs an authentication of the last 10 minutes: confirm who you are, then repeat it.',
  'The request did not arrive in time and nothing was accepted: send it again.',
].map((said) => ({ said, es: '', en: '' }));

import type { Row } from './row.ts';

export const LIMITS: readonly Row[] = [
  {
    said: 'Limit of {max} API keys per account reached: revoke one first.',
    es: 'La cuenta llegó al límite de {max} claves de API: revoque una primero.',
  },
  {
    said: 'Limit of {max} domains per account reached: delete one first.',
    es: 'La cuenta llegó al límite de {max} dominios: elimine uno primero.',
  },
  {
    said: 'Limit of {max} senders per account reached: approve {pattern} instead.',
    es: 'La cuenta llegó al límite de {max} remitentes: apruebe {pattern} en su lugar.',
  },
  {
    said: 'Limit of {max} templates per account reached: delete one first.',
    es: 'La cuenta llegó al límite de {max} plantillas: elimine una primero.',
  },
  {
    said: 'Limit of {max} webhooks per account reached: delete one first.',
    es: 'La cuenta llegó al límite de {max} webhooks: elimine uno primero.',
  },
  {
    said: 'Limit of {max} people per account reached: remove somebody first.',
    es: 'La cuenta llegó al límite de {max} personas: quite a alguien primero.',
  },
  {
    said: 'Limit of {max} operators reached: remove some first.',
    es: 'Se llegó al límite de {max} operadores: quite a alguno primero.',
  },
  {
    said: 'Limit of {max} passkeys reached: remove one first.',
    es: 'Se llegó al límite de {max} llaves de acceso: quite una primero.',
  },
  {
    said: 'The message has {max} shares that can be opened: revoke one that nobody needs.',
    es: 'El mensaje tiene {max} enlaces que se pueden abrir: revoque uno que nadie necesite.',
  },
  {
    said: 'The message {id} has {max} shares that can be opened: revoke one that nobody needs.',
    es: 'El mensaje {id} tiene {max} enlaces que se pueden abrir: revoque uno que nadie necesite.',
  },
  {
    said: 'No message has the id {id}. Check the ids.',
    es: 'Ningún mensaje tiene el identificador {id}. Revise los identificadores.',
  },
  {
    said: 'The message {id} is not sealed: leave it out. Only sealed messages can be in a case file.',
    es: 'El mensaje {id} no está sellado: quítelo. Un expediente solo admite mensajes sellados.',
  },
  {
    said: 'These messages are larger than {max} MiB together: make two case files.',
    es: 'Estos mensajes suman más de {max} MiB: haga dos expedientes.',
  },
  {
    said: 'Monthly "{bag}" quota exhausted; it resets at {at}. To send more before then, ask the operator to raise it.',
    es: 'La cuota mensual «{bag}» se agotó; se renueva el {at}. Para enviar más antes, pida al operador que la aumente.',
  },
  {
    said: '{count} pings are in progress: wait for one to end.',
    es: 'Hay {count} pruebas en curso: espere a que termine una.',
  },
  {
    said: 'Too many DKIM keys are being generated: retry shortly.',
    es: 'Se están generando demasiadas claves DKIM: intente de nuevo en un momento.',
  },
  {
    said: 'Too many domains are being looked up: retry shortly.',
    es: 'Se están consultando demasiados dominios: intente de nuevo en un momento.',
  },
  {
    said: 'This link was opened too often just now: wait a moment.',
    es: 'Este enlace se abrió demasiadas veces: espere un momento.',
  },
];

export const ACCOUNT: readonly Row[] = [
  {
    said: 'A key can only make keys that are as narrow as itself; {what} is beyond it.',
    es: 'Una clave solo puede crear claves tan limitadas como ella; {what} la excede.',
  },
  {
    said: 'senders: {address} is neither an address nor {pattern}.',
    es: 'Remitentes: {address} no es una dirección ni {pattern}.',
    en: 'Senders: {address} is neither an address nor {pattern}.',
  },
  {
    said: 'networks: {network} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/48.',
    es: 'Redes: {network} no es una dirección IP ni una red como 192.0.2.0/24 o 2001:db8::/48.',
    en: 'Networks: {network} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/48.',
  },
  {
    said: 'expires_at is not a time in the future: RFC 3339 with an offset, as 2027-01-31T00:00:00Z.',
    es: 'El vencimiento debe ser una hora futura.',
    en: 'The end must be a time in the future.',
  },
  {
    said: 'Whoever reads mail to {address} refused an invitation of this account, which cannot invite this address again. If that was a mistake, ask the operator to add the person (acuse users link).',
    es: 'Quien lee el correo de {address} rechazó una invitación de esta cuenta, que ya no puede invitar a esta dirección. Si fue un error, pida al operador que agregue a la persona.',
    en: 'Whoever reads mail to {address} refused an invitation of this account, which cannot invite this address again. If that was a mistake, ask the operator to add the person.',
  },
  {
    said: '{count} invitations of this account were refused within 7 days: try again later.',
    es: 'En 7 días se rechazaron {count} invitaciones de esta cuenta: intente más tarde.',
  },
  {
    said: '{name} is already a domain of this account: see {step}.',
    es: '{name} ya es un dominio de esta cuenta.',
    en: '{name} is already a domain of this account.',
  },
  {
    said: '{name} is verified for another account: it can be verified here only after that account gives it up.',
    es: '{name} está verificado en otra cuenta: aquí solo se puede verificar cuando esa cuenta lo ceda.',
  },
  {
    said: '{address} is already a sender of this account.',
    es: '{address} ya es un remitente de esta cuenta.',
  },
  {
    said: '{domain} is not a domain of this account: register it with {step} first.',
    es: '{domain} no es un dominio de esta cuenta: agréguelo primero.',
    en: '{domain} is not a domain of this account: add it first.',
  },
  {
    said: '{domain} is not a domain of this account: register it with {step} and publish its DNS records.',
    es: '{domain} no es un dominio de esta cuenta: agréguelo y publique sus registros DNS.',
    en: '{domain} is not a domain of this account: add it and publish its DNS records.',
  },
  {
    said: '{domain} is {status}: publish its DNS records and verify it with {step}.',
    es: 'El estado de {domain} es «{status}»: publique sus registros DNS y verifíquelo.',
    en: '{domain} is {status}: publish its DNS records, then verify it.',
  },
  {
    said: '{domain} is verified but not ready, and this account sends only from domains that are: publish {records}, then {step}.',
    es: '{domain} está verificado, pero no está listo, y esta cuenta solo envía desde dominios listos: publique {records} y verifíquelo.',
    en: '{domain} is verified but not ready, and this account sends only from domains that are: publish {records}, then verify it.',
  },
  {
    said: '{address} is not an approved, active sender: create it (or {pattern}) with {step}.',
    es: '{address} no es un remitente aprobado y activo: agréguelo, o agregue {pattern}.',
    en: '{address} is not an approved, active sender: add it, or add {pattern}.',
  },
  { said: '{address} belongs to this account already.', es: '{address} ya pertenece a esta cuenta.' },
  {
    said: 'The invitation was stored, but no mail could be sent to this address now: check why with the operator and invite again.',
    es: 'La invitación se guardó, pero no se pudo enviar correo a esta dirección: pregunte la causa al operador e invite de nuevo.',
  },
  {
    said: 'This address has a user already, and nobody has proven to own the address. Ask the operator for a link (acuse users link), or to set ACUSE_SYSTEM_SENDER.',
    es: 'Esta dirección ya tiene un usuario, pero nadie ha demostrado que sea suya. Pida al operador un enlace.',
    en: 'This address has a user already, and nobody has proven to own the address. Ask the operator for a link.',
  },
  {
    said: 'Limit of {max} invitations {whose} in a day reached: try again later.',
    es: 'Se llegó al límite de {max} invitaciones en un día: intente más tarde.',
  },
  {
    said: 'Somebody changed this person at the same time: try again.',
    es: 'Alguien más modificó a esta persona al mismo tiempo: intente de nuevo.',
  },
  {
    said: 'This is the last owner of the account, who can be neither removed nor given another role: make somebody else an owner first.',
    es: 'Es la última persona propietaria de la cuenta: no se puede quitar ni cambiar su rol. Nombre antes a otra.',
  },
  {
    said: 'This needs the scope {scopes}; your role, {role}, has {held}.',
    es: 'Esto necesita el permiso {scopes}; su rol, {role}, tiene {held}.',
  },
  {
    said: 'Only owners of the account may do this; your role is {role}.',
    es: 'Solo las personas propietarias de la cuenta pueden hacerlo; su rol es {role}.',
  },
  {
    said: 'A key can only grant scopes that it has; this one lacks {scopes}.',
    es: 'Una clave solo puede dar los permisos que tiene; a esta le falta {scopes}.',
  },
  {
    said: 'Set up your own second factor first: otherwise you would lock yourself out.',
    es: 'Configure primero su propio segundo factor: de lo contrario perdería el acceso.',
  },
  {
    said: 'A template named {name} already exists: choose another name, or change that template.',
    es: 'Ya existe una plantilla llamada {name}: elija otro nombre o modifique esa plantilla.',
  },
  {
    said: '{part} contains characters that mail cannot carry (NUL or unpaired surrogates): remove them.',
    es: '{part} contiene caracteres que el correo no puede llevar (NUL o sustitutos sueltos): quítelos.',
  },
  { said: '{part} exceeds {max} bytes: shorten it.', es: '{part} supera {max} bytes: acórtelo.' },
  {
    said: 'variants.{tag} is not a language tag: use one such as es, es-MX or en.',
    es: '«{tag}» no es una etiqueta de idioma: use una como es, es-MX o en.',
    en: '“{tag}” is not a language tag: use one such as es, es-MX or en.',
  },
  { said: 'variants has {tag} twice: give each language once.', es: 'El idioma {tag} está repetido.' },
  { said: 'variants has more than {max} languages.', es: 'Hay más de {max} idiomas.' },
  { said: 'The template takes too much {limit}.', es: 'La plantilla excede el límite de {limit}.' },
  {
    said: 'variables has more than {max} values: send only what the template uses.',
    es: 'Hay más de {max} variables: envíe solo las que la plantilla usa.',
  },
  {
    said: 'The template rendered empty text and html: at least one must have content.',
    es: 'El texto y el HTML de la plantilla quedaron vacíos: al menos uno debe tener contenido.',
  },
  {
    said: 'The webhook endpoint is disabled: enable it with PATCH {"enabled": true} first.',
    es: 'El webhook está desactivado: actívelo primero.',
    en: 'The webhook is disabled: enable it first.',
  },
  { said: 'No account has the id {id}.', es: 'Ninguna cuenta tiene el id {id}.' },
  { said: 'No operator has the id {id}.', es: 'Ningún operador tiene el id {id}.' },
  { said: 'No operator has the address {address}.', es: 'Ningún operador tiene la dirección {address}.' },
  {
    said: 'No domain with the id {id} in this account.',
    es: 'Esta cuenta no tiene un dominio con el id {id}.',
  },
  { said: '{what} is not paused.', es: '{what} no está en pausa.' },
  { said: 'There is no note {note} on {what}.', es: 'No hay ninguna nota {note} sobre {what}.' },
  {
    said: '{note} takes {least} to {most}, not {value}.',
    es: '{note} admite de {least} a {most}, no {value}.',
  },
  {
    said: 'An operator with the address {address} exists already.',
    es: 'Ya existe un operador con la dirección {address}.',
  },
  {
    said: 'This is the last admin: make another operator an admin first.',
    es: 'Es el último administrador: nombre antes a otro.',
  },
  {
    said: 'This operator has no second factor. Their sessions have ended.',
    es: 'Este operador no tiene segundo factor. Sus sesiones terminaron.',
  },
  {
    said: 'This needs the role admin; yours is support. Ask an admin of this installation.',
    es: 'Esto necesita el rol de administrador y el suyo es de soporte. Pídalo a un administrador de esta instalación.',
  },
];

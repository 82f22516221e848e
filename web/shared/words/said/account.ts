import type { Row } from './row.ts';

export const LIMITS: readonly Row[] = [
  [
    'Limit of {max} API keys per account reached: revoke one first.',
    'La cuenta llegó al límite de {max} claves de API: revoque una primero.',
  ],
  [
    'Limit of {max} domains per account reached: delete one first.',
    'La cuenta llegó al límite de {max} dominios: elimine uno primero.',
  ],
  [
    'Limit of {max} senders per account reached: approve {pattern} instead.',
    'La cuenta llegó al límite de {max} remitentes: apruebe {pattern} en su lugar.',
  ],
  [
    'Limit of {max} templates per account reached: delete one first.',
    'La cuenta llegó al límite de {max} plantillas: elimine una primero.',
  ],
  [
    'Limit of {max} webhooks per account reached: delete one first.',
    'La cuenta llegó al límite de {max} webhooks: elimine uno primero.',
  ],
  [
    'Limit of {max} people per account reached: remove somebody first.',
    'La cuenta llegó al límite de {max} personas: quite a alguien primero.',
  ],
  [
    'Limit of {max} operators reached: remove some first.',
    'Se llegó al límite de {max} operadores: quite a alguno primero.',
  ],
  [
    'Limit of {max} passkeys reached: remove one first.',
    'Se llegó al límite de {max} llaves de acceso: quite una primero.',
  ],
  [
    'The message has {max} shares that can be opened: revoke one that nobody needs.',
    'El mensaje tiene {max} enlaces que se pueden abrir: revoque uno que nadie necesite.',
  ],
  [
    'Monthly "{bag}" quota exhausted; it resets at {at}. To send more before then, ask the operator to raise it.',
    'La cuota mensual «{bag}» se agotó; se renueva el {at}. Para enviar más antes, pida al operador que la aumente.',
  ],
  [
    '{count} pings are in progress: wait for one to end.',
    'Hay {count} pruebas en curso: espere a que termine una.',
  ],
  [
    'Too many DKIM keys are being generated: retry shortly.',
    'Se están generando demasiadas claves DKIM: intente de nuevo en un momento.',
  ],
  [
    'Too many domains are being looked up: retry shortly.',
    'Se están consultando demasiados dominios: intente de nuevo en un momento.',
  ],
  [
    'This link was opened too often just now: wait a moment.',
    'Este enlace se abrió demasiadas veces: espere un momento.',
  ],
];

export const ACCOUNT: readonly Row[] = [
  [
    'A key can only make keys that are as narrow as itself; {what} is beyond it.',
    'Una clave solo puede crear claves tan limitadas como ella; {what} la excede.',
  ],
  [
    'senders: {address} is neither an address nor {pattern}.',
    'Remitentes: {address} no es una dirección ni {pattern}.',
    'Senders: {address} is neither an address nor {pattern}.',
  ],
  [
    'networks: {network} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/48.',
    'Redes: {network} no es una dirección IP ni una red como 192.0.2.0/24 o 2001:db8::/48.',
    'Networks: {network} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/48.',
  ],
  [
    'expires_at is not a time in the future: RFC 3339 with an offset, as 2027-01-31T00:00:00Z.',
    'El vencimiento debe ser una hora futura.',
    'The end must be a time in the future.',
  ],
  [
    'Whoever reads mail to {address} refused an invitation of this account, which cannot invite this address again. If that was a mistake, ask the operator to add the person (acuse users link).',
    'Quien lee el correo de {address} rechazó una invitación de esta cuenta, que ya no puede invitar a esta dirección. Si fue un error, pida al operador que agregue a la persona.',
    'Whoever reads mail to {address} refused an invitation of this account, which cannot invite this address again. If that was a mistake, ask the operator to add the person.',
  ],
  [
    '{count} invitations of this account were refused within 7 days: try again later.',
    'En 7 días se rechazaron {count} invitaciones de esta cuenta: intente más tarde.',
  ],
  [
    '{name} is already a domain of this account: see {step}.',
    '{name} ya es un dominio de esta cuenta.',
    '{name} is already a domain of this account.',
  ],
  [
    '{name} is verified for another account: it can be verified here only after that account gives it up.',
    '{name} está verificado en otra cuenta: aquí solo se puede verificar cuando esa cuenta lo ceda.',
  ],
  ['{address} is already a sender of this account.', '{address} ya es un remitente de esta cuenta.'],
  [
    '{domain} is not a domain of this account: register it with {step} first.',
    '{domain} no es un dominio de esta cuenta: agréguelo primero.',
    '{domain} is not a domain of this account: add it first.',
  ],
  [
    '{domain} is not a domain of this account: register it with {step} and publish its DNS records.',
    '{domain} no es un dominio de esta cuenta: agréguelo y publique sus registros DNS.',
    '{domain} is not a domain of this account: add it and publish its DNS records.',
  ],
  [
    '{domain} is {status}: publish its DNS records and verify it with {step}.',
    'El estado de {domain} es «{status}»: publique sus registros DNS y verifíquelo.',
    '{domain} is {status}: publish its DNS records, then verify it.',
  ],
  [
    '{domain} is verified but not ready, and this account sends only from domains that are: publish {records}, then {step}.',
    '{domain} está verificado, pero no está listo, y esta cuenta solo envía desde dominios listos: publique {records} y verifíquelo.',
    '{domain} is verified but not ready, and this account sends only from domains that are: publish {records}, then verify it.',
  ],
  [
    '{address} is not an approved, active sender: create it (or {pattern}) with {step}.',
    '{address} no es un remitente aprobado y activo: agréguelo, o agregue {pattern}.',
    '{address} is not an approved, active sender: add it, or add {pattern}.',
  ],
  ['{address} belongs to this account already.', '{address} ya pertenece a esta cuenta.'],
  [
    'The invitation was stored, but no mail could be sent to this address now: check why with the operator and invite again.',
    'La invitación se guardó, pero no se pudo enviar correo a esta dirección: pregunte la causa al operador e invite de nuevo.',
  ],
  [
    'This address has a user already, and nobody has proven to own the address. Ask the operator for a link (acuse users link), or to set ACUSE_SYSTEM_SENDER.',
    'Esta dirección ya tiene un usuario, pero nadie ha demostrado que sea suya. Pida al operador un enlace.',
    'This address has a user already, and nobody has proven to own the address. Ask the operator for a link.',
  ],
  [
    'Limit of {max} invitations {whose} in a day reached: try again later.',
    'Se llegó al límite de {max} invitaciones en un día: intente más tarde.',
  ],
  [
    'Somebody changed this person at the same time: try again.',
    'Alguien más modificó a esta persona al mismo tiempo: intente de nuevo.',
  ],
  [
    'This is the last owner of the account, who can be neither removed nor given another role: make somebody else an owner first.',
    'Es la última persona propietaria de la cuenta: no se puede quitar ni cambiar su rol. Nombre antes a otra.',
  ],
  [
    'This needs the scope {scopes}; your role, {role}, has {held}.',
    'Esto necesita el permiso {scopes}; su rol, {role}, tiene {held}.',
  ],
  [
    'Only owners of the account may do this; your role is {role}.',
    'Solo las personas propietarias de la cuenta pueden hacerlo; su rol es {role}.',
  ],
  [
    'A key can only grant scopes that it has; this one lacks {scopes}.',
    'Una clave solo puede dar los permisos que tiene; a esta le falta {scopes}.',
  ],
  [
    'Set up your own second factor first: otherwise you would lock yourself out.',
    'Configure primero su propio segundo factor: de lo contrario perdería el acceso.',
  ],
  [
    'A template named {name} already exists: choose another name, or change that template.',
    'Ya existe una plantilla llamada {name}: elija otro nombre o modifique esa plantilla.',
  ],
  [
    '{part} contains characters that mail cannot carry (NUL or unpaired surrogates): remove them.',
    '{part} contiene caracteres que el correo no puede llevar (NUL o sustitutos sueltos): quítelos.',
  ],
  ['{part} exceeds {max} bytes: shorten it.', '{part} supera {max} bytes: acórtelo.'],
  [
    'variants.{tag} is not a language tag: use one such as es, es-MX or en.',
    '«{tag}» no es una etiqueta de idioma: use una como es, es-MX o en.',
    '“{tag}” is not a language tag: use one such as es, es-MX or en.',
  ],
  ['variants has {tag} twice: give each language once.', 'El idioma {tag} está repetido.'],
  ['variants has more than {max} languages.', 'Hay más de {max} idiomas.'],
  ['The template takes too much {limit}.', 'La plantilla necesita demasiado {limit}.'],
  [
    'variables has more than {max} values: send only what the template uses.',
    'Hay más de {max} variables: envíe solo las que la plantilla usa.',
  ],
  [
    'The template rendered empty text and html: at least one must have content.',
    'El texto y el HTML de la plantilla quedaron vacíos: al menos uno debe tener contenido.',
  ],
  [
    'The webhook endpoint is disabled: enable it with PATCH {"enabled": true} first.',
    'El webhook está desactivado: actívelo primero.',
    'The webhook is disabled: enable it first.',
  ],
  ['No account has the id {id}.', 'Ninguna cuenta tiene el id {id}.'],
  ['No operator has the id {id}.', 'Ningún operador tiene el id {id}.'],
  ['No operator has the address {address}.', 'Ningún operador tiene la dirección {address}.'],
  ['No domain with the id {id} in this account.', 'Esta cuenta no tiene un dominio con el id {id}.'],
  ['{what} is not paused.', '{what} no está en pausa.'],
  ['There is no note {note} on {what}.', 'No hay ninguna nota {note} sobre {what}.'],
  ['{note} takes {least} to {most}, not {value}.', '{note} admite de {least} a {most}, no {value}.'],
  [
    'An operator with the address {address} exists already.',
    'Ya existe un operador con la dirección {address}.',
  ],
  [
    'This is the last admin: make another operator an admin first.',
    'Es el último administrador: nombre antes a otro.',
  ],
  [
    'This operator has no second factor. Their sessions have ended.',
    'Este operador no tiene segundo factor. Sus sesiones terminaron.',
  ],
  [
    'This needs the role admin; yours is support. Ask an admin of this installation.',
    'Esto necesita el rol de administrador y el suyo es de soporte. Pídalo a un administrador de esta instalación.',
  ],
];

import type { DeliveryKind } from '@acuse/evidence/delivery';
import type { MessageFacts } from '@acuse/evidence/message-facts';
import type { CopyVerdict, Difference } from '@acuse/evidence/verify-eml';

/** What the page says, in the two languages of its readers. */
export interface Words {
  readonly title: string;
  readonly lead: string;
  readonly bundle: string;
  readonly bundleHint: string;
  readonly eml: string;
  readonly emlHint: string;
  readonly trust: string;
  readonly trustHint: string;
  readonly working: string;
  readonly valid: string;
  readonly invalid: string;
  readonly validMeans: string;
  readonly invalidMeans: string;
  readonly development: string;
  readonly unpinned: string;
  readonly erased: string;
  readonly facts: string;
  readonly checks: string;
  readonly validMeansAlone: string;
  readonly dkim: string;
  readonly noBundle: string;
  readonly noBundleMeans: string;
  readonly message: string;
  /** Of the fields of MessageFacts, in the order in which they are shown. */
  readonly messageNames: Readonly<Record<Exclude<keyof MessageFacts, 'parts'>, string>>;
  readonly parts: string;
  readonly partWithoutName: string;
  readonly bytes: (count: number) => string;
  /** `iso`: RFC 3339. */
  readonly time: (iso: string) => string;
  readonly proven: string;
  readonly provenTime: (time: string, authority: string) => string;
  readonly provenDevelopment: (time: string) => string;
  readonly provenLog: (log: string, leaf: number, size: number) => string;
  readonly provenWitnesses: (count: number, quorum: number) => string;
  readonly asserted: string;
  readonly assertedTime: (time: string) => string;
  readonly assertedEnvelope: string;
  readonly assertedDelivery: string;
  readonly trustTitle: string;
  readonly pinned: string;
  readonly root: string;
  readonly unproven: string;
  readonly documents: Readonly<Record<'remade' | 'other' | 'uncompared', string>>;
  readonly kinds: Readonly<Record<DeliveryKind, string>>;
  readonly copy: Readonly<Record<CopyVerdict, (bundleHolds: boolean) => string>>;
  readonly copyMeans: Readonly<Record<CopyVerdict, string>>;
  readonly differences: Readonly<Record<Difference['kind'], (name: string) => string>>;
  readonly delivery: string;
  readonly sources: Readonly<Record<'session' | 'operator' | 'reported_by_mail', string>>;
  readonly received: string;
  readonly layers: Readonly<Record<'L0' | 'L1' | 'L2', string>>;
  readonly matches: string;
  readonly differs: string;
  readonly failed: (reason: string) => string;
  readonly factNames: Readonly<Record<string, string>>;
  readonly privacy: string;
}

const timeIn = (locale: string) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' });
  return (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : format.format(new Date(iso)));
};

const bytesIn = (locale: string) => {
  const format = new Intl.NumberFormat(locale);
  return (count: number) => `${format.format(count)} bytes`;
};

const english: Words = {
  title: 'Verify a proof bundle',
  lead: 'Drop in a proof bundle to check what was sent, when it was sealed and what the receiving server answered.',
  bundle: 'Proof bundle (.zip or .json)',
  bundleHint: 'Drop a file anywhere on this page, or choose it here.',
  eml: 'The message as you received it (.eml), if you have it',
  emlHint: 'It is compared with the sealed message.',
  trust: 'Your own trust policy (policy.json), if you have one',
  trustHint: 'Without it, the log key and the authorities are the ones that the bundle names.',
  working: 'Checking …',
  valid: 'Verified',
  invalid: 'Not valid',
  validMeans: 'Every check of this bundle passes.',
  validMeansAlone:
    'Every check of this bundle passes, with the log key and the authority that the bundle itself names.',
  dkim: "Signature of the sender's domain (DKIM)",
  noBundle: 'Not a proof bundle',
  noBundleMeans:
    'This file is not a proof bundle. Nothing was verified, and this says nothing about any evidence.',
  message: 'The message',
  messageNames: {
    from: 'From',
    to: 'To',
    cc: 'Cc',
    reply_to: 'Reply to',
    subject: 'Subject',
    date: 'Date',
    mail_from: 'Envelope sender',
    rcpt_to: 'Envelope recipient',
  },
  parts: 'What it contains',
  partWithoutName: 'Text',
  bytes: bytesIn('en'),
  time: timeIn('en'),
  proven: 'What third parties prove',
  provenTime: (time, authority) =>
    `The content existed on ${time} and has not changed since: signed by the time-stamping authority ${authority}.`,
  provenDevelopment: (time) =>
    `A development authority stamped the content on ${time}. That proves nothing to third parties.`,
  provenLog: (log, leaf, size) =>
    `It is entry ${leaf} of the log ${log}, which then had ${size} entries and cannot be rewritten unnoticed.`,
  provenWitnesses: (count, quorum) =>
    count === 0 && quorum === 0
      ? 'No witness was asked to cosign the log.'
      : `${count === 1 ? '1 witness' : `${count} witnesses`} of the policy cosigned the log; it asks for ${quorum}.`,
  asserted: 'What the operator says',
  assertedTime: (time) => `That the message was accepted on ${time}.`,
  assertedEnvelope: 'The addresses of the envelope, and the Date in the message.',
  assertedDelivery:
    'What other mail servers answered. That a server accepted a message does not prove that anybody read it.',
  trustTitle: 'What this relies on',
  pinned: 'The log key, the authorities and the witnesses are those of the policy that you gave.',
  root: "Authority's root, SHA-256",
  unproven: 'Not part of the proof',
  documents: {
    remade: 'is the text that this version writes from the evidence. It is not signed.',
    other: 'is not the text that this version writes from the evidence. Do not run its commands.',
    uncompared:
      'was not compared with the evidence and is not signed. Where the two differ, believe this page.',
  },
  kinds: {
    sent: 'Handed to the receiving server',
    bounced: 'Refused',
    cancelled: 'Cancelled before it was sent',
    complained: 'Reported as unwanted',
  },
  copy: {
    same: () => 'This copy is what was sent',
    parts: () => 'This copy has the parts that the bundle shows',
    differs: () => 'The bundle is valid. This copy is not what was sent',
    not_comparable: (holds) =>
      holds ? 'This copy could not be compared' : 'This copy was not compared: the bundle is not valid',
  },
  copyMeans: {
    same: 'The only differences are what mail servers add on the way, or white space.',
    parts: 'Its sender, its subject and everything else were not compared.',
    differs: 'Do not rely on this copy. What was sent is shown below.',
    not_comparable: 'This bundle contains nothing to compare a copy with.',
  },
  differences: {
    field_added: (name) => `${name} was added to the header`,
    field_changed: (name) => `${name} is different`,
    field_missing: (name) => `${name} is missing`,
    header: () => 'the header is different',
    body: () => 'the body is different',
    part_missing: (name) => `the part ${name} is missing or different`,
    unreadable: () => 'it cannot be read as a message',
  },
  invalidMeans: 'At least one check fails: do not rely on this bundle.',
  development:
    'The time-stamp is from a development authority. It is not a NOM-151 constancia and proves nothing to third parties.',
  unpinned:
    'Trust was taken from the bundle itself: its maker named the log key and the authority. Compare this fingerprint with the root that the authority publishes, or provide your own policy.',
  erased:
    'The operator erased the content of this message, and with it the salts: the message, its addresses, the request and the replies of servers can no longer be shown. That it was sealed, when, and what became of it remains proven.',
  facts: 'Hashes and numbers',
  checks: 'All checks',
  delivery: 'What became of the message',
  sources: {
    session: 'A server answered in a session with the operator.',
    operator: 'The operator recorded it; no server answered.',
    reported_by_mail: 'A mail said so; anybody who knew the address could have written it.',
  },
  received: 'The message that you received',
  layers: { L0: 'Byte for byte', L1: 'Header and body (DKIM relaxed form)', L2: 'Parts and attachments' },
  matches: 'matches',
  differs: 'differs',
  failed: (reason) => `This file cannot be read: ${reason}`,
  factNames: {},
  privacy:
    'Everything is computed in this browser. Nothing is sent anywhere, and once loaded this page works offline.',
};

const spanish: Words = {
  title: 'Verificar un paquete de evidencia',
  lead: 'Suelte aquí un paquete de evidencia para comprobar qué se envió, cuándo se selló y qué respondió el servidor receptor.',
  bundle: 'Paquete de evidencia (.zip o .json)',
  bundleHint: 'Suelte un archivo en cualquier parte de esta página o elíjalo aquí.',
  eml: 'El mensaje tal como lo recibió (.eml), si lo tiene',
  emlHint: 'Se compara con el mensaje sellado.',
  trust: 'Su propia política de confianza (policy.json), si la tiene',
  trustHint: 'Sin ella, la clave del registro y las autoridades son las que nombra el propio paquete.',
  working: 'Comprobando …',
  valid: 'Verificado',
  invalid: 'No válido',
  validMeans: 'Todas las comprobaciones de este paquete se cumplen.',
  validMeansAlone:
    'Todas las comprobaciones de este paquete se cumplen, con la clave del registro y la autoridad que nombra el propio paquete.',
  dkim: 'Firma del dominio del remitente (DKIM)',
  noBundle: 'No es un paquete de evidencia',
  noBundleMeans:
    'Este archivo no es un paquete de evidencia. No se verificó nada, y esto no dice nada acerca de ninguna evidencia.',
  message: 'El mensaje',
  messageNames: {
    from: 'De',
    to: 'Para',
    cc: 'Con copia',
    reply_to: 'Responder a',
    subject: 'Asunto',
    date: 'Fecha',
    mail_from: 'Remitente del sobre',
    rcpt_to: 'Destinatario del sobre',
  },
  parts: 'Lo que contiene',
  partWithoutName: 'Texto',
  bytes: bytesIn('es-MX'),
  time: timeIn('es-MX'),
  proven: 'Lo que prueban terceros',
  provenTime: (time, authority) =>
    `El contenido existía el ${time} y no ha cambiado desde entonces: así lo firma la autoridad de sellado de tiempo ${authority}.`,
  provenDevelopment: (time) =>
    `Una autoridad de desarrollo selló el contenido el ${time}. Eso no prueba nada ante terceros.`,
  provenLog: (log, leaf, size) =>
    `Es la entrada ${leaf} del registro ${log}, que entonces tenía ${size} entradas y no puede reescribirse sin que se note.`,
  provenWitnesses: (count, quorum) =>
    count === 0 && quorum === 0
      ? 'No se pidió a ningún testigo que cofirmara el registro.'
      : `${count === 1 ? '1 testigo de la política cofirmó' : `${count} testigos de la política cofirmaron`} el registro; se pide${quorum === 1 ? '' : 'n'} ${quorum}.`,
  asserted: 'Lo que afirma el operador',
  assertedTime: (time) => `Que el mensaje se aceptó el ${time}.`,
  assertedEnvelope: 'Las direcciones del sobre y la fecha que lleva el mensaje.',
  assertedDelivery:
    'Lo que respondieron otros servidores de correo. Que un servidor haya aceptado un mensaje no prueba que alguien lo haya leído.',
  trustTitle: 'En qué se basa esta verificación',
  pinned:
    'La clave del registro, las autoridades y los testigos son los de la política que usted proporcionó.',
  root: 'Raíz de la autoridad, SHA-256',
  unproven: 'Lo que no forma parte de la prueba',
  documents: {
    remade: 'es el texto que esta versión genera a partir de la evidencia. No está firmado.',
    other: 'no es el texto que esta versión genera a partir de la evidencia. No ejecute sus comandos.',
    uncompared:
      'no se comparó con la evidencia y no está firmado. Si difiere de esta página, prevalece lo que dice esta página.',
  },
  kinds: {
    sent: 'Entregado al servidor receptor',
    bounced: 'Rechazado',
    cancelled: 'Cancelado antes de enviarse',
    complained: 'Reportado como no deseado',
  },
  copy: {
    same: () => 'Esta copia es lo que se envió',
    parts: () => 'Esta copia contiene las partes que muestra el paquete',
    differs: () => 'El paquete es válido. Esta copia no es lo que se envió',
    not_comparable: (holds) =>
      holds ? 'Esta copia no se pudo comparar' : 'Esta copia no se comparó: el paquete no es válido',
  },
  copyMeans: {
    same: 'Solo difiere lo que los servidores de correo agregan en el trayecto, o los espacios en blanco.',
    parts: 'No se compararon el remitente, el asunto ni lo demás.',
    differs: 'No confíe en esta copia. Abajo se muestra lo que se envió.',
    not_comparable: 'Este paquete no contiene nada con lo que se pueda comparar una copia.',
  },
  differences: {
    field_added: (name) => `se agregó ${name} al encabezado`,
    field_changed: (name) => `${name} es diferente`,
    field_missing: (name) => `falta ${name}`,
    header: () => 'el encabezado es diferente',
    body: () => 'el cuerpo es diferente',
    part_missing: (name) => `la parte ${name} falta o es diferente`,
    unreadable: () => 'no se puede leer como mensaje',
  },
  invalidMeans: 'Al menos una comprobación falla: no confíe en este paquete.',
  development:
    'El sello de tiempo proviene de una autoridad de desarrollo. No es una constancia NOM-151 y no prueba nada ante terceros.',
  unpinned:
    'La confianza se tomó del propio paquete: quien lo hizo nombró la clave del registro y la autoridad. Compare esta huella con la raíz que publica la autoridad (y, para un PSC, la Secretaría de Economía), o proporcione su propia política.',
  erased:
    'El operador borró el contenido de este mensaje y, con él, las sales: ya no pueden mostrarse el mensaje, sus direcciones, la solicitud ni lo que respondieron los servidores. Sigue probado que se selló, cuándo y qué sucedió con él.',
  facts: 'Hashes y números',
  checks: 'Todas las comprobaciones',
  delivery: 'Qué sucedió con el mensaje',
  sources: {
    session: 'Lo respondió un servidor en una sesión con el operador.',
    operator: 'Lo registró el operador; ningún servidor respondió.',
    reported_by_mail: 'Lo dice un correo; pudo haberlo escrito cualquiera que conociera la dirección.',
  },
  received: 'El mensaje que usted recibió',
  layers: {
    L0: 'Byte por byte',
    L1: 'Encabezado y cuerpo (forma relajada de DKIM)',
    L2: 'Partes y adjuntos',
  },
  matches: 'coincide',
  differs: 'difiere',
  failed: (reason) => `No se puede leer este archivo: ${reason}`,
  factNames: {
    log: 'registro',
    message_id: 'mensaje',
    tenant_id: 'cuenta',
    tenant_sequence: 'número de secuencia en la cuenta',
    accepted_at: 'aceptado (según el operador)',
    canonical_hash: 'hash canónico',
    content: 'contenido',
    leaf_index: 'hoja',
    tree_size: 'tamaño del árbol',
    merkle_root: 'raíz de Merkle',
    witnesses: 'testigos',
    sealed_at: 'sellado',
    profile: 'perfil',
    issuer: 'emisor',
    policy_oid: 'política',
    serial_number: 'número de serie',
    renewed_at: 'sello renovado',
    covered_until: 'certificados vigentes hasta',
    message_sealed_at: 'constancia propia',
    trust: 'confianza',
    witness_quorum: 'testigos que pide la política',
    root_sha256: 'raíz de la autoridad (SHA-256)',
  },
  privacy:
    'Todo se calcula en este navegador. No se envía nada a ninguna parte, y, una vez cargada, la página funciona sin conexión.',
};

export const WORDS = { en: english, es: spanish } as const;
export type Language = keyof typeof WORDS;

import { KINDS } from '@acuse/evidence/delivery-kinds';
import { COUNTED, remarkText, VERDICT_TITLES } from '@acuse/evidence/verdict-words';
import { createFormalFormat } from '../format/formal.ts';
import type { ReportWords } from './words.ts';

const format = createFormalFormat('es');
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The words of a report in Mexican business Spanish. */
export const spanish: ReportWords = {
  sentence: ({ from, to, subject, time }) =>
    `${subject === undefined ? 'Un mensaje' : `El mensaje «${subject}»`}${from === undefined ? '' : ` de ${from}`}${to === undefined ? '' : ` para ${to}`} existía el ${time} y no ha cambiado desde entonces.`,
  groups: {
    message: '¿Es este el mensaje que se aceptó?',
    log: '¿Lo contiene el registro?',
    time: '¿Es auténtico el sello de tiempo y cubre el registro?',
    renewal: '¿Están en orden sus renovaciones?',
    delivery: '¿Son válidos los registros de su entrega?',
    bundle: '¿Está completo el archivo?',
  },
  passed: (passed) => (passed === 1 ? 'Sí, 1 comprobación' : `Sí, ${passed} comprobaciones`),
  failedChecks: (failed) =>
    failed === 1 ? 'No, 1 comprobación falla' : `No, ${failed} comprobaciones fallan`,
  completeness: { not_shown: 'No se muestra', part: 'Incompleto' },
  verdicts: VERDICT_TITLES.es,
  remark: (remark) => sentence(remarkText(remark, 'es')),
  counted: COUNTED.es,
  notCounted: 'No se muestra cuántos resultados hubo.',
  validMeans:
    'Todas las comprobaciones de este paquete se cumplen, con las claves de la política que usted proporcionó.',
  operatorSays:
    'Lo dice la propia página del operador. Sin él: acuse verify, de una versión cuya suma de verificación haya comparado usted.',
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
  withheld: 'Una parte se oculta: quien conoce la dirección completa podría reportar un rebote.',
  parts: 'Lo que contiene',
  partWithoutName: 'Texto',
  bytes: format.bytes,
  time: format.time,
  proven: 'Lo que prueban terceros',
  provenTime: (time, authority) =>
    `El contenido existía el ${time} y no ha cambiado desde entonces: así lo firma la autoridad de sellado de tiempo ${authority}.`,
  provenDevelopment: (time) =>
    `Una autoridad de desarrollo selló el contenido el ${time}. Eso no prueba nada ante terceros.`,
  provenLog: (log, leaf, size) =>
    `Es la entrada ${leaf} del registro ${log}, que entonces tenía ${size === 1 ? '1 entrada' : `${size} entradas`} y no puede reescribirse sin que se note.`,
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
    issued:
      'es, según el operador, lo que la autoridad emitió junto con su sello de tiempo. No se leyó: solo cuenta el sello.',
  },
  outcome: (kind) => KINDS[kind].words.es.title,
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
  unpinned:
    'La confianza se tomó del propio paquete: quien lo hizo nombró la clave del registro y la autoridad. Compare esta huella con la raíz que publica la autoridad (y, para un PSC, la Secretaría de Economía), o proporcione su propia política.',
  ownKeys:
    'La clave del registro, la autoridad y los testigos son los de este mismo servicio. Compare esta huella con la raíz que publica la autoridad (y, para un PSC, la Secretaría de Economía).',
  erased:
    'El operador borró el contenido de este mensaje y, con él, las sales: ya no pueden mostrarse el mensaje, sus direcciones, la solicitud ni lo que respondieron los servidores. Sigue probado que se selló, cuándo y con qué resultados.',
  logEnded: ({ log, time, kept, published, successor }) =>
    `El registro ${log} terminó el ${time}. Aún muestra ${kept} de ${published} entradas publicadas, y continúa ${successor}. Lo que selló antes sigue siendo válido.`,
  facts: 'Hashes y números',
  checks: 'Todas las comprobaciones',
  delivery: 'Entrega',
  sources: {
    session: 'Lo respondió un servidor en una sesión con el operador.',
    operator: 'Lo registró el operador; ningún servidor respondió.',
    reported_by_mail: 'Lo dice un correo; pudo haberlo escrito cualquiera que conociera la dirección.',
    recipient_page:
      'Lo dice el operador: actuó alguien que lee este buzón, con un código enviado ahí; no se sabe quién.',
  },
  ownMail:
    'Lo dice un correo del destinatario. Su dominio de correo lo firmó con la llave que está en la evidencia; que el dominio la tenía publicada lo dice el operador.',
  received: 'El mensaje que usted recibió',
  layers: {
    L0: 'Byte por byte',
    L1: 'Encabezado y cuerpo (forma relajada de DKIM)',
    L2: 'Partes y adjuntos',
  },
  matches: 'coincide',
  differs: 'difiere',
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
    log_ended_at: 'fin del registro',
    log_kept_size: 'entradas que el registro aún muestra',
    log_published_size: 'entradas que el registro publicó',
    log_successor: 'registro que continúa',
    outcomes_as_of: 'resultados contados',
    outcomes_withheld: 'resultados que no se muestran',
    history: 'historia del registro',
    root_sha256: 'raíz de la autoridad (SHA-256)',
  },
};

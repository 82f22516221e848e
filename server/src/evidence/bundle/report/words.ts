import type { DeliverySource } from '@acuse/evidence/delivery-facts';
import { type DeliveryKind, KINDS, nameOf } from '@acuse/evidence/delivery-kinds';
import { COUNTED } from '@acuse/evidence/verdict-words';

export interface ReportWords {
  readonly title: string;
  /** Above everything: a report gives no verdict, because it does not know whom its reader trusts. */
  readonly says: string;
  readonly outcome: (kind: DeliveryKind, source: DeliverySource) => string;
  readonly development: string;
  /** Nobody signs the report. */
  readonly notProof: string;
  readonly message: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly accepted: string;
  readonly id: string;
  readonly erased: string;
  readonly content: string;
  readonly wholeMessage: string;
  readonly seal: string;
  readonly canonicalHash: string;
  readonly log: string;
  readonly logKey: string;
  readonly place: (leaf: number, size: number) => string;
  readonly root: string;
  readonly sealedAt: string;
  readonly authority: string;
  readonly policy: string;
  readonly serial: string;
  readonly ownConstancia: string;
  readonly issued: string;
  readonly notRead: string;
  readonly renewed: string;
  readonly coveredUntil: string;
  readonly delivery: string;
  readonly noDelivery: string;
  readonly asOf: string;
  /** `time`: RFC 3339. */
  readonly counted: (typeof COUNTED)['en'];
  readonly notCounted: string;
  readonly ended: string;
  readonly byMail: string;
  readonly byMailMeans: string;
  readonly deliveredBy: string;
  readonly vouched: string;
  readonly notVouched: string;
  readonly claims: string;
  readonly ownMail: string;
  readonly ownMailMeans: string;
  readonly acts: string;
  readonly actsMean: string;
  readonly actName: string;
  readonly actReason: string;
  readonly actSentence: string;
  readonly actCode: string;
  readonly proven: string;
  readonly provenBy: readonly string[];
  readonly provesNothing: string;
  readonly bound: string;
  readonly boundBy: readonly string[];
  readonly asserted: string;
  readonly assertedBy: readonly string[];
  readonly verify: string;
  readonly verifyHow: string;
}

export const SPANISH: ReportWords = {
  title: 'Reporte de evidencia',
  says: 'Lo que dice este archivo',
  outcome: (kind, source) => nameOf(KINDS[kind].words.es, source),
  development: 'SELLO DE DESARROLLO: no es una constancia NOM-151 y no prueba nada ante terceros.',
  notProof:
    'Este reporte es un resumen para leer. No forma parte de la prueba: no está firmado, la verificación no lo compara y no da ningún veredicto, que depende de en quién confíe usted. Si difiere de la evidencia del paquete, prevalece la evidencia.',
  message: 'El mensaje',
  from: 'De',
  to: 'Para',
  subject: 'Asunto',
  accepted: 'Aceptado',
  id: 'Identificador',
  erased:
    'El operador borró el contenido de este mensaje y, con él, las sales: ya no pueden mostrarse el mensaje, sus partes, su asunto, sus direcciones, la solicitud ni lo que respondieron los servidores. Las pruebas siguen siendo válidas, porque el registro y el sello cubren solo el hash canónico, y el manifiesto que lo produce no contiene más que compromisos. Quien conserve un paquete anterior todavía puede abrirlos.',
  content: 'Lo que contiene (SHA-256 de cada parte)',
  wholeMessage: 'Mensaje completo (message.eml)',
  seal: 'El sello',
  canonicalHash: 'Hash canónico (SHA-256 de manifest.json)',
  log: 'Registro',
  logKey: 'Clave del registro',
  place: (leaf, size) => `hoja ${leaf} de un registro de ${size}`,
  root: 'Raíz de Merkle',
  sealedAt: 'Sellado (genTime)',
  authority: 'Autoridad de sellado',
  policy: 'Política',
  serial: 'Número de serie',
  ownConstancia: 'Constancia propia del mensaje',
  issued: 'Documento de la autoridad',
  notRead: 'tal como llegó; no se evaluó y no forma parte de la prueba',
  renewed: 'Sello renovado',
  coveredUntil: 'Certificados vigentes hasta',
  delivery: 'Lo que respondieron los servidores',
  asOf: 'A la fecha',
  counted: COUNTED.es,
  notCounted: 'No se muestra cuántos resultados hubo.',
  noDelivery: 'Este paquete no contiene ninguna respuesta definitiva de un servidor.',
  ended: 'Lo que terminó sin respuesta de un servidor',
  byMail: 'Lo que se reportó por correo',
  byMailMeans:
    'Ningún servidor respondió esto en una sesión con el operador: lo dice un correo enviado a la dirección de retorno del mensaje, y cualquiera que conozca esa dirección puede escribirlo. Constan el host que lo entregó y los resultados de SPF y DKIM.',
  deliveredBy: 'Host que entregó el correo',
  vouched: 'Vínculo con el servidor receptor',
  notVouched: 'ninguno: cualquiera pudo haberlo escrito',
  claims: 'Lo que afirma el correo',
  ownMail: 'Lo que el destinatario escribió por correo',
  ownMailMeans:
    'Un correo del destinatario, firmado por su dominio de correo (DKIM). Con el paquete cualquiera puede comprobar la firma; que el dominio tenía publicada la clave lo afirma el operador. Escribió alguien que usa ese buzón; no se sabe quién. Se refiere a la recepción, nunca a estar de acuerdo.',
  acts: 'Lo que hizo el destinatario',
  actsMean:
    'El operador afirma que en su página se escribió un código que había enviado a la dirección del destinatario. Actuó alguien que lee ese buzón; no se sabe quién. Se refiere a la recepción, nunca a estar de acuerdo.',
  actName: 'Nombre que escribió',
  actReason: 'Motivo',
  actSentence: 'Lo que confirmó',
  actCode: 'Código enviado',
  proven: 'Lo que prueban terceros',
  provenBy: [
    'Que el contenido sellado existía a más tardar en la fecha del sello: así lo firma la autoridad de sellado de tiempo.',
    'Que desde entonces no ha cambiado ni un solo byte: cualquiera puede comprobarlo con SHA-256.',
  ],
  provesNothing: 'Nada, porque el sello es de desarrollo.',
  bound: 'Lo que el operador firmó y ya no puede cambiar',
  boundBy: [
    'Que el mensaje y sus resultados constan en su registro, en este orden: reescribirlo dejaría dos versiones firmadas y contradictorias. Es su registro solo si la clave de arriba es la que el operador publica.',
  ],
  asserted: 'Lo que afirma el operador',
  assertedBy: [
    'La hora de aceptación, el remitente y el destinatario del sobre SMTP.',
    'Las respuestas del servidor receptor, tal como quedaron en la transcripción. Que un servidor haya aceptado un mensaje no prueba que una persona lo haya leído.',
  ],
  verify: 'Compruébelo',
  verifyHow:
    'Suelte el paquete de evidencia en la página del código QR (todo se calcula en su navegador) o siga VERIFY.md, que solo necesita OpenSSL.',
};

export const ENGLISH: ReportWords = {
  title: 'Evidence report',
  says: 'What this file says',
  outcome: (kind, source) => nameOf(KINDS[kind].words.en, source),
  development: 'DEVELOPMENT TIME-STAMP: not a NOM-151 constancia; it proves nothing to third parties.',
  notProof:
    'This report is a summary for reading. It is not part of the proof: it is not signed, verification does not compare it, and it gives no verdict, which depends on whom you trust. Where it differs from the evidence in the bundle, the evidence prevails.',
  message: 'The message',
  from: 'From',
  to: 'To',
  subject: 'Subject',
  accepted: 'Accepted',
  id: 'Identifier',
  erased:
    'The operator erased the content of this message, and with it the salts: the message, its parts, its subject, its addresses, the request and the replies of servers can no longer be shown. The proofs stay valid because the log and the seal cover only the canonical hash, and the manifest behind it contains only commitments. Anyone who kept an earlier bundle can still open them.',
  content: 'What it contains (SHA-256 of each part)',
  wholeMessage: 'Whole message (message.eml)',
  seal: 'The seal',
  canonicalHash: 'Canonical hash (SHA-256 of manifest.json)',
  log: 'Log',
  logKey: 'Key of the log',
  place: (leaf, size) => `leaf ${leaf} of a log of ${size}`,
  root: 'Merkle root',
  sealedAt: 'Sealed (genTime)',
  authority: 'Time-stamping authority',
  policy: 'Policy',
  serial: 'Serial number',
  ownConstancia: "The message's own constancia",
  issued: "Authority's document",
  notRead: 'as it came; not evaluated, and no part of the proof',
  renewed: 'Seal renewed',
  coveredUntil: 'Certificates valid until',
  delivery: 'What the servers replied',
  asOf: 'As of',
  counted: COUNTED.en,
  notCounted: 'How many outcomes there were is not shown.',
  noDelivery: 'This bundle contains no final reply from a server.',
  ended: 'What ended without an answer from a server',
  byMail: 'What was reported by mail',
  byMailMeans:
    'No server replied this in a session with the operator: a mail to the return path of the message says so, and anybody who knows that address can write one. The host that delivered it and its SPF and DKIM results are on record.',
  deliveredBy: 'Host that delivered the mail',
  vouched: 'Link to the receiving server',
  notVouched: 'none: anybody could have written it',
  claims: 'What the mail claims',
  ownMail: 'What the recipient wrote by mail',
  ownMailMeans:
    'A mail of the recipient, signed by their mail domain (DKIM). With the bundle anybody can check the signature; that the domain had published the key is stated by the operator. Somebody who uses that mailbox wrote it; it does not show who. It is about receipt, never about agreement.',
  acts: 'What the recipient did',
  actsMean:
    'The operator states that a code which it had sent to the address of the recipient was entered on its page. Somebody who reads that mailbox acted; it does not show who. It is about receipt, never about agreement.',
  actName: 'Name that was typed',
  actReason: 'Reason',
  actSentence: 'What was confirmed',
  actCode: 'Code sent',
  proven: 'What third parties prove',
  provenBy: [
    'That the sealed content existed no later than the time of the seal: the time-stamping authority signs it.',
    'That not a byte of it has changed since: anybody can check it with SHA-256.',
  ],
  provesNothing: 'Nothing, because the time-stamp is from a development authority.',
  bound: 'What the operator signed and can no longer change',
  boundBy: [
    'That the message and its outcomes are in the log of the operator, in this order: rewriting it would leave two signed versions that contradict each other. It is the log of the operator only if the key above is the one that the operator publishes.',
  ],
  asserted: 'What the operator asserts',
  assertedBy: [
    'The time of acceptance and the sender and recipient of the SMTP envelope.',
    'The replies of the receiving server, as recorded in the transcript. That a server accepted a message does not prove that a person read it.',
  ],
  verify: 'Check it yourself',
  verifyHow:
    'Drop the proof bundle onto the page of the QR code (everything is computed in your browser), or follow VERIFY.md, which needs only OpenSSL.',
};

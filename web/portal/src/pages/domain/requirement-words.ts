import type { SenderRequirement } from '../../../../shared/api/portal-types.ts';
import type { Words } from '../../../../shared/words/words.ts';

type Rule = SenderRequirement['rule'];
/** Rules with a count; for the others the findings are shown. */
export const COUNTED = [
  'alignment',
  'one_click_unsubscribe',
  'complaint_rate',
  'reverse_dns',
  'tls',
] as const;

interface RequirementWords {
  readonly title: string;
  readonly hint: string;
  readonly rule: string;
  readonly verdict: string;
  readonly seen: string;
  readonly verdicts: Readonly<Record<SenderRequirement['verdict'], string>>;
  readonly rules: Readonly<Record<Rule, string>>;
  readonly counts: Readonly<Record<(typeof COUNTED)[number], (part: string, total: string) => string>>;
  /** Of messages that carry no mark of those that a rule is about. */
  readonly unmarked: (total: string) => string;
  readonly nothing: string;
  /** The fix for a rule that is not met. */
  readonly advice: Readonly<Record<Rule, string>>;
}

const english: RequirementWords = {
  title: 'Rules of Gmail and Yahoo for bulk senders',
  hint: 'They are required of whoever sends them 5,000 messages a day, and good for everybody. Each shows the data of the last 30 days.',
  rule: 'Rule',
  verdict: 'State',
  seen: 'Seen',
  verdicts: {
    met: 'Met',
    at_risk: 'Look at it',
    unmet: 'Not met',
    not_needed: 'Not needed',
    unknown: 'Not known',
  },
  rules: {
    dkim: 'Signed with DKIM',
    spf: 'SPF passes for the return path',
    dmarc: 'A DMARC record is published',
    alignment: 'From is aligned with DKIM or SPF',
    one_click_unsubscribe: 'Unsubscribing with one click',
    complaint_rate: 'Complaints below 0.1 %, never 0.3 %',
    reverse_dns: 'Addresses have reverse DNS',
    tls: 'Sent over TLS',
  },
  counts: {
    alignment: (part, total) => `${part} of ${total} messages pass at a typical receiver`,
    one_click_unsubscribe: (part, total) => `${part} of the latest ${total} bulk messages have it`,
    complaint_rate: (part, total) => `${part} complaints about ${total} messages sent`,
    reverse_dns: (part, total) => `${part} of ${total} addresses`,
    tls: (part, total) => `${part} of the latest ${total} messages`,
  },
  unmarked: (total) =>
    `None of the latest ${total} messages is marked as bulk mail (List-Unsubscribe, List-Id, Precedence). Marketing without such a mark would still need it.`,
  nothing: 'Too little data.',
  advice: {
    dkim: 'Publish the DKIM record above.',
    spf: 'Publish the return path record above: it brings SPF with it.',
    dmarc: 'Publish the DMARC record above.',
    alignment: 'Look at the reports below: sign the mail of the sources that are yours.',
    one_click_unsubscribe:
      'Some bulk messages lack it. Send them with List-Unsubscribe, with an https address, and with List-Unsubscribe-Post. Receipts and notices need neither.',
    complaint_rate:
      'Write only to those who asked for it, and stop writing to those who complain. Gmail reports no complaints: see its Postmaster Tools.',
    reverse_dns: 'The operator has the provider of the address publish its name.',
    tls: 'The mail servers of these recipients offer no TLS; nothing is to be done here.',
  },
};

const spanish: RequirementWords = {
  title: 'Reglas de Gmail y Yahoo para envíos masivos',
  hint: 'Son obligatorias para quien les envía 5,000 mensajes al día y convienen a todos. Cada una muestra lo observado en los últimos 30 días.',
  rule: 'Regla',
  verdict: 'Estado',
  seen: 'Visto',
  verdicts: {
    met: 'Se cumple',
    at_risk: 'Revísela',
    unmet: 'No se cumple',
    not_needed: 'No hace falta',
    unknown: 'No se sabe',
  },
  rules: {
    dkim: 'Firmado con DKIM',
    spf: 'SPF pasa para la ruta de retorno',
    dmarc: 'Hay un registro DMARC publicado',
    alignment: 'El remitente se alinea con DKIM o SPF',
    one_click_unsubscribe: 'Cancelar la suscripción con un clic',
    complaint_rate: 'Reportes de correo no deseado por debajo de 0.1 %, nunca 0.3 %',
    reverse_dns: 'Las direcciones tienen DNS inverso',
    tls: 'Enviado con TLS',
  },
  counts: {
    alignment: (part, total) => `Pasan ${part} de ${total} mensajes en un receptor típico`,
    one_click_unsubscribe: (part, total) => `La tienen ${part} de los últimos ${total} mensajes masivos`,
    complaint_rate: (part, total) => `${part} reportes por ${total} mensajes enviados`,
    reverse_dns: (part, total) => `${part} de ${total} direcciones`,
    tls: (part, total) => `${part} de los últimos ${total} mensajes`,
  },
  unmarked: (total) =>
    `Ninguno de los últimos ${total} mensajes está marcado como enviado a muchos (List-Unsubscribe, List-Id, Precedence). La publicidad sin esa marca también la necesita.`,
  nothing: 'Hay muy pocos datos.',
  advice: {
    dkim: 'Publique el registro DKIM de arriba.',
    spf: 'Publique el registro de la ruta de retorno de arriba: trae consigo el SPF.',
    dmarc: 'Publique el registro DMARC de arriba.',
    alignment: 'Revise los reportes de abajo: firme el correo de los orígenes que sean suyos.',
    one_click_unsubscribe:
      'Hay mensajes masivos sin ella. Envíelos con List-Unsubscribe, con una dirección https, y con List-Unsubscribe-Post. Los recibos y avisos no necesitan ninguno.',
    complaint_rate:
      'Escriba solo a quien lo pidió y deje de escribir a quien lo reporta. Gmail no envía esos reportes: consulte su Postmaster Tools.',
    reverse_dns: 'El operador pide al proveedor de la dirección que publique su nombre.',
    tls: 'Los servidores de estos destinatarios no ofrecen TLS; aquí no hay nada que hacer.',
  },
};

export const requirementWords: Words<RequirementWords> = { en: english, es: spanish };

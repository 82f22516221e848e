import type { ActLanguage } from '@acuse/evidence/acknowledgement-facts';
import type { Mail } from '../../people/sessions/mail-words.ts';

/** Texts for the recipient: people who never heard of us, often on a telephone. */
export interface AcknowledgeWords {
  readonly title: string;
  /** The title's place before a code is sent. */
  readonly question: string;
  /** The other language, in itself. */
  readonly other: { readonly language: ActLanguage; readonly name: string };
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly noSubject: string;
  readonly accepted: string;
  readonly attachments: string;
  /** Opens the other details of the message. */
  readonly more: string;
  readonly hash: string;
  readonly hashMeans: string;
  readonly size: (bytes: number) => string;
  readonly time: (at: Date) => string;
  readonly until: string;
  readonly codeWhy: (address: string) => string;
  readonly sendCode: string;
  readonly mailTitle: string;
  readonly mailHow: (address: string) => string;
  readonly codeLabel: string;
  readonly codeSent: (address: string) => string;
  /** Opens what to do without a code. */
  readonly noCode: string;
  readonly noCodeHow: string;
  readonly newCode: string;
  readonly nameLabel: string;
  /** The sentence that is confirmed, word for word: it goes into the evidence. */
  readonly sentence: string;
  readonly confirm: string;
  readonly refuseTitle: string;
  readonly refuseMeans: string;
  /** As `sentence`. */
  readonly refusalSentence: string;
  readonly reasonLabel: string;
  readonly refuse: string;
  readonly final: string;
  readonly done: Readonly<Record<'acknowledged' | 'refused', readonly [title: string, text: string]>>;
  readonly at: (time: string) => string;
  readonly doneMeans: string;
  readonly expired: readonly [title: string, text: string];
  readonly wasUntil: (time: string) => string;
  /** By our record, no server took it. */
  readonly undelivered: readonly [title: string, text: string];
  readonly gone: readonly [title: string, text: string];
  readonly unknown: readonly [title: string, text: string];
  readonly busy: readonly [title: string, text: string];
  readonly faults: Readonly<Record<Fault, string>>;
  readonly faultsTitle: string;
  readonly foot: string;
  readonly mail: (code: string) => Mail;
}

export type Fault =
  | 'code_form'
  | 'code_wrong'
  | 'code_over'
  | 'code_soon'
  | 'code_many'
  | 'code_unsent'
  | 'early'
  | 'name'
  | 'tick'
  /** Its evidence is damaged, and no answer can be added. */
  | 'unrecorded';

const TIME: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};
/** Spanish is for Mexico, where a deadline in UTC would be read six hours too late. */
const CENTRE_OF_MEXICO = 'America/Mexico_City';

function sizes(locale: string): (bytes: number) => string {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return (bytes) => {
    if (bytes < 1_000) return `${number.format(bytes)} B`;
    return bytes < 1_000_000
      ? `${number.format(bytes / 1_000)} kB`
      : `${number.format(bytes / 1_000_000)} MB`;
  };
}

function times(locale: string, timeZone: string, zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat(locale, { ...TIME, timeZone });
  return (at) => `${format.format(at)} ${zone}`;
}

const en: AcknowledgeWords = {
  title: 'Acknowledgement of receipt',
  question: 'Did you receive this message?',
  other: { language: 'es', name: 'Español' },
  from: 'From',
  to: 'To',
  subject: 'Subject',
  noSubject: '(no subject)',
  accepted: 'Sent',
  attachments: 'Attachments',
  more: 'More details',
  hash: 'Fingerprint of the message',
  hashMeans: 'It is in the evidence of this message, which has a time-stamp.',
  size: sizes('en'),
  time: times('en-GB', 'UTC', 'UTC'),
  until: 'You can answer until',
  codeWhy: (address) => `To confirm, we will send a code to ${address}.`,
  sendCode: 'Send me a code',
  mailTitle: 'Confirm by mail instead',
  mailHow: (address) =>
    `From ${address}, send a mail with a few words to the address below. Your mail server must sign it (DKIM), as most do.`,
  codeLabel: 'Code',
  codeSent: (address) => `Sent to ${address}`,
  noCode: 'I did not get the code',
  noCodeHow: 'Look in your spam folder. A code is good for 10 minutes.',
  newCode: 'Send me another code',
  nameLabel: 'Your name',
  sentence: 'I received this message. That does not mean that I agree.',
  confirm: 'Confirm receipt',
  refuseTitle: 'I do not want to confirm',
  refuseMeans: 'You can also refuse. The sender sees that you did, and the reason that you give.',
  refusalSentence: 'I refuse to acknowledge receipt of this message.',
  reasonLabel: 'Reason (optional)',
  refuse: 'Refuse',
  final: 'Your answer is final. We keep the time, your name and IP address.',
  done: {
    acknowledged: ['Receipt confirmed', 'Thank you. The sender sees that this message was received.'],
    refused: ['Acknowledgement refused', 'The sender sees that you refused to acknowledge this message.'],
  },
  at: (time) => `Answered on ${time}.`,
  doneMeans: 'Somebody who can read this mailbox answered. The answer is about receipt, not agreement.',
  expired: ['The time to answer is over', 'This message can no longer be acknowledged here.'],
  wasUntil: (time) => `You could answer until ${time}.`,
  undelivered: [
    'This message was not delivered',
    'By our record no mail server took it, so it cannot be acknowledged here. If you have it all the same, reply to the sender.',
  ],
  gone: ['This message was deleted', 'Nothing is left of its content, and it can no longer be acknowledged.'],
  unknown: [
    'This link leads nowhere',
    'Open the link exactly as it stands in the message that you received. If it is broken over two lines, copy all of it.',
  ],
  busy: ['Too many requests', 'Wait a minute and open the link again.'],
  faultsTitle: 'That did not work',
  faults: {
    code_form: 'Type the eight digits of the code that we sent you.',
    code_wrong:
      'That is not the code. Look at the newest mail that we sent you. Each code can be tried 5 times.',
    code_over:
      'This code is no longer good: it is older than 10 minutes, or it was tried 5 times. Get another.',
    code_soon: 'A code was sent less than a minute ago. Wait for it before you ask for another.',
    code_many: 'Too many codes were asked for. Try again tomorrow, or reply to the sender.',
    code_unsent: 'We cannot send mail to this address now. Try again later, or reply to the sender.',
    early: 'The message is still on its way. Try again in a minute.',
    name: 'Type your name, in at most 100 characters.',
    tick: 'Tick the sentence that you confirm.',
    unrecorded:
      'We could not record your answer. The fault is ours, and we know of it. Try again tomorrow, or reply to the sender.',
  },
  foot: 'This page belongs to the mail service that the sender uses, not to the sender. It asks for no password and no payment.',
  mail: (code) => ({
    subject: `Your code: ${code}`,
    text: [
      `Your code is ${code}`,
      'It is good for 10 minutes and confirms that you received a message.',
      'Share it with nobody. If you did not ask for it, ignore it.',
      '',
    ].join('\n\n'),
  }),
};

const es: AcknowledgeWords = {
  title: 'Acuse de recibo',
  question: '¿Recibió este mensaje?',
  other: { language: 'en', name: 'English' },
  from: 'De',
  to: 'Para',
  subject: 'Asunto',
  noSubject: '(sin asunto)',
  accepted: 'Enviado',
  attachments: 'Archivos adjuntos',
  more: 'Más datos',
  hash: 'Huella del mensaje',
  hashMeans: 'Consta en la evidencia de este mensaje, que tiene un sello de tiempo.',
  size: sizes('es-MX'),
  time: times('es-MX', CENTRE_OF_MEXICO, '(hora del centro de México)'),
  until: 'Puede responder hasta',
  codeWhy: (address) => `Para confirmarlo, le enviaremos un código a ${address}.`,
  sendCode: 'Enviarme un código',
  mailTitle: 'Prefiero confirmar por correo',
  mailHow: (address) =>
    `Desde ${address}, envíe un correo con unas palabras a la dirección de abajo. Su servidor de correo debe firmarlo (DKIM), como hace la mayoría.`,
  codeLabel: 'Código',
  codeSent: (address) => `Enviado a ${address}`,
  noCode: 'No me llegó el código',
  noCodeHow: 'Revise su correo no deseado. Cada código sirve 10 minutos.',
  newCode: 'Enviarme otro código',
  nameLabel: 'Su nombre',
  sentence: 'Recibí este mensaje. No significa que esté de acuerdo.',
  confirm: 'Confirmar recepción',
  refuseTitle: 'No quiero confirmar',
  refuseMeans: 'También puede negarse. El remitente verá que lo hizo y el motivo que usted dé.',
  refusalSentence: 'Me niego a dar acuse de recibo de este mensaje.',
  reasonLabel: 'Motivo (opcional)',
  refuse: 'Negarme',
  final: 'Su respuesta es definitiva. Guardamos hora, nombre y dirección IP.',
  done: {
    acknowledged: ['Recepción confirmada', 'Gracias. El remitente ve que este mensaje se recibió.'],
    refused: ['Acuse de recibo negado', 'El remitente ve que usted se negó a dar acuse de recibo.'],
  },
  at: (time) => `Se respondió el ${time}.`,
  doneMeans:
    'Respondió alguien que puede leer este buzón. La respuesta es sobre la recepción, no sobre estar de acuerdo.',
  expired: ['El plazo para responder terminó', 'Ya no se puede dar acuse de recibo de este mensaje aquí.'],
  wasUntil: (time) => `Se podía responder hasta el ${time}.`,
  undelivered: [
    'Este mensaje no se entregó',
    'Según nuestro registro, ningún servidor de correo lo recibió, así que aquí no se puede dar acuse de recibo. Si usted lo tiene, responda al remitente.',
  ],
  gone: ['Este mensaje se borró', 'De su contenido ya no queda nada y ya no se puede dar acuse de recibo.'],
  unknown: [
    'Esta liga no lleva a ningún mensaje',
    'Abra la liga tal como está en el mensaje que recibió. Si está partida en dos líneas, cópiela completa.',
  ],
  busy: ['Demasiadas solicitudes', 'Espere un minuto y abra la liga de nuevo.'],
  faultsTitle: 'No se pudo',
  faults: {
    code_form: 'Escriba los ocho dígitos del código que le enviamos.',
    code_wrong:
      'Ese no es el código. Revise el correo más reciente que le enviamos. Cada código se puede probar 5 veces.',
    code_over: 'Este código ya no sirve: tiene más de 10 minutos o se probó 5 veces. Solicite otro.',
    code_soon: 'Hace menos de un minuto se envió un código. Espere a que llegue antes de solicitar otro.',
    code_many: 'Se solicitaron demasiados códigos. Intente mañana o responda al remitente.',
    code_unsent:
      'Por ahora no podemos enviar correo a esta dirección. Intente más tarde o responda al remitente.',
    early: 'El mensaje todavía está en camino. Intente en un minuto.',
    name: 'Escriba su nombre, de 100 caracteres como máximo.',
    tick: 'Marque la frase que confirma.',
    unrecorded:
      'No pudimos registrar su respuesta. La falla es nuestra y ya estamos enterados. Intente mañana o responda al remitente.',
  },
  foot: 'Esta página es del servicio de correo que usa el remitente, no del remitente. No pide contraseñas ni pagos.',
  mail: (code) => ({
    subject: `Su código: ${code}`,
    text: [
      `Su código es ${code}`,
      'Sirve 10 minutos para confirmar que recibió un mensaje.',
      'No lo comparta con nadie. Si no lo pidió, ignórelo.',
      '',
    ].join('\n\n'),
  }),
};

export const ACKNOWLEDGE_WORDS: Readonly<Record<ActLanguage, AcknowledgeWords>> = { en, es };

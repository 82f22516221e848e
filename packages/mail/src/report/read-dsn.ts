/**
 * Reads bounces: delivery reports of RFC 3464, and the formats that servers made up for themselves.
 */
import { getDomain } from 'tldts';
import type { RefusedStep } from '../reply/evidence.ts';
import { addressesIn, isSystemAddress } from './addresses.ts';
import { aboveOriginal, distinct, passagesBy, quotedReply, recipientsIn, stepIn } from './bounce-text.ts';
import {
  type DeliveryStatus,
  type DsnAction,
  parseDeliveryStatus,
  type StatusFields,
} from './delivery-status.ts';
import { fieldText, type HeaderFields } from './header-fields.ts';
import { decodedOctets, type MimePart, parseMime, walk } from './lenient-mime.ts';
import { MAX_RECIPIENTS, MAX_REPORT_BYTES, MAX_STATUS_BYTES, MAX_VALUE_CHARS } from './limits.ts';
import { humanText, originalOf, type ReturnedMessage, STATUS_TYPES } from './report-parts.ts';
import { type Refusal, readTranscript, type Transcript } from './transcript.ts';

/**
 * A report's fields for one recipient. `replyCode` 0: no server is quoted. `standard`: from a delivery-status
 * part.
 */
export interface ReportedRecipient {
  /** Empty where the report names nobody. */
  readonly finalRecipient: string;
  readonly originalRecipient: string | null;
  readonly action: DsnAction;
  readonly status: string | null;
  readonly replyCode: number;
  /** `smtp`, `x-unix`, …; null if there is no Diagnostic-Code field. */
  readonly diagnosticType: string | null;
  readonly diagnosticCode: string | null;
  readonly remoteMta: string | null;
  readonly step: RefusedStep;
  /** The human text about this recipient. */
  readonly explanation: string;
  readonly category: string | null;
  readonly standard: boolean;
  /**
   * Reported by a host that answers for the mailbox: its Reporting-MTA is in the recipient's domain, or the
   * mail is vouched for.
   */
  readonly byOwnHost?: true;
}

/** A delivery report. `evidenceId` and the like are read from `original.headers` by code that knows them. */
export interface DeliveryReport {
  readonly reportingMta: string | null;
  readonly originalEnvelopeId: string | null;
  readonly recipients: readonly ReportedRecipient[];
  readonly original: ReturnedMessage;
  readonly text: string;
  /**
   * Says of itself that it is a report: multipart/report, X-Failed-Recipients, or a mail system's own address
   * as sender.
   */
  readonly declared: boolean;
}

/** Reads a message as a delivery report; null when it says nothing about any recipient. Never throws. */
export function readDeliveryReport(received: MimePart): DeliveryReport | null {
  const message = insideGateway(received);
  const parts = [...walk(message)];
  const text = humanText(parts);
  const status = statusOf(parts, text);
  const above = aboveOriginal(text);
  const original = originalOf(parts, text.slice(above.length), status);
  const context: Context = {
    headers: message.headers,
    text: above,
    original,
    senders: sendersOf(message, original),
    step: stepIn(above),
    transcript: readTranscript(above),
    isDelay: isDelay(message.headers, above),
    isDeclared: isDeclared(message),
  };
  const recipients = status === null ? [] : fromStatus(status, context);
  const all = recipients.length > 0 ? recipients : fromText(context);
  if (all.length === 0) return null;
  return {
    reportingMta: status?.message.reportingMta ?? null,
    originalEnvelopeId: status?.message.originalEnvelopeId ?? null,
    recipients: all,
    original,
    text: above,
    declared: context.isDeclared,
  };
}

/**
 * A gateway may attach the report to one of its own, which has the same type and no status: then the attached
 * one is used.
 */
function insideGateway(message: MimePart): MimePart {
  if (message.parameters.get('report-type') !== 'delivery-status') return message;
  const parts = [...walk(message)];
  if (parts.some(({ type }) => STATUS_TYPES.has(type))) return message;
  const attached = parts.find(({ type }) => type === 'message/rfc822');
  if (attached === undefined) return message;
  const inner = parseMime(Buffer.from(decodedOctets(attached, MAX_REPORT_BYTES), 'latin1'));
  return [...walk(inner)].some(({ type }) => STATUS_TYPES.has(type)) ? inner : message;
}

/** Says of itself that it is a report. */
export function isDeclared(message: MimePart): boolean {
  if (isOfListServer(message.headers)) return true;
  if (message.headers.has('x-failed-recipients') || isFromMailSystem(message.headers)) return true;
  if (isFailureNotice(message.headers)) return true;
  return (
    message.type === 'multipart/report' &&
    message.parameters.get('report-type') !== 'disposition-notification'
  );
}

/** fml, a mailing list manager, answers as <list>-admin. */
function isOfListServer(headers: HeaderFields): boolean {
  return headers.has('x-mlserver') && /\.fml/i.test(headers.get('message-id') ?? '');
}

/** Nobody may answer it, and its subject says what it is. RFC 5321 §4.5.5, RFC 3464 §2 */
function isFailureNotice(headers: HeaderFields): boolean {
  if (headers.get('return-path')?.trim() !== '<>') return false;
  return /^\s*(?:delivery status notification|undeliver(?:able|ed)|(?:mail|message|delivery) (?:delivery )?fail(?:ed|ure)|returned mail|failure notice)/i.test(
    subjectOf(headers),
  );
}

interface Context {
  readonly headers: HeaderFields;
  readonly text: string;
  readonly original: ReturnedMessage;
  readonly senders: readonly string[];
  /** The step that the text as a whole names, for recipients without one of their own. */
  readonly step: RefusedStep;
  readonly transcript: Transcript;
  readonly isDelay: boolean;
  readonly isDeclared: boolean;
}

/**
 * The delivery-status parts as one; failing these, the same fields in the text, where some systems print
 * them.
 */
function statusOf(parts: readonly MimePart[], text: string): DeliveryStatus | null {
  const blocks = parts
    .filter((part) => STATUS_TYPES.has(part.type))
    .map((part) => decodedOctets(part, MAX_STATUS_BYTES));
  if (blocks.length > 0) {
    const read = parseDeliveryStatus(blocks.join('\n\n'));
    if (read.recipients.length > 0) return read;
  }
  const inText = /^(?:final|original)-recipient\s*:/im.exec(text);
  if (inText === null) return null;
  const from = text.lastIndexOf('\n\n', inText.index);
  const read = parseDeliveryStatus(text.slice(from === -1 ? 0 : from + 2));
  return read.recipients.some((one) => one.finalRecipient !== null) ? read : null;
}

/** The report's own recipient: the sender of the message, never one of its failed recipients. */
function sendersOf(message: MimePart, original: ReturnedMessage): string[] {
  // Postfix writes X-Original-To next to Delivered-To; DragonFly's agent names the failed recipient in it.
  const forwarded = message.headers.has('delivered-to') ? ['x-original-to'] : [];
  const fields = ['to', 'delivered-to', ...forwarded, 'from', 'return-path'];
  const own = fields.flatMap((name) => message.headers.all(name));
  const theirs = ['from', 'return-path', 'sender', 'reply-to'].flatMap(
    (name) => original.headers?.all(name) ?? [],
  );
  return distinct([...own, ...theirs].flatMap((value) => addressesIn(value).map((one) => one.address)));
}

function fromStatus(status: DeliveryStatus, context: Context): ReportedRecipient[] {
  const named = status.recipients.map((one) => one.finalRecipient ?? one.originalRecipient ?? '');
  const fallback = recipientsIn(context.text, context.senders, context.original.to);
  const addresses = status.recipients.map((_, i) => named[i] || fallback[i] || context.original.to[i] || '');
  const passages = passagesBy(context.text, addresses);
  return status.recipients.flatMap((fields, i) => {
    const address = addresses[i]!;
    if (address === '') return [];
    const several = status.recipients.length > 1;
    const explanation = several ? (passages.get(address.toLowerCase()) ?? '').trim() : context.text;
    const read = fromFields(fields, address, explanation.slice(0, MAX_VALUE_CHARS), context);
    return [isOwnHost(status.message.reportingMta, address) ? { ...read, byOwnHost: true } : read];
  });
}

/** True if one holder registered the domains of both, by the public suffix list. */
function isOwnHost(reportingMta: string | null, address: string): boolean {
  const registered = (name: string) => getDomain(name.toLowerCase(), { allowPrivateDomains: true });
  const domain = registered(address.slice(address.lastIndexOf('@') + 1));
  return domain !== null && reportingMta !== null && registered(reportingMta) === domain;
}

function fromFields(
  fields: StatusFields,
  address: string,
  explanation: string,
  context: Context,
): ReportedRecipient {
  const quoted =
    quotedReply(fields.diagnosticCode ?? '') ??
    (fields.diagnosticCode === null ? quotedReply(explanation) : null);
  const transcribed = transcribedOf(address, context);
  const diagnosticCode = wholeReply(fields.diagnosticCode ?? quoted?.text ?? null, transcribed);
  const text = `${diagnosticCode ?? ''}\n${explanation}`;
  const step = shownStep(transcribed) ?? stepIn(text);
  return {
    finalRecipient: address,
    originalRecipient: fields.originalRecipient,
    action: fields.action ?? actionOf(fields.status, context),
    status: preciseStatus(quoted?.status ?? null, fields.status),
    replyCode: quoted?.code ?? 0,
    diagnosticType: fields.diagnosticCode === null ? null : (fields.diagnosticType ?? 'smtp'),
    diagnosticCode: diagnosticCode ?? fields.statusComment,
    remoteMta: fields.remoteMta,
    step: step === 'unknown' ? context.step : step,
    explanation,
    category: fields.category,
    standard: true,
  };
}

function shownStep(transcribed: Refusal | null): RefusedStep | null {
  return transcribed === null || transcribed.step === 'unknown' ? null : transcribed.step;
}

/** Sendmail's field has the first line of a reply alone; its transcript has them all. */
function wholeReply(diagnosticCode: string | null, transcribed: Refusal | null): string | null {
  if (diagnosticCode === null || transcribed === null) return diagnosticCode;
  const words = (text: string) => text.replace(/^[245]\d\d[- ]/, '').trim();
  const begun = words(diagnosticCode);
  return begun !== '' && words(transcribed.text).startsWith(begun) ? transcribed.text : diagnosticCode;
}

/** The transcript's lines for a recipient; if it does not name them, the lines that name nobody. */
function transcribedOf(address: string, { transcript }: Context): Refusal | null {
  const named = transcript.recipients.get(address.toLowerCase());
  return named ?? transcript.others;
}

/** The server's words count before the reporting host's reading of them, and a subject before x.0.0. */
function preciseStatus(quoted: string | null, reported: string | null): string | null {
  if (quoted === null) return reported;
  if (/\.0\.0$/.test(quoted) && reported !== null) return reported;
  return quoted;
}

function fromText(context: Context): ReportedRecipient[] {
  const { text, original, senders, headers } = context;
  const declared = headers
    .all('x-failed-recipients')
    .flatMap((value) => addressesIn(value).map((one) => one.address));
  if (declared.length === 0 && !looksLikeReport(context)) return [];
  const named = distinct(declared.length > 0 ? declared : recipientsIn(text, senders, original.to));
  const found = (named.length === 0 ? original.to : named).slice(0, MAX_RECIPIENTS);
  // AOL names its customers without their domain, gateways to telephones nobody at all.
  const isNamed = found.length > 0 || !context.isDeclared || !FAILURE_SUBJECT.test(subjectOf(headers));
  const addresses = isNamed ? found : [''];
  const all = passagesBy(text, addresses);
  return addresses.map((address) => {
    const single = addresses.length === 1;
    const passages = (all.get(address.toLowerCase()) ?? '').trim();
    const body = passages === '' || single ? text : passages;
    // Many an old system says what is wrong in its subject only.
    const explanation = `${body}\n${ownSubject(context)}`.slice(0, MAX_VALUE_CHARS);
    const transcribed = transcribedOf(address, context);
    const quoted = transcribed ?? quotedReply(single ? text : passages);
    return {
      finalRecipient: address,
      originalRecipient: null,
      action: actionOf(quoted?.status ?? null, context),
      status: quoted?.status ?? null,
      replyCode: quoted?.code ?? 0,
      diagnosticType: null,
      diagnosticCode: quoted?.text.slice(0, MAX_VALUE_CHARS) ?? null,
      remoteMta: null,
      step: shownStep(transcribed) ?? stepIn(explanation),
      explanation,
      category: null,
      standard: false,
    };
  });
}

const FAILURE_SUBJECT =
  /loop alert|duplicated? message|fail|undeliver|return(?:ed|ing)|deliver(?:y|ed)|bounce|could ?n.t|could not|not (?:be )?(?:sent|delivered)|error|reject|delay|warning|unzustellbar|non (?:remis|recapitabile|distribu|consegnat)|mancata consegna|[eé]chec (?:de la remise|d'envoi)|no (?:se (?:ha )?(?:puede|pudo|podido) )?entreg|n[aã]o (?:foi )?entregue|falha na entrega|onbestelbaar|nicht zugestellt|devuelt[ao]|devolvid[ao]|retraso|retard de|atraso na|verz(?:ö|oe)ger|ritardo|退信|不达|不達|недоставлен|не доставлен/i;

function subjectOf(headers: HeaderFields): string {
  return fieldText(headers.get('subject') ?? '');
}

/** Without the subject of the returned message, whose words are the sender's. */
function ownSubject({ headers, original }: Context): string {
  const subject = subjectOf(headers);
  const theirs = fieldText(original.headers?.get('subject') ?? '').trim();
  return theirs.length > 3 && subject !== theirs && subject.endsWith(theirs)
    ? subject.slice(0, -theirs.length)
    : subject;
}

function looksLikeReport(context: Context): boolean {
  const { headers } = context;
  if (context.isDeclared || headers.get('return-path')?.trim() === '<>' || isFromMailSystem(headers))
    return true;
  if (isOfListServer(headers)) return true;
  return FAILURE_SUBJECT.test(subjectOf(headers));
}

function isFromMailSystem(headers: HeaderFields): boolean {
  const from = [...headers.all('from'), ...headers.all('sender')].join(' ');
  if (
    /mailer-?daemon|post_?master|mail (?:delivery|administrator)|delivery (?:sub)?system|mail ?daemon/i.test(
      from,
    )
  )
    return true;
  return addressesIn(from).some((one) => isSystemAddress(one.address));
}

const DELAYED =
  /\bdelay(?:ed)?\b|warning message only|will (?:be retried|retry|keep trying|continue (?:trying|to try))|still being tried|not (?:yet )?(?:been )?delivered yet|not yet been delivered|attempts will (?:be made|continue)|temporary (?:failure|problem|error)|do not need to re-?send/i;
/** The same in Spanish, Portuguese, French, German, Italian, Russian and Japanese. */
const DELAYED_ELSEWHERE =
  /\bretraso en la entrega|se ha retrasado|a[uú]n no se ha entregado|(?:seguir[aá]n?|se seguir[aá]) (?:intentando|reintentando)|volver[aá]n? a intentar|atraso na entrega|(?:continuar[aá]|voltar[aá]) (?:tentando|a tentar)|ainda n[aã]o foi entregue|\bretard (?:de|dans la) (?:distribution|remise|livraison)|n'est qu'un avertissement|nouvelles? tentatives? (?:de|d'|seront|sera)|zustell(?:ung )?verz(?:ö|oe)ger|\bverz(?:ö|oe)gert|weitere zustellversuche|wird weiter(?:hin)? versuch|ritardo nella consegna|continuer[aà] a tentare|ulteriori tentativi|попыт\S{0,4} (?:будут|доставки продолж)|будет повторен|задерж\S{0,4} доставк|再送を(?:続|試)|再試行|配信が遅延/i;
const GIVEN_UP =
  /giv(?:en|ing) up|permanent|failed after|will not|no further|could not be delivered|\bno (?:se |lo )?(?:seguir|volver)[aá]|\baucune nouvelle|\bn[aã]o (?:continuar|voltar)[aá]|\bnon (?:continuer|verr)[aà]|definitiv|endg(?:ü|ue)ltig/i;

/** Where a report does not say which it is, its status does, and failing that its words. */
function actionOf(status: string | null, context: Context): DsnAction {
  if (status?.startsWith('2')) return 'delivered';
  if (status?.startsWith('5')) return 'failed';
  return context.isDelay ? 'delayed' : 'failed';
}

function isDelay(headers: HeaderFields, text: string): boolean {
  const words = `${subjectOf(headers)}\n${text}`;
  return (DELAYED.test(words) || DELAYED_ELSEWHERE.test(words)) && !GIVEN_UP.test(words);
}

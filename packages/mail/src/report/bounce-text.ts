/** A bounce's text for people: above the returned message, with a passage about each recipient. */
import type { RefusedStep } from '../reply/evidence.ts';
import { addressesIn, isSystemAddress } from './addresses.ts';
import { MAX_RECIPIENTS, MAX_TEXT_CHARS, MAX_VALUE_CHARS } from './limits.ts';
import { readTranscript } from './transcript.ts';

/** Where reports in plain text go over to the message they return. */
export const ORIGINAL_BEGINS: readonly RegExp[] = [
  // "Undeliverable mail" alone is the caption of Courier's reports.
  /^[ \t>*=-]{0,80}(?:undeliverable|failed) (?:message|mail|e-?mail)s?(?: (?:follows?|text|header|body|below|begins?|copy).{0,100}|:)[ \t]{0,80}$/im,
  /^[ \t>*=-]{0,80}(?:original|old|returned|unsent|undelivered|bounced) (?:message|mail|e-?mail|header)s?(?: (?:as received )?(?:follows?|text|header|body|is|was|below|attached|begins?|copy).{0,100}|[ \t:*.=-]{0,80})$/im,
  /^[ \t>*=-]{0,80}(?:below this line is|this is|here is|enclosed is|included is|following is|attached is|below is) (?:a |the )?(?:copy|original|message|header|full).{0,80}$/im,
  /^[ \t>*=-]{0,80}(?:a |the )?(?:copy of (?:the|your) |your |the )?(?:original |undelivered |full |rejected |returned )?(?:message|mail|headers?)(?:'s)?(?: headers?| header section| text| body| content)?(?: of (?:the |your )?(?:original )?message)?,? (?:(?:is|are|was) (?:as )?(?:following|follows?|included|attached|below|quoted|reproduced|shown|returned)\b.{0,60}|(?:follows?|below)\b.{0,60}|(?:is|are|was):?[ \t]{0,40})$/im,
  /^(?:> ?)?(?:return-path|received|x-[a-z-]{2,30}|dkim-signature|x-received|arc-seal|delivered-to|authentication-results|received-spf|domainkey-signature): ?\S.*$/im,
  /^[ \t*=-]{3,80} ?(?:the )?(?:header|message|transcript of headers?|begin(?:ning of)? (?:message|header))s? ?[a-z ]{0,60}[ \t*=-]{0,80}$/im,
  /^(?:> ?)?(?:message-id|mime-version): ?\S.*$/im,
];

/** Cuts the returned message off. */
export function aboveOriginal(text: string): string {
  const head = text.slice(0, MAX_TEXT_CHARS);
  let end = head.length;
  for (const pattern of ORIGINAL_BEGINS) {
    const at = head.slice(0, end).search(pattern);
    // At the very top it is a heading of the report itself.
    if (at > 0 && head.slice(0, at).trim().length > 20) end = Math.min(end, at);
  }
  return head.slice(0, end);
}

const NO_RECIPIENT_LINE =
  /^\s*(?:from|to|reply-to|sender|return-path|message-id|subject|received|date|sent|cc|x-[a-z-]+)\s*:|envelope[- ](?:from|sender)|mail from:|for (?:further|more) (?:assistance|information|help)|contact |please (?:send|forward|e-?mail)|questions|to the address <|help ?desk|abuse@|\bsupport@/i;
const RCPT_TO = /\brcpt to:? ?<?([^\s<>]{5,574})(?=[>\s]|$)/gi;

/** A line that is an address and nothing else, as lists of recipients have it. */
const ALONE_IN_LINE = /^[ \t]*[<"']?([^\s<>"'@]{1,128}@[a-z0-9.-]{1,253}[a-z0-9])[>"']?:?[ \t]*$/gim;

const LISTED = new RegExp(ALONE_IN_LINE.source, 'i');

/** Prefixes of the address in a list of recipients: blanks, bullets, brackets, a reply code. */
const LEADING =
  /^[\s*>"'<(=-]*(?:(?:[245]\d\d[ -]|(?:recipient|user|address)(?: address)?:)[\s*>"'<(=-]*)?$/i;

/**
 * The recipients that a text names, in order. `senders` are never among them. Addresses that lead a line and
 * addresses of the returned message's `To` are recipients; others only if there are no such addresses.
 */
export function recipientsIn(text: string, senders: readonly string[], known: readonly string[]): string[] {
  const commanded = [...text.matchAll(RCPT_TO)].map((match) => match[1]!).filter((it) => it.includes('@'));
  const transcribed = [...readTranscript(text).recipients.values()].map((one) => one.address);
  const isSender = among(senders);
  if (commanded.length > 0 || transcribed.length > 0) {
    // One transcript may show a command to one recipient, and name others that no server was asked about.
    const alone = [...text.matchAll(ALONE_IN_LINE)].map((match) => match[1]!);
    const listed = alone.filter((address) => !isSender(address) && !isSystemAddress(address));
    const places = distinct([...commanded, ...transcribed, ...listed]);
    const lower = text.toLowerCase();
    return places
      .map((address) => ({ address, at: lower.indexOf(address.toLowerCase()) }))
      .sort((a, b) => a.at - b.at)
      .map(({ address }) => address)
      .slice(0, MAX_RECIPIENTS);
  }
  const isKnown = among(known);
  const named: string[] = [];
  const sure: string[] = [];
  for (const line of text.split('\n')) {
    if (NO_RECIPIENT_LINE.test(line)) continue;
    for (const [at, { address, index }] of addressesIn(line).entries()) {
      if (isSystemAddress(address) || isSender(address)) continue;
      named.push(address);
      // Only the first of a line can lead it.
      if (isKnown(address) || (at === 0 && LEADING.test(line.slice(0, index)))) sure.push(address);
    }
  }
  const isSure = among(sure);
  const first = distinct(named);
  return (sure.length > 0 ? first.filter(isSure) : first).slice(0, MAX_RECIPIENTS);
}

/** True if the address is one of these; one step, however many there are. */
function among(addresses: readonly string[]): (address: string) => boolean {
  const keys = new Set(addresses.map((address) => address.toLowerCase()));
  return (address) => keys.has(address.toLowerCase());
}

/** Addresses once each, in the order of their first mention. */
export function distinct(addresses: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const key = address.toLowerCase();
    if (!seen.has(key)) seen.set(key, address);
  }
  return [...seen.values()];
}

/**
 * The text about each recipient: the passages from a line that names it up to a line that names another. Keys
 * in lower case. At most MAX_RECIPIENTS `addresses`: a line costs as many.
 */
export function passagesBy(text: string, addresses: readonly string[]): ReadonlyMap<string, string> {
  const kept = new Map<string, string>(addresses.map((address) => [address.toLowerCase(), '']));
  let about: string[] = [];
  // Addresses in lines of their own, one below the other, share what is said after them.
  let isListing = false;
  for (const line of text.split('\n')) {
    const named = addressesIn(line)
      .map((one) => one.address.toLowerCase())
      .filter((address) => kept.has(address));
    if (named.length > 0) {
      about = distinct(isListing ? [...about, ...named] : named);
      isListing = about.length < MAX_RECIPIENTS && LISTED.test(line);
    } else if (line.trim() !== '') isListing = false;
    for (const address of about) {
      const passage = kept.get(address)!;
      if (passage.length <= MAX_VALUE_CHARS) kept.set(address, `${passage}${line}\n`);
    }
  }
  return kept;
}

/**
 * A command and the refusal on the next line, as transcripts of MDaemon, hMailServer and InterScan show them.
 */
function refusedIn(transcribed: string): RegExp {
  return new RegExp(
    `(?:-->|sent:|sent (?:<<<|>>>)) ?${transcribed}[^\\n]{0,400}\\n[^\\n]{0,80}(?:<--|replied:|received (?:<<<|>>>)) ?[45]\\d\\d`,
    'i',
  );
}

/** A command as reports name it: `in reply to` it, in brackets, or shown as it was sent. */
function spokenOf(command: string): RegExp {
  return new RegExp(
    [
      `(?:in (?:reply|response|answer) to:?|(?:reply|response|answer|error) (?:to|for|on)|after|following|during|at|for|our|reading) (?:the |a |your |pipelined |sending |smtp |final )?(?:${command})\\b`,
      `\\[(?:${command})\\]`,
      `(?<!(?:need|needs|before|without|expected|a|valid|send) )\\b(?:${command}) (?:command|response|reply|stage|phase|failed|rejected|refused)\\b`,
      `^[ \\t|]*>>> ?(?:${command})`,
      `\\b(?:${command}) generated (?:the )?following response`,
    ].join('|'),
    'im',
  );
}

export const STEPS: readonly [RefusedStep, RegExp][] = [
  ['mail', refusedIn('mail from')],
  ['rcpt', refusedIn('rcpt to')],
  ['data', refusedIn('(?:data\\b|\\.)')],
  [
    'data',
    /in reply to (?:end of )?(?:data|bdat)|after (?:end of data|the data|data|\.)|end of data|after i sent the message|following (?:the )?data|pipelined end of data/i,
  ],
  ['rcpt', spokenOf('rcpt(?:[_ ]to)?')],
  ['rcpt', /does not like recipient|rejected recipient|^[ \t]*rcpt to: ?<[^<>\n]{3,574}>[ \t]*$/im],
  ['mail', spokenOf('mail[_ ]from')],
  [
    'mail',
    /in reply to mail|after (?:pipelined )?mail\b|following mail|does not like (?:the )?sender|but sender was rejected|^>>> mail/im,
  ],
  ['opening', spokenOf('initial (?:connection|server greeting)|greeting|banner|ehlo|helo')],
  [
    'opening',
    /refused to talk to me|in reply to (?:ehlo|helo|starttls|initial)|while performing the (?:ehlo|helo|initial)|our (?:ehlo|helo|initial)|connected to .{0,80} but (?:greeting|my name|connection died)/i,
  ],
  ['data', /^[ \t|]*>>> (?:data|bdat|\.)|\[(?:end[_ ]of[_ ])?data\]|\bdata (?:command|phase|stage)\b/im],
];

/** Commands in capitals, as programs name them; a report that names one alone speaks of its refusal. */
const VERBS: readonly [RefusedStep, RegExp][] = [
  ['mail', /\bMAIL[ _]?FROM\b/],
  ['rcpt', /(?<!(?:need|needs|before|without|expected|valid|for) )\bRCPT(?:[ _]?TO)?\b(?! first)/],
  ['data', /\bDATA\b/],
  ['opening', /\b(?:EHLO|HELO)\b(?!(?:\/HELO)? first)/],
];

/** The step of the SMTP conversation that a report says was refused. */
export function stepIn(text: string): RefusedStep {
  const oneLine = text.replace(/\s+/g, ' ');
  const told = STEPS.find(([, pattern]) => pattern.test(text) || pattern.test(oneLine))?.[0];
  if (told !== undefined) return told;
  const named = VERBS.filter(([, verb]) => verb.test(text));
  return named.length === 1 ? named[0]![0] : 'unknown';
}

/** The source of a reply, in Postfix’s words. */
const NAMED_HOST = /\bhost [^\s[]+ ?\[[^\s[\]]+\](?::\d+)? (?:refused to talk to me|said)/gi;

/**
 * Words of reporting systems around a server's reply; read as the server's, they would blame what they only
 * describe.
 */
export const FRAMES: readonly RegExp[] = [
  NAMED_HOST,
  /smtp error from remote (?:mail )?server after [a-z ]{1,40}|in reply to [a-z ]{1,40} command/gi,
  /remote host said|giving up on \S{1,100}|does not like (?:recipient|sender)/gi,
  /did not reach the following recipients?|could not be delivered to one or more|permanent fatal errors/gi,
  /(?:each of )?the following recipients? (?:was|were) rejected by a remote mail server|the reasons given by the server are included to help you determine why each recipient was rejected/gi,
  /was rejected by the local scanning code that checks incoming messages on this system|the following error was given/gi,
];

/** Lines that repeat the header of the returned message, as Exchange and others do above their reasons. */
const REPEATED_HEADER =
  /^[ \t>|*]*(?:subject|betreff|objet|asunto|assunto|oggetto|sent|date|to|cc|from|message-id)\s*:.*$/gim;

/** The text on one line, without such frames, nor what it repeats of the message. */
export function withoutFrames(text: string): string {
  const own = text.replace(REPEATED_HEADER, ' ').replace(/\s+/g, ' ');
  return FRAMES.reduce((rest, frame) => rest.replace(frame, ' '), own);
}

/** A diagnostic without who said it: a host that is named next to "unknown" is not unknown. */
export function withoutHost(diagnostic: string): string {
  return diagnostic.replace(NAMED_HOST, ' ');
}

/** A server's reply, as reports quote it. */
export interface QuotedReply {
  readonly code: number;
  readonly status: string | null;
  readonly text: string;
}

/** Text before a quoted reply, and after its code. */
const BEFORE_REPLY = String.raw`(?:^[ \t]*|said: ?|<<< ?|<-- ?|\(reason: ?|respon(?:ded|se|d)(?: as follows| was| code)?:? ?\[?|returned:? ?'?"?|replied:? ?'?|with:? |(?:error|result|code|err)(?: is| was)?\s?[:=]? ?|[:;>\]['"(] ?)`;
const AFTER_CODE = String.raw`(?=[- ,;:]|\.(?!\d)|$)`;
const QUOTED_REFUSAL = new RegExp(
  String.raw`${BEFORE_REPLY}([45]\d\d)(?:(?:[- ]|[:,] )#?([45]\.\d{1,3}\.\d{1,3}))?${AFTER_CODE}`,
  'im',
);
const QUOTED_SUCCESS = new RegExp(
  String.raw`${BEFORE_REPLY}(2\d\d)(?:[- ]#?(2\.\d{1,3}\.\d{1,3}))?${AFTER_CODE}`,
  'im',
);
const QUOTED_LOOSELY = /(?:^|\s)([45]\d\d)(?:[- ]#?([45]\.\d{1,3}\.\d{1,3}))?[- ](?=['"<(A-Za-z])/m;

/**
 * The first refusal that a text quotes, or else the first reply, with what follows it up to the end of the
 * paragraph; null if it quotes none.
 */
export function quotedReply(text: string): QuotedReply | null {
  const head = text.slice(0, MAX_VALUE_CHARS);
  const match = QUOTED_REFUSAL.exec(head) ?? QUOTED_LOOSELY.exec(head) ?? QUOTED_SUCCESS.exec(head);
  if (match === null) return null;
  const from = match.index + match[0].indexOf(match[1]!);
  return { code: Number(match[1]), status: match[2] ?? null, text: text.slice(from).trim() };
}

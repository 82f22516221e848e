import type { ActLanguage } from '@acuse/evidence/acknowledgement-facts';
import { toHex } from '@acuse/evidence/bytes';
import type { AskedRow } from '../../messages/acknowledgement-store.ts';
import { mailtoOf } from '../../messages/acknowledgement-ways.ts';
import { STYLE } from './style.ts';
import { ACKNOWLEDGE_WORDS, type AcknowledgeWords, type Fault } from './words.ts';

/** The page as a document without scripts. Pure. */

export interface ShownAttachment {
  readonly name: string;
  readonly sizeBytes: number;
}

/** The form's values, when it comes back with a fault. */
export interface Typed {
  /** Empty if the code was wrong or had expired. */
  readonly code: string;
  readonly name: string;
  readonly reason: string;
  readonly isTicked: boolean;
}

export interface Shown {
  readonly language: ActLanguage;
  /** Path of the page itself, without a query. */
  readonly path: string;
  readonly asked: AskedRow;
  /** Where a mail of the recipient acknowledges it. */
  readonly mailAddress: string;
  /** Null: the content is deleted, or too large to read for this page. */
  readonly attachments: readonly ShownAttachment[] | null;
  /** A code was sent that is still good. */
  readonly hasCode: boolean;
  readonly isOver: boolean;
  readonly fault: Fault | null;
  readonly typed: Typed;
}

/** The line of the mail that it is in, as people copy it. */
export const CODE_MAX_CHARS = 100;
export const NAME_MAX_CHARS = 100;
export const REASON_MAX_CHARS = 500;

export function pageOf(shown: Shown): string {
  const words = ACKNOWLEDGE_WORDS[shown.language];
  const { status, decidedAt, isErased } = shown.asked;
  if (status === 'acknowledged' || status === 'refused') {
    const [title, text] = words.done[status];
    const at = decidedAt === null ? '' : `<p>${escaped(words.at(words.time(decidedAt)))}</p>`;
    const means = `<p class="quiet">${escaped(words.doneMeans)}</p>`;
    const kind = status === 'acknowledged' ? ' class="good"' : '';
    const said = `<section${kind}><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${at}${means}</section>`;
    return documentOf(shown, title, `${said}${isErased ? '' : messageSection(words, shown)}`);
  }
  if (isErased) return notice(shown, words.gone);
  if (isUndelivered(shown.asked)) return ended(shown, words.undelivered);
  if (shown.isOver) return ended(shown, words.expired, words.wasUntil(words.time(shown.asked.until)));
  const title = shown.fault === null ? words.title : `${words.faultsTitle} – ${words.title}`;
  return documentOf(
    shown,
    title,
    [
      shown.fault === null ? '' : faultSection(words, shown.fault),
      // Somebody with a code has read the rest: the remaining step comes first.
      ...(shown.hasCode
        ? [answerSection(words, shown), `<section>${openList(words, shown)}</section>`]
        : [requestSection(words, shown), codeSection(words, shown)]),
    ].join(''),
  );
}

/** For a link that opens nothing. */
export function noticePage(shown: Pick<Shown, 'language' | 'path'>, kind: 'unknown' | 'busy'): string {
  return notice(shown, ACKNOWLEDGE_WORDS[shown.language][kind]);
}

/** No server confirmed that it took the message. A copy may have arrived all the same, and gets no code. */
const isUndelivered = ({ sentAt, messageStatus: status }: AskedRow): boolean =>
  sentAt === null && (status === 'bounced' || status === 'cancelled');

/** Names the message, because a person may have been asked about several. */
function ended(
  shown: Shown,
  [title, text]: readonly [title: string, text: string],
  ...more: string[]
): string {
  const said = [text, ...more].map((each) => `<p>${escaped(each)}</p>`).join('');
  const message = messageSection(ACKNOWLEDGE_WORDS[shown.language], shown);
  return documentOf(shown, title, `<section><h1>${escaped(title)}</h1>${said}</section>${message}`);
}

function notice(
  shown: Pick<Shown, 'language' | 'path'>,
  [title, text]: readonly [title: string, text: string],
): string {
  return documentOf(shown, title, `<section><h1>${escaped(title)}</h1><p>${escaped(text)}</p></section>`);
}

function faultSection(words: AcknowledgeWords, fault: Fault): string {
  return `<section class="fault" role="alert"><h2>${escaped(words.faultsTitle)}</h2><p id="fault">${escaped(words.faults[fault])}</p></section>`;
}

type Row = readonly [name: string, html: string];

/** Rows by which a person recognises the message, and other facts that go into the evidence. */
function rowsOf(words: AcknowledgeWords, { asked, attachments }: Shown): [known: Row[], more: Row[]] {
  const known: Row[] = [
    [words.from, escaped(asked.headerFrom)],
    [words.subject, escaped(asked.subject === '' ? words.noSubject : asked.subject)],
  ];
  if (attachments !== null && attachments.length > 0)
    known.push([
      words.attachments,
      `<ul>${attachments
        .map(({ name, sizeBytes }) => `<li>${escaped(name)} (${escaped(words.size(sizeBytes))})</li>`)
        .join('')}</ul>`,
    ]);
  const hash = `<code>${toHex(asked.canonicalHash)}</code><span class="quiet">${escaped(words.hashMeans)}</span>`;
  return [
    known,
    [
      [words.accepted, timeOf(words, asked.createdAt)],
      [words.to, escaped(asked.headerTo)],
      [words.hash, hash],
    ],
  ];
}

function timeOf(words: AcknowledgeWords, at: Date): string {
  return `<time datetime="${at.toISOString()}">${escaped(words.time(at))}</time>`;
}

function listOf(rows: readonly Row[]): string {
  return `<dl>${rows.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

function messageSection(words: AcknowledgeWords, shown: Shown): string {
  const [known, more] = rowsOf(words, shown);
  return `<section>${foldedList(words, known, more)}</section>`;
}

function openList(words: AcknowledgeWords, shown: Shown): string {
  const [known, more] = rowsOf(words, shown);
  return foldedList(words, known, [[words.until, timeOf(words, shown.asked.until)], ...more]);
}

function foldedList(words: AcknowledgeWords, known: readonly Row[], more: readonly Row[]): string {
  return `${listOf(known)}${folded(words.more, listOf(more))}`;
}

function folded(title: string, html: string, isOpen = false): string {
  return `<details${isOpen ? ' open' : ''}><summary>${escaped(title)}</summary><div>${html}</div></details>`;
}

function requestSection(words: AcknowledgeWords, shown: Shown): string {
  return `<section><h1>${escaped(words.question)}</h1>${openList(words, shown)}</section>`;
}

function codeSection(words: AcknowledgeWords, shown: Shown): string {
  const { path, language, asked } = shown;
  return `<section><p>${escaped(words.codeWhy(asked.recipientAddress))}</p>
<form method="post" action="${path}/code?lang=${language}"><button>${escaped(words.sendCode)}</button></form>${byMail(words, shown)}</section>`;
}

function byMail(words: AcknowledgeWords, { language, asked, mailAddress }: Shown): string {
  const mailto = escaped(mailtoOf({ address: mailAddress, language }));
  const how = escaped(words.mailHow(asked.recipientAddress));
  return folded(words.mailTitle, `<p>${how}</p><p><a href="${mailto}">${escaped(mailAddress)}</a></p>`);
}

type FieldName = 'code' | 'name' | 'tick';

const FAULTY: { readonly [F in Fault]?: FieldName } = {
  ...{ code_form: 'code', code_wrong: 'code', code_over: 'code' },
  ...{ name: 'name', tick: 'tick' },
};

function answerSection(words: AcknowledgeWords, shown: Shown): string {
  const { path, language, asked, fault, typed } = shown;
  const faulty = fault === null ? undefined : FAULTY[fault];
  const next = faulty ?? 'code';
  // A screen reader says the field where it begins, and with it what went wrong.
  const state = (of: FieldName) =>
    (of === faulty ? ' aria-invalid="true"' : '') +
    (of === next ? ` autofocus${fault === null ? '' : ' aria-describedby="fault"'}` : '');
  const refusal = `<p>${escaped(words.refuseMeans)}</p>
<label>${escaped(words.reasonLabel)}<textarea name="reason" rows="3" maxlength="${REASON_MAX_CHARS}">${escaped(typed.reason)}</textarea></label>
<button class="second" name="act" value="refused">${escaped(words.refuse)}</button>`;
  const another = `<p>${escaped(words.noCodeHow)}</p>
<form method="post" action="${path}/code?lang=${language}"><button class="second">${escaped(words.newCode)}</button></form>`;
  return `<section><h1>${escaped(words.title)}</h1>
<form method="post" action="${path}?lang=${language}">
<label>${escaped(words.codeLabel)}<span class="hint">${escaped(words.codeSent(asked.recipientAddress))}</span>
<input class="code" type="text" name="code" inputmode="numeric" enterkeyhint="next" autocomplete="one-time-code" maxlength="${CODE_MAX_CHARS}" value="${escaped(typed.code)}"${state('code')}></label>
<label>${escaped(words.nameLabel)}
<input type="text" name="name" autocapitalize="words" enterkeyhint="done" autocomplete="name" maxlength="${NAME_MAX_CHARS}" value="${escaped(typed.name)}"${state('name')}></label>
<label class="tick"><input type="checkbox" name="tick" value="yes"${typed.isTicked ? ' checked' : ''}${state('tick')}><span>${escaped(words.sentence)}</span></label>
<p class="quiet">${escaped(words.final)}</p>
<button name="act" value="acknowledged">${escaped(words.confirm)}</button>
${folded(words.refuseTitle, refusal, typed.reason !== '')}
</form>${folded(words.noCode, another, fault === 'code_over')}${byMail(words, shown)}</section>`;
}

function documentOf(
  { language, path }: Pick<Shown, 'language' | 'path'>,
  title: string,
  main: string,
): string {
  const words = ACKNOWLEDGE_WORDS[language];
  const { other } = words;
  return `<!doctype html>
<html lang="${language === 'es' ? 'es-MX' : 'en'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><header><a href="${path}?lang=${other.language}" hreflang="${other.language}" lang="${other.language}">${escaped(other.name)}</a></header>
<main>${main}</main><footer>${escaped(words.foot)}</footer></body></html>
`;
}

/** Shows text as it was written; removes characters that would change its direction. */
function escaped(text: string): string {
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

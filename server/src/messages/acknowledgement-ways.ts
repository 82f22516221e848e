import type { BodyPart } from '@acuse/mail/body-tree';
import { type BodyText, bodyText } from '@acuse/mail/header-text';
import { mapHrefs } from '@acuse/mail/html-hrefs';
import { apiError } from '../errors.ts';
import type { AskedLanguage } from './acknowledgement.ts';
import type { GivenContent } from './submission.ts';

/** How a message tells its recipient to acknowledge it: a link of their own, and an address. Pure. */

/** A template gets the places themselves for its variables: each recipient has ways of their own. */
export const PLACES = {
  acknowledgement_url: '{{acknowledgement_url}}',
  acknowledgement_mail: '{{acknowledgement_mail}}',
} as const;
const PLACE = /\{\{ ?acknowledgement_(url|mail) ?\}\}/g;
/** Braces as editors of HTML write them in a link: all of them, or some. */
const OPENING = /%7[Bb]|&(?:#123|#[xX]7[bB]|lbrace|lcub);/g;
const CLOSING = /%7[Dd]|&(?:#125|#[xX]7[dD]|rbrace|rcub);/g;
const END = /(?:\}|%7[Dd]|&(?:#125|#[xX]7[dD]|rbrace|rcub);){2}/;
/** A link to a place, with any prefix that an editor adds. */
const LINKED_PLACE = /^(?:https?:\/\/|\/\/|mailto:)?\{\{(?: |%20)?acknowledgement_(url|mail)(?: |%20)?\}\}$/;

const SENTENCES = {
  en: 'Please confirm that you received this message:',
  es: 'Por favor, confirme que recibió este mensaje:',
} as const;
const BY_MAIL = {
  en: 'Or send a mail from this same address to:',
  es: 'O envíe un correo desde esta misma dirección a:',
} as const;
const SHOWN: ReadonlySet<string> = new Set(['text/plain', 'text/html']);
/** Subject of the recipient's mail, made by the link: it must have one, because it is signed. */
const MAIL_SUBJECT = { en: 'Acknowledgement of receipt', es: 'Acuse de recibo' } as const;

interface Ways {
  readonly url: string;
  /** Where a mail acknowledges it. */
  readonly address: string;
  readonly language: AskedLanguage;
}

/**
 * Puts the ways into the content's places for them. Text and html without one get a paragraph; a whole
 * message is refused, because nothing is added to it. Throws invalid_body.
 */
export function withWays(content: GivenContent, ways: Ways): GivenContent {
  const { text, html, tree } = content;
  if (tree !== undefined) return { ...content, tree: treeWith(tree, ways) };
  return {
    ...content,
    text: text === null ? null : bodyText(textWith(text, ways), 'text'),
    html: html === null ? null : bodyText(htmlWith(html, ways), 'html'),
  };
}

function placedIn(text: string, { url, address }: Ways): string {
  return text.replace(PLACE, (_, way: string) => (way === 'url' ? url : address));
}

/** In HTML, where links have places as well. */
function placedInHtml(html: string, ways: Ways): string {
  const linked = html.includes('acknowledgement_') ? mapHrefs(html, (target) => linkTo(target, ways)) : html;
  return placedIn(linked, ways);
}

/** The target itself if it does not begin with a place: elsewhere, encoded braces are a quotation. */
function linkTo(target: string, { url, address }: Ways): string {
  const end = END.exec(target);
  if (end === null) return target;
  const length = end.index + end[0].length;
  const place = target.slice(0, length).trimStart().replace(OPENING, '{').replace(CLOSING, '}');
  const way = LINKED_PLACE.exec(place)?.[1];
  if (way === undefined) return target;
  return (way === 'url' ? url : mailtoAddress(address)) + target.slice(length);
}

function treeWith(tree: BodyPart, ways: Ways): BodyPart {
  const placed = partWith(tree, ways);
  if (placed !== tree) return placed;
  throw apiError(
    'invalid_body',
    'X-Acuse-Acknowledgement needs a place for the link: write {{acknowledgement_url}} in a part of the message that is text/plain or text/html. Nothing is added to a whole message, and what is signed, encrypted or attached is left as it is.',
  );
}

/** The same part if it has no place. */
function partWith(part: BodyPart, ways: Ways): BodyPart {
  const { content, mediaType } = part;
  if (content.kind === 'parts') {
    const parts = content.parts.map((each) => partWith(each, ways));
    const isSame = parts.every((each, at) => each === content.parts[at]);
    return isSame ? part : { ...part, content: { ...content, parts } };
  }
  if (content.kind !== 'octets' || !content.text || !SHOWN.has(mediaType.type)) return part;
  // Every charset that is taken has the characters of a place as ASCII has them, or it has no place.
  const text = Buffer.from(content.octets).toString('latin1');
  const placed = mediaType.type === 'text/html' ? placedInHtml(text, ways) : placedIn(text, ways);
  if (placed === text) return part;
  return { ...part, content: { ...content, octets: Buffer.from(placed, 'latin1') } };
}

function spoken({ language }: Ways, words: typeof SENTENCES | typeof BY_MAIL): readonly string[] {
  return language === null ? [words.es, words.en] : [words[language]];
}

function textWith(text: BodyText, ways: Ways): string {
  const placed = placedIn(text, ways);
  if (placed !== text) return placed;
  const page = [...spoken(ways, SENTENCES), ways.url].join('\n');
  const mail = [...spoken(ways, BY_MAIL), ways.address].join('\n');
  return `${[text.trimEnd(), page, mail].join('\n\n')}\n`;
}

/** Opens a mail to `address` in the recipient's own program. */
export function mailtoOf({ address, language }: Pick<Ways, 'address' | 'language'>): string {
  const subject = encodeURIComponent(MAIL_SUBJECT[language ?? 'es']);
  return `${mailtoAddress(address)}?subject=${subject}`;
}

function mailtoAddress(address: string): string {
  return `mailto:${address.replace('+', '%2B')}`;
}

function byMail(ways: Ways): string {
  const words = spoken(ways, BY_MAIL).join('<br>');
  return `<p>${words}<br><a href="${mailtoOf(ways)}">${ways.address}</a></p>`;
}

function htmlWith(html: BodyText, ways: Ways): string {
  const { url } = ways;
  const placed = placedInHtml(html, ways);
  if (placed !== html) return placed;
  const page = `<p>${spoken(ways, SENTENCES).join('<br>')}<br><a href="${url}">${url}</a></p>`;
  const paragraphs = page + byMail(ways);
  // The last one closes the document; one inside a quoted mail comes before it.
  const end = html.toLowerCase().lastIndexOf('</body');
  return end < 0 ? `${html}${paragraphs}` : `${html.slice(0, end)}${paragraphs}${html.slice(end)}`;
}

import { bodyText, subjectText } from '@acuse/mail/header-text';
import { describe, expect, test } from 'vitest';
import { withWays } from '../../src/messages/acknowledgement-ways.ts';

/** Where the link and the address stand in a text, and where what looks like their place is a quotation. */

const WAYS = {
  url: 'https://acuse.test/a/abcdefghijklmnopqrstuvwxyz',
  address: 'ack+0192-abcd@bounce.test',
  language: 'es',
} as const;
const MAILTO = 'mailto:ack%2B0192-abcd@bounce.test';
const ADDED = 'Por favor, confirme';

function html(text: string): string {
  const content = {
    kind: 'given',
    subject: subjectText('Aviso'),
    text: null,
    html: bodyText(text, 'html'),
  } as const;
  return withWays(content, WAYS).html!;
}

function text(written: string): string {
  const content = {
    kind: 'given',
    subject: subjectText('Aviso'),
    text: bodyText(written, 'text'),
    html: null,
  } as const;
  return withWays(content, WAYS).text!;
}

describe('a link to a place, as editors of HTML write it', () => {
  test.each([
    '{{acknowledgement_url}}',
    '{{ acknowledgement_url }}',
    '%7B%7Backnowledgement_url%7D%7D',
    '%7b%7backnowledgement_url%7d%7d',
    '%7B%7B%20acknowledgement_url%20%7D%7D',
    '{%7Backnowledgement_url%7D}',
    '%7B{acknowledgement_url}%7D',
    '{{acknowledgement_url%7D%7D',
    '&#123;&#123;acknowledgement_url&#125;&#125;',
    '&#x7B;&lbrace;acknowledgement_url&rcub;&#x7d;',
    'http://%7B%7Backnowledgement_url%7D%7D',
    'https://{{acknowledgement_url}}',
    '//{{acknowledgement_url}}',
    ' %7B%7Backnowledgement_url%7D%7D',
  ])('%s', (written) => {
    for (const quote of ['"', "'"]) {
      const link = (target: string) => `<p><a class="b" href=${quote}${target}${quote}>Confirme</a></p>`;
      expect(html(link(written))).toBe(link(WAYS.url));
    }
  });

  test.each([
    '{{acknowledgement_mail}}',
    'mailto:{{acknowledgement_mail}}',
    'mailto:%7B%7Backnowledgement_mail%7D%7D',
    'http://%7B%7Backnowledgement_mail%7D%7D',
  ])('%s opens a mail', (written) => {
    expect(html(`<a href="${written}">Confirme</a>`)).toBe(`<a href="${MAILTO}">Confirme</a>`);
    expect(html(`<a href="${written}?subject=Acuse">Confirme</a>`)).toBe(
      `<a href="${MAILTO}?subject=Acuse">Confirme</a>`,
    );
  });

  test('in the button that Outlook alone reads, and in the one for all others', () => {
    const button = (target: string) =>
      `<!--[if mso]><v:roundrect href="${target}"></v:roundrect><![endif]--><a href="${target}">Confirme</a>`;
    expect(html(button('%7B%7Backnowledgement_url%7D%7D'))).toBe(button(WAYS.url));
  });
});

describe('what is only quoted stays, and the message gets its paragraph', () => {
  test.each([
    '<p>Escriba %7B%7Backnowledgement_url%7D%7D en su liga.</p>',
    '<code>&lt;a href="%7B%7Backnowledgement_url%7D%7D"&gt;</code>',
    '<p>&#123;&#123;acknowledgement_url&#125;&#125;</p>',
    '<img alt="%7B%7Backnowledgement_url%7D%7D" src="cid:a">',
    '<a href="https://docs.test/?q=%7B%7Backnowledgement_url%7D%7D">La guía</a>',
    '<a href="https://docs.test/%7B%7Backnowledgement_url%7D%7D">La guía</a>',
    '<a href="%7Backnowledgement_url%7D">La guía</a>',
    '<a href="%7B%7Backnowledgement_urls%7D%7D">La guía</a>',
    '<!-- <a href="%7B%7Backnowledgement_url%7D%7D"> -->',
    '<textarea><a href="%7B%7Backnowledgement_url%7D%7D"></textarea>',
  ])('%s', (written) => {
    const placed = html(written);
    expect(placed.slice(0, written.length)).toBe(written);
    expect(placed.slice(written.length)).toContain(ADDED);
  });

  test('in a text, which has no links', () => {
    const written = 'Escriba href="%7B%7Backnowledgement_url%7D%7D" en su liga.';
    expect(text(written).startsWith(written)).toBe(true);
    expect(text(written)).toContain(ADDED);
    expect(text('Confirme: {{acknowledgement_url}}')).toBe(`Confirme: ${WAYS.url}`);
  });
});

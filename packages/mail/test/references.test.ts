import { describe, expect, it } from 'vitest';
import { findReferences, REFERENCES_MAX, TEXT_READ_MAX_CHARS } from '../src/references.ts';

const inHtml = (text: string) => findReferences([{ index: 0, mediaType: 'text/html', text }]);
const inText = (text: string) => findReferences([{ index: 0, mediaType: 'text/plain', text }]);
const linksOf = (html: string) => inHtml(html).links.map(({ url, text }) => [url, text]);
const remoteOf = (html: string) => inHtml(html).remote.map(({ url }) => url);

describe('links', () => {
  it.each([
    ['<a href="https://example.com/a">Pay &amp; <b>go</b></a>', 'https://example.com/a', 'Pay & go'],
    ['<A HREF=https://example.com/b>b</A>', 'https://example.com/b', 'b'],
    ["<a\nhref='https://example.com/?a=1&amp;b=2'>c", 'https://example.com/?a=1&b=2', 'c'],
    ['<a href="https://bank.example@evil.example/">x</a>', 'https://bank.example@evil.example/', 'x'],
    ['<a href="https://b\u00fccher.example/">x</a>', 'https://xn--bcher-kva.example/', 'x'],
    ['<a href=" java\nscript:alert(1) ">x</a>', 'javascript:alert(1)', 'x'],
    ['<a href="&#104;ttps&colon;//example.com/e">x</a>', 'https://example.com/e', 'x'],
    ['<a href="//example.com/f">x</a>', 'https://example.com/f', 'x'],
    ['<a href="mailto:ana@example.com">Ana</a>', 'mailto:ana@example.com', 'Ana'],
    ['<a href="https://one.example/" href="https://two.example/">x</a>', 'https://one.example/', 'x'],
    ['<a href="https://img.example/"><img src="cid:x" alt="Logo"></a>', 'https://img.example/', 'Logo'],
    ['<svg><a xlink:href="https://svg.example/"><text>x</text></a></svg>', 'https://svg.example/', 'x'],
    ['<map><area href="https://area.example/">', 'https://area.example/', ''],
    ['<form action="https://form.example/"></form>', 'https://form.example/', ''],
    ['<meta http-equiv=refresh content="0; URL=\'https://meta.example/\'">', 'https://meta.example/', ''],
    ['<base href="https://base.example/x/"><a href="y">z</a>', 'https://base.example/x/y', 'z'],
    ['<a href="http://[">broken</a>', 'http://[', 'broken'],
    ['<!-- <a href="https://no.example/"> --><a href="https://yes.example/">y', 'https://yes.example/', 'y'],
    [
      '<title><a href="https://no.example/">n</a></title><a href=https://yes.example>y',
      'https://yes.example/',
      'y',
    ],
  ])('%s', (html, url, text) => {
    expect(linksOf(html)).toEqual([[url, text]]);
  });

  it('of a text are what mail programs make links of', () => {
    expect(inText('See https://example.com/a. Or (HTTP://example.com/b), <https://c.example>').links).toEqual(
      [
        { part: 0, url: 'https://example.com/a', text: 'https://example.com/a' },
        { part: 0, url: 'http://example.com/b', text: 'HTTP://example.com/b' },
        { part: 0, url: 'https://c.example/', text: 'https://c.example' },
      ],
    );
  });

  it('to a place in the message, and anchors that lead nowhere, are none', () => {
    expect(linksOf('<a href="#top">up</a><a name=top>x</a><a href="">y</a>')).toEqual([]);
  });
});

it.each([
  ['<img src="https://a.example/1.png">', ['https://a.example/1.png']],
  [
    '<img srcset="https://a.example/1 1x, https://a.example/2 2x" src=cid:x>',
    ['https://a.example/1', 'https://a.example/2'],
  ],
  ['<body background=http://a.example/b>', ['http://a.example/b']],
  ['<table><td background="//a.example/b">', ['https://a.example/b']],
  ['<div style="background:url(\'https://a.example/c\')">', ['https://a.example/c']],
  ['<div style="background:URL( https://a.example/d )">', ['https://a.example/d']],
  [
    '<style>@import "https://a.example/e"; @import url(https://a.example/f); p{background:url("https://a.example/g")}</style>',
    ['https://a.example/f', 'https://a.example/g', 'https://a.example/e'],
  ],
  ['<style>p{background:url(https://a.example/open)}', ['https://a.example/open']],
  ['<link rel=stylesheet href=https://a.example/h>', ['https://a.example/h']],
  ['<script src=https://a.example/i></script>', ['https://a.example/i']],
  [
    '<video poster=https://a.example/j src=https://a.example/k>',
    ['https://a.example/j', 'https://a.example/k'],
  ],
  [
    '<iframe src=https://a.example/l></iframe><object data=https://a.example/m>',
    ['https://a.example/l', 'https://a.example/m'],
  ],
  ['<svg><image href="https://a.example/n"/></svg>', ['https://a.example/n']],
  ['<img src="data:image/png;base64,AA"><img src="cid:logo"><img src="logo.png">', []],
  ['<base href=https://base.example/><img src="logo.png">', ['https://base.example/logo.png']],
  ['<img src=https://a.example/o><img src=https://a.example/o>', ['https://a.example/o']],
])('fetched to show it: %s', (html, urls) => {
  expect(remoteOf(html)).toEqual(urls);
});

it('a hostile text is read in time proportional to its length, and what is listed is bounded', () => {
  const size = 4 * 1024 * 1024;
  const units = [
    '<div>',
    '</x>',
    '<a href=x>',
    '<',
    '<a ',
    '&',
    '&amp',
    '<!--',
    '<!',
    '<?',
    '"',
    '<p title="',
    '<style>',
    '<style>url(</style>',
    '<i style="url(url(url(">',
    '<a b ',
    '<img src=https://e/',
    'https://',
    '<b x1 y2 z3 ',
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(size / unit.length));
    for (const read of [inHtml, inText]) {
      const { links, remote } = read(text);
      expect(links.length).toBeLessThanOrEqual(REFERENCES_MAX);
      expect(remote.length).toBeLessThanOrEqual(REFERENCES_MAX);
    }
  }
  const unique = Array.from({ length: 300_000 }, (_, i) => ` a${i}=1`).join('');
  expect(inHtml(`<p${unique}><a href=https://last.example/>x`).links).toHaveLength(1);
});

it('says when there is more', () => {
  const many = Array.from({ length: REFERENCES_MAX + 1 }, (_, i) => `<img src=https://e.example/${i}>`).join(
    '',
  );
  expect(inHtml(many)).toMatchObject({ truncated: true });
  expect(inHtml(many).remote).toHaveLength(REFERENCES_MAX);
  expect(inHtml('<a href=https://e.example/>x</a>').truncated).toBe(false);
  expect(inText(`${' '.repeat(TEXT_READ_MAX_CHARS)}https://e.example/`)).toMatchObject({
    links: [],
    truncated: true,
  });
});

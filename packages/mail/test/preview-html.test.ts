import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Parser } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { previewHtml } from '../src/preview-html.ts';
import { isBodyText, readMail } from '../src/read-mail.ts';

/** HTML of others, shown without doing anything. */
const shown = (html: string, images = false) =>
  previewHtml(html, { images, inline: (id) => (id === 'logo@x' ? 'data:image/png;base64,AAAA' : null) });

/** Everything in a page that could ask somebody for something, by its own tokens. */
function dangers(page: string, images: boolean): string[] {
  const found: string[] = [];
  const allowed = (address: string) =>
    address.startsWith('data:image/') || (images && address.startsWith('https://'));
  const css = (text: string) => {
    if (/@import/i.test(text)) found.push(text);
    for (const [, address] of text.matchAll(/url\(\s*"?([^")]*)/gi)) if (!allowed(address!)) found.push(text);
  };
  let inStyle = false;
  const parser = new Parser({
    onopentag(tag, attributes) {
      inStyle = tag === 'style';
      if (/^(script|link|meta|base|iframe|object|embed|form|input|button|svg|math|video|audio)$/.test(tag))
        found.push(`<${tag}>`);
      for (const [name, value] of Object.entries(attributes)) {
        if (/^on|^(srcset|ping|action|formaction|poster|data|xlink:href|srcdoc)$/.test(name))
          found.push(name);
        if (/^(src|background)$/.test(name) && !allowed(value)) found.push(`${name}=${value}`);
        if (name === 'href' && !value.startsWith('#')) found.push(`href=${value}`);
        if (name === 'style') css(value);
      }
    },
    ontext: (text) => inStyle && css(text),
    oncomment: () => found.push('a comment'),
    onprocessinginstruction: () => found.push('an instruction'),
  });
  parser.end(page);
  return found;
}

const EVIL = 'https://evil.test/x';

describe('what would ask somebody for something', () => {
  test.each([
    `<img src="${EVIL}">`,
    `<img srcset="${EVIL} 2x" src=x>`,
    `<img src=1 onerror="fetch('${EVIL}')">`,
    `<IMG/src='${EVIL}'/onload=alert(1)>`,
    `<link rel=preconnect href="${EVIL}"><link rel=dns-prefetch href=//evil.test><link rel=stylesheet href=${EVIL}>`,
    `<style>@import url(${EVIL}); b{background:URL( "${EVIL}" )}</style>`,
    `<style>@im@importport "${EVIL}"; a{b:url(${EVIL}`,
    `<style><img src=${EVIL}></style><style></sty</style><img src=${EVIL}></style>`,
    `<b style="background:url(${EVIL})">x</b><b style='x:url("${EVIL}'>y</b>`,
    `<body background="${EVIL}"><table background=${EVIL}><td background='${EVIL}'>`,
    `<script src="${EVIL}"></script><script>fetch('${EVIL}')</script>`,
    `<script>"</scr" + "<img src=${EVIL}>`,
    `<meta http-equiv=refresh content="0;url=${EVIL}"><base href="${EVIL}">`,
    `<form action="${EVIL}"><input type=image src="${EVIL}"><button formaction="${EVIL}">x</button></form>`,
    `<iframe src="${EVIL}"></iframe><iframe srcdoc="<img src=${EVIL}>"></iframe>`,
    `<object data="${EVIL}"></object><embed src="${EVIL}"><video poster=${EVIL} src=${EVIL}></video>`,
    `<svg><image href="${EVIL}"/><style><img src=${EVIL}></style><use xlink:href="${EVIL}#a"/></svg>`,
    `<math><mtext><mglyph><style><!--</style><img src=${EVIL}>--></math>`,
    `<!--><img src=${EVIL}>--><!--[if mso]><img src=${EVIL}><![endif]--><![CDATA[<img src=${EVIL}>]]>`,
    `<noscript><p title="</noscript><img src=${EVIL}>"></noscript>`,
    `<title><img src=${EVIL}></title><textarea><img src=${EVIL}></textarea><xmp><img src=${EVIL}></xmp>`,
    `<a href="${EVIL}" ping="${EVIL}">x</a><a href="javascript:alert(1)">y</a><area href="${EVIL}">`,
    `<img src="http&#58;//evil.test/x"><img src="&#104;ttps://evil.test"><img src="cid:nobody">`,
    `<img alt="\`><img src=${EVIL}>" title='"><img src=${EVIL}>'>`,
    `<img src="data:text/html,<script>1</script>"><img src="//evil.test/x">`,
    `<p title="\0"><img\0src=${EVIL}><img src\0=${EVIL}>`,
    `<?xml-stylesheet href="${EVIL}"?><!DOCTYPE html SYSTEM "${EVIL}">`,
    `<b style="background:\\75rl(${EVIL})">`.replace('\\75', 'u'),
    '<'.repeat(10_000),
    '<div '.repeat(10_000),
    'url('.repeat(10_000),
    `<style>${'url('.repeat(10_000)}`,
  ])('%s', (html) => {
    expect(dangers(shown(html), false)).toEqual([]);
    expect(dangers(shown(html, true), true)).toEqual([]);
  });
});

describe('what shows something stays', () => {
  test('text, layout and colours', () => {
    const html = `<table width="600" bgcolor="#eee"><tr><td align=center style="color:red">A &amp; B &lt;i&gt;</td></tr></table>`;
    expect(shown(html)).toBe(
      '<table width="600" bgcolor="#eee"><tr><td align="center" style="color:red">A &amp; B &lt;i&gt;</td></tr></table>',
    );
    expect(shown('<style>p > b {color: red}</style>')).toBe('<style>p > b {color: red}</style>');
    expect(shown('ñ &ntilde; &#128512; &nbsp;')).toBe('ñ ñ 😀 \u00a0');
  });

  test('images of the message itself, and with leave those at https addresses', () => {
    const html = `<img src="cid:logo@x"><img src="cid:logo%40x"><td style="background:url('cid:logo@x')"><img src="${EVIL}" alt="a">`;
    expect(shown(html).match(/data:image\/png;base64,AAAA/g)).toHaveLength(3);
    expect(shown(html)).toContain('<img alt="a">');
    expect(shown(html, true)).toContain(`<img src="${EVIL}" alt="a">`);
    expect(shown('<img src="http://evil.test/x">', true)).toBe('<img>');
  });

  test('links, dead, with where they lead', () => {
    expect(shown(`<a href="${EVIL}">x</a><a href="#top">y</a>`)).toBe(
      `<a href="#" title="${EVIL}">x</a><a href="#top">y</a>`,
    );
  });
});

const corpora =
  process.env['ACUSE_CORPORA'] ?? fileURLToPath(new URL('../../../../shared/corpora', import.meta.url));
const folder = join(corpora, 'messages');

test.skipIf(!existsSync(folder))('real messages do nothing either (skipped without ACUSE_CORPORA)', () => {
  let pages = 0;
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile() || !name.name.endsWith('.eml')) continue;
    const raw = readFileSync(join(name.parentPath, name.name));
    let parts: ReturnType<typeof readMail>['parts'];
    try {
      parts = readMail(Buffer.from(raw.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')).parts;
    } catch {
      continue;
    }
    for (const part of parts) {
      if (!isBodyText(part) || part.mediaType !== 'text/html') continue;
      pages++;
      const html = Buffer.from(part.content).toString('utf8');
      for (const images of [false, true]) expect(dangers(shown(html, images), images)).toEqual([]);
    }
  }
  expect(pages).toBeGreaterThan(10);
});

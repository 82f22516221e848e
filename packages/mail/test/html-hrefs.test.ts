import { describe, expect, it } from 'vitest';
import { mapHrefs } from '../src/html-hrefs.ts';

const upper = (html: string) => mapHrefs(html, (value) => value.toUpperCase());

describe('the targets of links', () => {
  it.each([
    ['<a href="b">a</a>', '<a href="B">a</a>'],
    ["<A HREF='b' class=c>", "<A HREF='B' class=c>"],
    ['<a class="x" href=b>', '<a class="x" href=B>'],
    ['<a\nhref = "b&amp;c">', '<a\nhref = "B&AMP;C">'],
    ['<a href="b"><a href="c">', '<a href="B"><a href="C">'],
    [
      '<!--[if mso]><v:rect href="b"></v:rect><![endif]-->',
      '<!--[if mso]><v:rect href="B"></v:rect><![endif]-->',
    ],
  ])('%s', (html, expected) => {
    expect(upper(html)).toBe(expected);
  });

  it.each([
    '<p>href="b"</p>',
    '&lt;a href="b"&gt;',
    '<a title="href=b">',
    `<a title='href="b"'>`,
    '<a data-href="b" src="b" xhref="b">',
    '<!-- <a href="b"> -->',
    '<title><a href="b"></title>',
    '<textarea><a href="b"></textarea>',
    '<script>"<a href=\'b\'>"</script>',
    '<a href>',
    '<a href="">',
    '<a href="b',
    '',
  ])('are none here: %s', (html) => {
    expect(upper(html)).toBe(html);
  });

  it('are found in time proportional to the text, however it is broken', () => {
    let calls = 0;
    const broken = '<a href="'.repeat(20_000) + '<!--[if '.repeat(20_000);
    mapHrefs(broken, (value) => {
      calls++;
      return value;
    });
    expect(calls).toBeLessThanOrEqual(20_000);
  });
});

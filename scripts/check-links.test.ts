import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { brokenCitations, brokenCitationsInLines, brokenLinks, brokenNames } from './check-links.mjs';

const files = new Map([
  ['docs/a.md', '# A page\n\n## Its second part\n'],
  ['docs/decisions/0001-why.md', ''],
  ['server/README.md', ''],
]);
const exists = (path: string) => files.has(path) || path === 'docs/decisions/0001';
const citations = (text: string) => brokenCitations('server/b.ts', text, exists);

describe('a comment', () => {
  it('may cite pages from the root or from its file, and decisions by their number', () => {
    expect(
      citations('// docs/a.md and README.md\n/** docs/decisions/0001, see VERIFY.md of a bundle */'),
    ).toEqual([]);
  });

  it('is named with the page or the decision that is not there', () => {
    expect(citations('const x = 1; // contract.md "Limits"\n/** docs/decisions/0002 */')).toEqual([
      'server/b.ts: a comment cites contract.md: no such file',
      'server/b.ts: a comment cites docs/decisions/0002: no such file',
    ]);
  });

  it('is meant alone: a string names what it likes', () => {
    expect(citations("read('docs/none.md');")).toEqual([]);
  });
});

describe('a comment in another language', () => {
  it('is held to the same', () => {
    const text = 'retries = 3 # interface.md, "Partial success"\n-- docs/a.md\nname: other.md\n';
    expect(brokenCitationsInLines('server/b.toml', text, exists)).toEqual([
      'server/b.toml: a comment cites interface.md: no such file',
    ]);
  });
});

describe('a text of the product', () => {
  const names = (text: string) => brokenNames('server/b.ts', text, (path: string) => files.get(path));

  it('names a page, and one of its headings', () => {
    expect(names("'see docs/a.md' 'docs/a.md, Its second part: three = 3'")).toEqual([]);
  });

  it('is named with the page or the heading that is not there', () => {
    expect(names("'see docs/none.md' 'docs/a.md, A third part'")).toEqual([
      'server/b.ts: names docs/none.md: no such file',
      "server/b.ts: names docs/a.md, A third part': no such heading",
    ]);
  });
});

describe('a link of a page', () => {
  const links = (text: string) => brokenLinks('docs/b.md', text, (path: string) => files.get(path));

  it('leads to a file, and to one of its headings', () => {
    expect(links('[a](a.md) [b](a.md#its-second-part)')).toEqual([]);
  });

  it('is named when either is not there', () => {
    expect(links('[a](none.md) [b](a.md#third)')).toEqual([
      'docs/b.md: none.md: no such file',
      'docs/b.md: a.md#third: no such heading',
    ]);
  });
});

import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkedFiles, checkStandards, citationsOf } from './check-standards.mjs';
import { smallTree } from './small-tree.ts';

const PATH = 'packages/mail/src/a.ts';
const below = (comment: string) => `const a = 1;\n${comment}\nconst b = 2;\n`;

test.each([
  ['an RFC without a section', '/** As in RFC 5321. */', /:2: names RFC 5321 without a section/],
  ['its line in a longer comment', '/**\n * One.\n * RFC 5321\n */', /:2: names RFC 5321 without a section/],
  ['the second of two', '// RFC 5321 §4.2, RFC 2920', /names RFC 2920 without a section/],
  ['a section that does not exist', '// RFC 5321 §4.5.3.3', /RFC 5321 has no section 4\.5\.3\.3/],
  ['the last of several', '// RFC 5322 §3.4, §4.9', /has no section 4\.9/],
  ['the end of a range', '// RFC 5652 §5.3–5.9', /has no section 5\.9/],
  ['a section that an appendix does not have', '// RFC 5322 §A.7', /has no section A\.7/],
  ['an RFC that the table does not have', '// RFC 9999 §1', /names RFC 9999: write it as in/],
  ['another spelling', '// RFC5321 §4.2', /names RFC5321: write it as in/],
  ['a hyphen', '// RFC-5321 §4.2', /names RFC-5321: write it as in/],
  ['small letters', '// rfc 5321', /names rfc 5321: write it as in/],
  ['several at once', '// RFCs 5321 and 5322', /names RFCs 5321: write it as in/],
  ['a block comment at the end of a line', 'f(); /* RFC 5321 */', /names RFC 5321 without a section/],
  ['a section in words', '// section 4.2 of RFC 5321', /names RFC 5321 without a section/],
  ['a code span', '// as `RFC 5321` says', /names RFC 5321 without a section/],
  ['a C2SP document that does not exist', '// C2SP tlog-tile', /names C2SP tlog-tile: write it as in/],
  ['a heading that does not exist', '// C2SP tlog-tiles, "Merkle Trees"', /no section Merkle Trees/],
  ['a section of our own format', '// docs/evidence-format.md §99', /no section 99/],
  ['a section of nothing', '// as in §4.2', /names a section \(§\) of no standard/],
])('%s: %s', (_, comment, breach) => {
  const found = checkStandards(PATH, below(comment)) as string[];
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(breach);
  expect(found[0]!.startsWith(`${PATH}:2: `)).toBe(true);
});

test.each([
  ['a section', below('/** RFC 5321 §4.5.3.2.7. */')],
  ['several, and a range', below('// RFC 5322 §3.4, §4.4 and RFC 5652 §5.3–5.6')],
  ['broken over lines', below('/**\n * As asked. RFC\n * 5321 §4.2\n */\n// RFC 5321\n// §4.2')],
  ['a whole RFC in the head of a file', '/** SMTP. RFC 5321 */\nconst a = 1;\n'],
  ['a whole RFC for which the table says why', below('/** RFC 3339. */')],
  ['a whole RFC in the head of a script', '#!/usr/bin/env node\n// SMTP. RFC 5321\n'],
  ['a name in code', below('// `rfc3161`, message/rfc822')],
  ['an appendix, and a section of one', below('// RFC 4155 §A, RFC 5322 §A.1.2')],
  ['another standard as a whole, a heading of it', below('// X.509; C2SP tlog-tiles, "Merkle Tree"')],
  ['a string', below("const text = 'RFC 5321 or §99';")],
])('nothing wrong with %s', (_, text) => {
  expect(checkStandards(PATH, text)).toEqual([]);
});

test('the product, scripts, tests and the bench are read', () => {
  const read = [
    'bench/run.mjs',
    'packages/mail/src/dkim.ts',
    'packages/mail/test/dkim.test.ts',
    'scripts/check.mjs',
    'server/bin/acuse.mjs',
    'server/src/errors.ts',
    'server/test/contract/refusals.ts',
  ];
  const skipped = ['server/node_modules/a/src/a.ts', 'sdks/go/a_generated.ts', 'server/src/notes.md'];
  const comment = below('// RFC 5321 §4.2');
  const root = smallTree(Object.fromEntries([...read, ...skipped].map((path) => [path, comment])));
  expect(checkedFiles(root).map(([path]: [string]) => path)).toEqual(read);
});

test('a comment gives each standard with its sections', () => {
  const found = citationsOf(
    below('// RFC 5322 §3.4, §4.4; C2SP tlog-tiles, "Merkle Tree", RFC 5652 §5.3–5.6'),
  );
  expect(found).toMatchObject([
    { name: 'RFC 5322', sections: ['3.4', '4.4'] },
    { name: 'C2SP tlog-tiles', sections: ['Merkle Tree'] },
    { name: 'RFC 5652', sections: ['5.3', '5.6'] },
  ]);
});

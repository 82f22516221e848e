import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkDeployed, checkFile, checkLanguages, findBreaches, variablesOf } from './check-walls.mjs';
import { smallTree } from './small-tree.ts';

test.each([
  [
    'packages/evidence/src/a.ts',
    "import { readFile } from 'node:fs';",
    /1: imports node:fs: packages\/evidence runs in a browser/,
  ],
  ['packages/evidence/src/a.ts', "import { x } from '@acuse/mail/x';", /evidence may import nothing of ours/],
  ['packages/evidence/src/a.ts', '\nconst b = Buffer.from(c);', /2: uses Buffer/],
  ['packages/evidence/src/a.ts', 'const at = new Date();', /uses a clock/],
  ['packages/evidence/src/a.ts', 'const at = Date.now();', /uses a clock/],
  ['packages/evidence/src/a.ts', 'await fetch(url);', /uses the network/],
  ['packages/mail/src/a.ts', "import { x } from '@acuse/tsa/x';", /mail may import evidence/],
  ['packages/mail/src/a.ts', "import { x } from '@acuse/testkit/x';", /testkit, which is for tests only/],
  [
    'packages/mail/src/a.ts',
    "import { x } from '../../../server/src/errors.ts';",
    /by its path: write @acuse/,
  ],
  ['packages/mail/src/a.ts', "import { x } from '@acuse/server/errors';", /imports the server: nothing does/],
  ['packages/mail/src/a.ts', "import { x } from './b';", /write the file's own name, with \.ts/],
  ['packages/mail/src/a.ts', 'const key = process.env.KEY;', /reads the environment/],
  ['packages/mail/src/a.ts', "export * from './b.ts';", /no barrels/],
  ['packages/mail/src/a.ts', "export { b } from './b.ts';", /no barrels/],
  [
    'server/src/accounts/tenants/a.ts',
    "import { x } from '../../messages/x.ts';",
    /tenants imports messages .*ladder/,
  ],
  [
    'server/src/accounts/domains/a.ts',
    "import { x } from '../senders/x.ts';",
    /accounts\/domains imports accounts\/senders .*ladder/,
  ],
  ['server/src/delivery/a.ts', "import type { X } from '../main.ts';", /delivery imports app .*ladder/],
  [
    'server/src/evidence/witness/a.ts',
    "import { x } from '../log/x.ts';",
    /evidence\/witness imports evidence .*ladder/,
  ],
  [
    'server/src/messages/a.ts',
    "import { x } from './submission/x.ts';",
    /messages imports messages\/submission .*ladder/,
  ],
  [
    'server/src/people/a.ts',
    "import { x } from '../platform/x.ts';",
    /people\/a\.ts has no place on the ladder/,
  ],
  [
    'server/src/platform/a.ts',
    "import { x } from '../accounts/tenants/x.ts';",
    /platform imports accounts\/tenants .*ladder/,
  ],
  [
    'server/src/messages/store.ts',
    "import { x } from '../accounts/tenants/store.ts';",
    /a store imports another/,
  ],
  ['server/src/messages/accept.ts', "await tx.query('select a from b where c');", /has SQL/],
  ['server/src/messages/accept.ts', 'await tx.execute(`\n  insert into a (b) values ($1)`);', /1: has SQL/],
  ['server/src/messages/accept.ts', 'const port = process.env.PORT;', /reads the environment/],
  ['server/src/messages/accept.ts', "const port = process['env'].PORT;", /reads the environment/],
  ['server/src/messages/accept.ts', 'const { env } = process;', /reads the environment/],
  ['server/src/messages/accept.ts', 'const here = process;', /reads the environment/],
  ['server/src/messages/accept.ts', "import { env } from 'node:process';", /reads the environment/],
  ['server/src/messages/accept.ts', "q('MERGE INTO a USING b ON true');", /has SQL/],
  ['server/src/messages/accept.ts', "q('truncate messages');", /has SQL/],
  ['server/src/messages/accept.ts', "q('copy messages (a) from stdin');", /has SQL/],
  ['server/src/messages/accept.ts', "q('/* all */ delete from messages');", /has SQL/],
  ['server/src/messages/accept.ts', "q('-- all\\nupdate only messages m set a = 1');", /has SQL/],
  ['server/src/messages/accept.ts', "q('with a as materialized (select 1) select 2');", /has SQL/],
  [
    'server/src/accounts/tenants/a.ts',
    "const x = await import('../../messages/x.ts');",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    'const x = await import(`../../messages/x.ts`);',
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "const x = import(/* it */ '../../messages/x.ts');",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "type X = import('../../messages/x.ts').X;",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "const x = require('../../messages/x.ts');",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "createRequire(import.meta.url)('../../messages/x.ts');",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "import { type X } from '../../messages/x.ts';",
    /tenants imports messages/,
  ],
  ['server/src/accounts/tenants/a.ts', "import '../../messages/x.ts';", /tenants imports messages/],
  [
    'server/src/accounts/tenants/a.ts',
    "import.meta.resolve('../../messages/x.ts');",
    /tenants imports messages/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "new Worker(new URL('../../messages/x.ts', import.meta.url));",
    /tenants imports messages/,
  ],
  ['server/src/accounts/tenants/a.ts', 'await import(path);', /imports what only running tells/],
  [
    'server/src/accounts/tenants/a.ts',
    "await import('../../messages/' + name);",
    /imports what only running tells/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    `await import(\`../../messages/${'$'}{name}.ts\`);`,
    /imports what only running tells/,
  ],
  [
    'server/src/accounts/tenants/a.ts',
    "import x from '/srv/acuse/x.ts';",
    /imports \/srv\/acuse\/x\.ts: write/,
  ],
  ['server/src/accounts/tenants/a.ts', "import x from 'file:///srv/acuse/x.ts';", /imports file:.*: write/],
  ['server/src/accounts/tenants/a.ts', "import x from '#messages/x';", /imports #messages\/x: write/],
  ['server/src/accounts/tenants/a.ts', 'const load = createRequire(import.meta.url);', /call it require/],
  [
    'server/src/accounts/tenants/a.mjs',
    "import { x } from '../../messages/x.ts';",
    /tenants imports messages/,
  ],
  [
    'server/src/messages/store.ts',
    "import type { A } from '../accounts/quota/store.ts'; require('../accounts/tenants/store.ts');",
    /a store imports another \(accounts\/tenants/,
  ],
  ['packages/evidence/src/a.ts', "import { readFile } from 'fs';", /imports fs: packages\/evidence runs/],
  [
    'packages/mail/src/a.ts',
    "import { x } from '../../../node_modules/@acuse/tsa/src/x.ts';",
    /by its path: write @acuse/,
  ],
  ['packages/mail/src/a.ts', "import { b } from './b.ts'; export { b };", /no barrels/],
  ['packages/mail/src/a.ts', "import * as b from './b.ts'; export { b as c };", /no barrels/],
])('%s: %s', (path, text, breach) => {
  const found = checkFile(path, text) as string[];
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(breach);
  expect(found[0]!.startsWith(`${path}:`)).toBe(true);
});

test.each([
  [
    'packages/evidence/src/a.ts',
    "// no Buffer, no process.env\nconst at = new Date(ms); const text = 'Buffer.from(x)';",
  ],
  [
    'packages/evidence/test/a.test.ts',
    "import { readFileSync } from 'node:fs'; import { x } from '@acuse/tsa/x';",
  ],
  [
    'packages/mail/src/a.ts',
    "import { x } from '@acuse/evidence/relaxed'; import { connect } from 'node:net';",
  ],
  ['packages/testkit/src/a.ts', 'const given = process.env.ACUSE_TEST_DATABASE_URL;'],
  [
    'server/src/messages/accept.ts',
    "import { x } from '../accounts/tenants/store.ts'; import { y } from '../platform/y.ts'; import { z } from '../errors.ts';",
  ],
  [
    'server/src/messages/accept.ts',
    "throw apiError('invalid_body', 'Update the field, or delete it; select another from the list.');",
  ],
  [
    'server/src/messages/accept-store.ts',
    "await tx.query('select a from b'); import type { Row } from './read-store.ts';",
  ],
  ['server/src/app/main.ts', "import { x } from './sandbox/x.ts';"],
  ['server/test/messages/a.test.ts', "import { x } from '@acuse/testkit/database'; await query('select 1');"],
  ['server/src/platform/a.ts', 'const require = createRequire(import.meta.url); require.resolve(name);'],
  ['server/src/platform/a.ts', "import { createRequire } from 'node:module'; const { pid } = process;"],
  ['server/src/platform/a.ts', "import { a } from './b.ts'; const c = a; export { c };"],
  ['server/test/a.test.ts', 'await import(built);'],
])('%s is within the walls: %s', (path, text) => {
  expect(checkFile(path, text)).toEqual([]);
});

test('what is exported from across a wall crosses it, types too', () => {
  expect(
    checkFile('server/src/accounts/tenants/a.ts', "export type { X } from '../../messages/x.ts';"),
  ).toEqual([expect.stringMatching(/tenants imports messages/), expect.stringMatching(/no barrels/)]);
});

test('a new domain must be given its place', () => {
  const [breach] = checkFile(
    'server/src/novelties/a.ts',
    "import { x } from '../platform/x.ts';",
  ) as string[];
  expect(breach).toMatch(/a\.ts:1: server\/src\/novelties has no place on the ladder/);
});

const NAMES = new Map([
  ['acuse', 'sdks/typescript'],
  ['@acuse/portal', 'web/portal'],
]);

test.each([
  [
    'web/portal/src/a.tsx',
    "import { b } from '../../admin/src/b.tsx';",
    /web\/portal may import contract, web\/shared/,
  ],
  [
    'web/admin/src/a.ts',
    "import { b } from '@acuse/portal/b';",
    /imports web\/portal\/b: web\/admin may import/,
  ],
  ['web/portal/src/a.ts', "import { b } from '@acuse/mail/b';", /imports packages\/mail/],
  [
    'web/portal/src/a.ts',
    "import { b } from '../../../server/src/errors.ts';",
    /imports server\/src\/errors/,
  ],
  ['web/portal/src/a.tsx', 'const a = <b>{subject}</b>;', /shows subject as it came: write <Foreign/],
  ['web/mailbox/src/a.tsx', 'const a = <b>{mail.from ?? none}</b>;', /shows from as it came/],
  ['web/admin/src/a.tsx', "const a = { cell: ({ to }) => (to === '' ? words.none : to) };", /shows to as/],
  [
    'web/shared/src/a.ts',
    "import { b } from '../../portal/b.ts';",
    /web\/shared may import contract, packages/,
  ],
  [
    'sdks/typescript/src/a.ts',
    "import { b } from '@acuse/mail/b';",
    /typescript may import packages\/evidence/,
  ],
  ['sdks/python/tools/a.mjs', "import { b } from '@acuse/evidence/b';", /python may import nothing of ours/],
  ['sdks/generate/a.mjs', "import { b } from '../typescript/a.mjs';", /generate may import nothing of ours/],
  ['sdks/conformance/a.ts', "import { b } from 'acuse';", /conformance may import packages\/testkit/],
  [
    'sdks/conformance/a.ts',
    "import { b } from '../../server/src/errors.ts';",
    /conformance may import packages\/testkit/,
  ],
  [
    'sdks/typescript/src/a.ts',
    "import b from '../../../contract/openapi.json';",
    /may import packages\/evidence/,
  ],
  ['mcp/src/a.ts', "import { b } from '@acuse/evidence/b';", /mcp may import sdks\/typescript/],
  [
    'server/src/app/a.ts',
    "import { b } from '../../../web/portal/b.ts';",
    /imports web\/portal.*nothing does/,
  ],
  ['packages/mail/src/a.ts', "import { Acuse } from 'acuse';", /imports sdks\/typescript: nothing does/],
])('outside the server, %s: %s', (path, text, breach) => {
  const found = checkFile(path, text, NAMES) as string[];
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(breach);
});

test.each([
  [
    'web/portal/src/a.ts',
    "import b from '../../shared/b.ts'; import c from '../../../contract/portal.json';",
  ],
  [
    'web/verify/src/a.ts',
    "import { b } from '@acuse/evidence/verify'; import { c } from './c.ts'; import d from 'lit';",
  ],
  ['web/portal/src/a.tsx', 'const a = <b title={to}>{words.from}<Foreign text={subject} /></b>;'],
  ['mcp/src/a.ts', "import { Acuse } from 'acuse'; import { b } from 'node:fs';"],
  ['sdks/typescript/src/a.ts', "import { b } from './b.ts'; import { c } from '@acuse/evidence/c';"],
  ['sdks/conformance/a.ts', "import { b } from '@acuse/testkit/b'; import { c } from './proxy/c.ts';"],
])('outside the server, %s is within the walls: %s', (path, text) => {
  expect(checkFile(path, text, NAMES)).toEqual([]);
});

test('the suite of all libraries names none of them', () => {
  const text = "const slow = new Set(['python', 'path']);\nrun(`java`);";
  expect(checkLanguages('sdks/conformance/a.ts', text, ['python', 'java'])).toEqual([
    expect.stringMatching(/a\.ts:1: names python: the suite knows no language/),
    expect.stringMatching(/a\.ts:2: names java/),
  ]);
  expect(checkLanguages('sdks/generate/a.mjs', text, ['python', 'java'])).toEqual([]);
});

test.each([
  ['web/portal/src/a.ts', "await fetch('/v1');", /asks the server/],
  ['web/portal/src/a.ts', 'const at = new Date(text);', /uses Date or Intl/],
  ['web/shared/api/a.ts', 'Intl.NumberFormat("en")', /uses Date or Intl/],
  ['web/admin/src/a.tsx', '<div dangerouslySetInnerHTML={{ __html: text }} />', /markup of a string/],
  ['web/admin/src/a.tsx', 'const a = <p>Hello there</p>;', /has a text \(Hello there\)/],
  ['web/admin/src/a.tsx', 'const a = <img alt="A cat" />;', /has a text in alt/],
  ['web/admin/src/a.tsx', "const a = <img title={'A cat'} />;", /has a text in title/],
  ['web/shared/ui/a.tsx', 'const a = <p style="color: red" />;', /style as a string/],
  ['web/admin/src/a.tsx', 'const { data } = useQuery(aQuery(useApi()));', /a read that fails in silence/],
  ['web/admin/src/a.ts', 'const rows = useInfiniteQuery(aQuery()).data?.pages;', /fails in silence/],
  [
    'web/portal/src/pages/rates/page.tsx',
    "import { b } from '../messages/queries.ts';",
    /imports another page/,
  ],
])('in the web applications, %s breaks a wall: %s', (path, text, expected) => {
  expect(checkFile(path, text, NAMES).join('\n')).toMatch(expected);
});

test.each([
  ['web/shared/api/client.ts', "await fetch('/v1');"],
  ['web/shared/format/format.ts', 'const at = new Date(text);'],
  ['web/portal/src/a.tsx', 'const a = <p title={words.title}>{words.text} · {count}</p>;'],
  ['web/portal/src/pages/rates/page.tsx', "import { b } from './queries.ts';"],
  ['web/admin/src/a.tsx', 'const { data, error } = useQuery(aQuery(useApi()));'],
  ['web/admin/src/a.tsx', 'const query = useQuery(aQuery(useApi()));'],
  ['web/test/a.test.ts', 'const now = new Date();'],
])('in the web applications, %s is within the walls: %s', (path, text) => {
  expect(checkFile(path, text, NAMES)).toEqual([]);
});

test('what deploys the service names variables that it reads, and has no code', () => {
  const variables = variablesOf("const table = { port: { name: 'ACUSE_PORT' } };");
  expect(
    checkDeployed('deploy/helm/values.yaml', 'a: $ACUSE_PORT\nb: ACUSE_PROT\n# ACUSE_*', variables),
  ).toEqual([
    'deploy/helm/values.yaml:2: names ACUSE_PROT, which is not in the table of config-variables.ts',
  ]);
  expect(checkDeployed('deploy/compose/.env', 'ACUSE_SECRET_PSC=x', variables)).toEqual([]);
  expect(checkDeployed('deploy/a.mjs', '', variables)).toEqual([expect.stringMatching(/is code/)]);
});

test('a tree is read where its code is, with its names, languages and variables', () => {
  const root = smallTree({
    'sdks/names.json': '{ "languages": { "python": {} } }',
    'sdks/typescript/package.json': '{ "name": "acuse" }',
    'sdks/conformance/a.ts': "run('python');",
    'server/src/config/config-variables.ts': "const table = { port: { name: 'ACUSE_PORT' } };",
    'server/src/accounts/tenants/a.ts': "import { x } from '../../messages/x.ts';",
    'server/node_modules/a/a.ts': "import { x } from '../../src/x.ts';",
    'packages/mail/src/a.ts': "import { Acuse } from 'acuse';",
    'packages/mail/README.md': "import { Acuse } from 'acuse';",
    'web/portal/src/a.ts': "await fetch('/v1');",
    'web/dist/a.ts': "await fetch('/v1');",
    'deploy/compose/a.yaml': 'a: $ACUSE_PORT\nb: $ACUSE_PROT',
  });
  expect(findBreaches(root)).toEqual([
    expect.stringMatching(/^packages\/mail\/src\/a\.ts:1: imports sdks\/typescript/),
    expect.stringMatching(/^server\/src\/accounts\/tenants\/a\.ts:1: accounts\/tenants imports messages/),
    expect.stringMatching(/^web\/portal\/src\/a\.ts:1: asks the server/),
    expect.stringMatching(/^sdks\/conformance\/a\.ts:1: names python/),
    expect.stringMatching(/^deploy\/compose\/a\.yaml:2: names ACUSE_PROT/),
  ]);
});

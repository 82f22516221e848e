#!/usr/bin/env node
// Requirements of the public registries, and of readers of a package's page there: a description, a licence,
// where its home and its source are, and links that lead somewhere outside of this repository. Nobody owns
// acuse.dev for certain: pages lead to the documentation of the reader's own installation. Whoever publishes
// a package changes HOME and SOURCE here, and this check says where else. Building, packing and the
// registries' own dry runs are the step `package` of sdks/<language>/run and mcp/run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idsOf } from './check-links.mjs';
import { ROOT, readText, report } from './source-files.mjs';

const HOME = 'https://acuse.dev';
const SOURCE = `${HOME}/source.git`;
const LICENCE = 'Apache-2.0';

/** The manifest of each package, and what must stand in it. */
const npm = (directory) => [
  `"homepage": "${HOME}"`,
  `"url": "git+${SOURCE}",\n    "directory": "${directory}"`,
  `"license": "${LICENCE}"`,
  /"description": "\w.{20,}"/,
  /"engines": \{\n {4}"node": /,
];
const MANIFESTS = {
  'sdks/typescript': ['package.json', ...npm('sdks/typescript')],
  mcp: ['package.json', ...npm('mcp')],
  'sdks/python': [
    'pyproject.toml',
    ...[`Homepage = "${HOME}"`, `Repository = "${SOURCE}"`, `license = "${LICENCE}"`, /\nauthors = \[/],
    ...[/\ndescription = "\w.{20,}"/, /\nreadme = "README.md"/, /\nrequires-python = /],
  ],
  'sdks/rust': [
    'Cargo.toml',
    ...[`homepage = "${HOME}"`, `repository = "${SOURCE}"`, `license = "${LICENCE}"`],
    ...[/\ndescription = "\w.{20,}"/, /\nreadme = "README.md"/, /\nrust-version = /],
  ],
  'sdks/php': [
    'composer.json',
    ...[`"homepage": "${HOME}"`, `"source": "${SOURCE}"`, `"license": "${LICENCE}"`, /"authors": \[/],
    /"description": "\w.{20,}"/,
  ],
  'sdks/ruby': [
    'acuse.gemspec',
    ...[`homepage = '${HOME}'`, `'source_code_uri' => '${SOURCE}'`, `license = '${LICENCE}'`],
    ...[/\.summary = '\w.{20,}'/, /required_ruby_version = /, /authors = \[/],
  ],
  // https://central.sonatype.org/publish/requirements
  'sdks/java': [
    'pom.xml',
    ...[
      /<name>.+<\/name>\n {2}<description>/,
      `<url>${HOME}</url>\n  <licenses>`,
      `<name>${LICENCE}</name>\n`,
    ],
    ...[
      /<developer>\n\s+<name>/,
      `<connection>scm:git:${SOURCE}</connection>`,
      '<developerConnection>scm:git:',
    ],
    ...[
      `<url>${SOURCE}</url>\n  </scm>`,
      '<artifactId>maven-source-plugin</',
      '<artifactId>maven-javadoc-plugin</',
    ],
  ],
  'sdks/go': ['go.mod', /^module acuse\.dev\/go$/m, /^go 1\.\d+$/m],
};
const BESIDE = ['README.md', 'CHANGELOG.md', 'LICENSE'];

const FENCED = /^```[^\n]*\n[\s\S]*?^```$/gm;
const LINK = /\]\(([^()\s]+)\)/g;
/** How a page names the documentation, whose address it cannot know. */
const OWN_DOCS = /<your Acuse>\/docs\/([\w./-]+)(?:#([\w-]+))?/g;

/** Links of a package's page that lead nowhere from a registry. `read`: undefined for no such page. */
export function brokenOutside(page, text, read) {
  const prose = text.replace(FENCED, '');
  const links = [...prose.matchAll(LINK)].flatMap(([, target]) => {
    if (target.startsWith('#'))
      return idsOf(text).includes(target.slice(1)) ? [] : [`${page}: no heading ${target}`];
    if (!target.startsWith('https://')) return [`${page}: ${target} leads nowhere outside of the repository`];
    return /^https:\/\/acuse\.dev(?:\/|$)/.test(target)
      ? [`${page}: ${target}: not ours for certain; say <your Acuse>/docs/…`]
      : [];
  });
  const docs = [...prose.matchAll(OWN_DOCS)].flatMap(([target, name, id]) => {
    const there = read(`docs/${name}.md`);
    if (there === undefined) return [`${page}: ${target}: no such page of docs/`];
    return id === undefined || idsOf(there).includes(id) ? [] : [`${page}: ${target}: no such heading`];
  });
  return [...links, ...docs];
}

/** Missing parts of a manifest, as lines. */
export function lacking(path, text, wanted) {
  return wanted
    .filter((each) => (typeof each === 'string' ? !text.includes(each) : !each.test(text)))
    .map((each) => `${path}: a registry needs ${each}`);
}

export function findAll() {
  const read = (path) => (existsSync(join(ROOT, path)) ? readText(join(ROOT, path)) : undefined);
  return Object.entries(MANIFESTS).flatMap(([folder, [name, ...wanted]]) => [
    ...lacking(`${folder}/${name}`, read(`${folder}/${name}`), wanted),
    ...BESIDE.filter((file) => read(`${folder}/${file}`) === undefined).map(
      (file) => `${folder} has no ${file}`,
    ),
    ...['README.md', 'CHANGELOG.md'].flatMap((file) =>
      brokenOutside(`${folder}/${file}`, read(`${folder}/${file}`) ?? '', read),
    ),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());

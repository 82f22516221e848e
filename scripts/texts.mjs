#!/usr/bin/env node
// Every text that somebody outside may read, out of the source into contract/texts/{en,es}.txt: refusals,
// replies, help, descriptions, findings, messages of the log, words of the pages. A wording changes on
// purpose and is seen in review. With --check nothing is written, and a text that differs fails. A
// placeholder is {}, so that renaming a variable changes nothing here; a heading is a folder, so that moving
// a file inside it does not either.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, ROOT, readText, report } from './source-files.mjs';

const SOURCES = [
  'server/src',
  'packages/evidence/src',
  'packages/mail/src',
  'packages/tsa/src',
  'web/shared',
  'web/portal/src',
  'web/admin/src',
  'web/verify/src',
  'web/mailbox/src',
];
/** Texts of other servers' replies are not ours. */
const NOT_OURS = /\/reply\/|\.d\.ts$/;
/** Where nearly every literal is SQL: only what is thrown counts. */
const STORES = /store\.ts$/;
/** Where each literal counts, were it one word. */
const ALL_WORDS = /(?:\/|-)words\.ts$/;
const FILES = { en: 'contract/texts/en.txt', es: 'contract/texts/es.txt' };
const HEAD = {
  en: 'English texts that users, operators and experts read, by the folder of the source that says them.',
  es: 'Spanish texts that users, operators and experts read, by the folder of the source that says them.',
};

/** Two words in a row, one of which may be a placeholder. */
const PROSE = /\p{L}{2,}[.,:;!?)"'’»]*\s+["'(“«]*(?:\p{L}|\{\})|\{\}[.,:;]?\s+\p{L}{2,}/u;
const SQL =
  /^\s*(?:\w+ as \(|encode\(substring\(|(?:select|insert|update|delete|with|create|alter|grant|revoke|drop|listen|notify|set|begin|lock|from|where|order by|on conflict|returning|join|left join|and|or)\s[^.]*$)/;
/** Markup, addresses, header fields and code are no texts. */
const CODE =
  /^(?:[\w-]+\/[\w.+-]+;|https?:\/\/\S+$|[.#:]?[\w-]+ \{ ?[\w-]+:|[a-z]{2}-[A-Z]{2}$|\s*(?:-----|-- |<\?|@media))/;
/** Elsewhere the walls let no SQL in, and a text may begin like it. */
const MAY_HAVE_SQL = /\/platform\/|store\.ts$/;
const SPANISH = /[áéíóúñ¿¡«»]/i;

/** `texts` of one file, as [language, text]. */
export function textsOf(path, source) {
  const file = parse(path, source);
  const found = [];
  const visit = (node, within) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const { spanish, spoken, worded } = widened(within, node, file);
    const text = literalText(node);
    if (text === undefined)
      return ts.forEachChild(node, (child) => visit(child, { spanish, spoken, worded }));
    for (const part of text.split(/\n\s*\n/)) {
      const line = part.replace(/\s+/g, ' ').trim();
      if (spoken && (worded ? /\p{L}{2}/u.test(line) : isText(line, path)))
        found.push([spanish || (!worded && !ALL_WORDS.test(path) && SPANISH.test(line)) ? 'es' : 'en', line]);
    }
    // A placeholder of a text may hold further ones.
    for (const inner of expressionsOf(node)) visit(inner, { spanish, spoken, worded });
  };
  visit(file, { spanish: false, spoken: !STORES.test(path), worded: false });
  return found;
}

/** `spanish` and `es: …` hold Spanish; of `en: …` and `es: …` each literal counts, were it one word. */
function widened({ spanish, spoken, worded }, node, file) {
  const language = ts.isPropertyAssignment(node) ? /^e[ns]$/.exec(node.name.getText(file))?.[0] : undefined;
  const isSpanish = ts.isVariableDeclaration(node) && /^spanish$/i.test(node.name.getText(file));
  return {
    spanish: spanish || isSpanish || language === 'es',
    spoken: spoken || ts.isThrowStatement(node),
    worded: worded || language !== undefined,
  };
}

function isText(line, path) {
  if (CODE.test(line)) return false;
  if (ALL_WORDS.test(path)) return /\p{L}{2}/u.test(line);
  return PROSE.test(line) && !(MAY_HAVE_SQL.test(path) && SQL.test(line));
}

/**
 * The text of a literal, a template or a sum of them, with {} for what is put in; undefined for other nodes.
 */
function literalText(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
  if (!isSum(node)) return undefined;
  const [left, right] = [literalText(node.left), literalText(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? '{}'}${right ?? '{}'}`;
}

function expressionsOf(node) {
  if (ts.isTemplateExpression(node)) return node.templateSpans.map(({ expression }) => expression);
  if (!isSum(node)) return [];
  return [node.left, node.right].flatMap((side) =>
    literalText(side) === undefined ? [side] : expressionsOf(side),
  );
}

function isSum(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** The folder under whose heading a file's texts are: a package, or a domain of the server. */
function headingOf(path) {
  const [top, second, domain, file] = path.split('/');
  if (top === 'packages' || top === 'web') return `${top}/${second}`;
  return file === undefined ? 'server/src' : `server/src/${domain}`;
}

/** `files`: [path, source]. Returns the two snapshots, each as one text. */
export function snapshots(files) {
  const folders = { en: new Map(), es: new Map() };
  for (const [path, source] of files) {
    for (const [language, text] of textsOf(path, source)) {
      const of = folders[language];
      const heading = headingOf(path);
      of.set(heading, (of.get(heading) ?? new Set()).add(text));
    }
  }
  return Object.fromEntries(
    Object.entries(folders).map(([language, of]) => [
      language,
      [
        `${HEAD[language]}\nGenerated by npm run generate; npm run check fails when a text differs.\n`,
        ...[...of].sort(byText(([heading]) => heading)).map(([heading, texts]) => {
          const lines = [...texts].sort(byText((text) => text));
          return `[${heading}]\n${lines.join('\n')}\n`;
        }),
      ].join('\n'),
    ]),
  );
}

/** By code unit: the same on every machine. */
function byText(of) {
  return (a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0);
}

/** Differences between two snapshots, as lines of a diff. */
export function differences(was, now) {
  const [before, after] = [was, now].map((text) => new Set(text.split('\n')));
  return [
    ...[...before].filter((line) => !after.has(line)).map((line) => `- ${line}`),
    ...[...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`),
  ];
}

function filesIn(folder) {
  const isSource = (name) => (folder.startsWith('web/') ? ALL_WORDS.test(`/${name}`) : name.endsWith('.ts'));
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter(isSource)
    .map((name) => `${folder}/${name}`);
}

/** The snapshots of this tree, as [path, text]. */
export function currentTexts() {
  const files = SOURCES.flatMap(filesIn)
    .sort()
    .filter((path) => !NOT_OURS.test(path))
    .map((path) => [path, readText(join(ROOT, path))]);
  const made = snapshots(files);
  return Object.entries(FILES).map(([language, path]) => [path, made[language]]);
}

/** The texts that differ from the snapshots, as lines. */
export function findStale() {
  return currentTexts().flatMap(([path, now]) => {
    const was = committed(path);
    if (was === now) return [];
    return [`${path} is not what the source says:`, ...differences(was, now).map((line) => `  ${line}`)];
  });
}

function committed(path) {
  return existsSync(join(ROOT, path)) ? readText(join(ROOT, path)) : '';
}

function write() {
  for (const [path, now] of currentTexts()) {
    if (committed(path) === now) continue;
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), now);
    console.log(`wrote ${path}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) report(findStale());
  else write();
}

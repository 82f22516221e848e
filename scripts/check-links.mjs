#!/usr/bin/env node
// Links between the pages of docs/, README.md and the other pages at the root: the file is there, and so is
// the heading. Pages and decisions that comments cite are there too, in every language of the repository.
// So are pages of docs/ that texts of the product name, with the heading (`docs/recovery.md, The mirror`).
// Links of the site that is made of the pages are followed by server/test/surfaces/reference/routes.test.ts.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readText, report } from './source-files.mjs';
import { commentsOf } from './source-text.mjs';

const FENCED = /^```[^\n]*\n[\s\S]*?^```$/gm;
const LINK = /\]\((?!https?:|mailto:)([^()\s]+)\)/g;
const HEADING = /^#{1,6} (.+)$/gm;

/** Ids of headings as GitHub, and the site, make them. */
export function idsOf(text) {
  const seen = new Map();
  return [...text.replace(FENCED, '').matchAll(HEADING)].map(([, heading]) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** The fault in the links of a page, as lines. `read`: text by path; undefined: no such file. */
export function brokenLinks(page, text, read) {
  return [...text.replace(FENCED, '').matchAll(LINK)].flatMap(([, target]) => {
    const [file, id] = target.split('#');
    const there = file === '' ? text : read(join(dirname(page), file));
    if (there === undefined) return [`${page}: ${target}: no such file`];
    if (id === undefined || idsOf(there).includes(id)) return [];
    return [`${page}: ${target}: no such heading`];
  });
}

const CITED = /(?<![\w*<>])(?:docs\/decisions\/\d{4}(?!\d)|[\w./-]*\w\.md\b)/g;
/** Files of other programs or of a bundle, and not of this tree. */
const OF_OTHERS = new Set(['VERIFY.md', 'LICENSE.md']);

/**
 * Pages that the comments of a source file cite and that do not exist, as lines. A path counts from the root,
 * or from the file. `exists`: whether a path from the root is a file, or what a decision's begins with.
 */
export function brokenCitations(file, text, exists) {
  return commentsOf(text).flatMap((comment) =>
    [...comment.text.matchAll(CITED)]
      .map(([cited]) => cited)
      .filter((cited) => !OF_OTHERS.has(cited))
      .filter((cited) => ![cited, join(dirname(file), cited)].some(exists))
      .map((cited) => `${file}: a comment cites ${cited}: no such file`),
  );
}

/** A line that is a comment in one of the other languages, or its end that is one. */
const COMMENT_LINE = /^\s*(?:#|\/\/|--|;|\*|\/\*).*|\s#\s.*/gm;

/** The same for a file that is not TypeScript or JavaScript: its comments are whole lines. */
export function brokenCitationsInLines(file, text, exists) {
  const comments = [...text.matchAll(COMMENT_LINE)].map(([line]) => line).join('\n');
  return brokenCitations(file, `/*${comments.replaceAll('*/', '')}*/`, exists);
}

const NAMED_PAGE = /(?<![\w/.-])(docs\/[\w./-]+\.md)(?:, ([A-Z][^()":;]*))?/g;

/** Pages of docs/, and headings, that a text names and that do not exist, as lines. `read`: as above. */
export function brokenNames(file, text, read) {
  return [...text.matchAll(NAMED_PAGE)].flatMap(([, page, heading]) => {
    const there = read(page);
    if (there === undefined) return [`${file}: names ${page}: no such file`];
    if (heading === undefined) return [];
    const known = [...there.matchAll(HEADING)].map(([, it]) => it);
    return known.some((it) => heading.startsWith(it))
      ? []
      : [`${file}: names ${page}, ${heading}: no such heading`];
  });
}

const SOURCE_FOLDERS = ['packages', 'server', 'web', 'scripts', 'sdks', 'mcp', 'bench', 'deploy', 'contract'];
const SOURCE = /\.(?:[cm]?[jt]sx?)$/;
const OTHER_SOURCE = /\.(?:ya?ml|toml|sh|sql|css|py|rb|php|go|rs|java|env|service|timer|conf|txt)$/;
/** Made-up names are their business. */
const TEST = /\.test\.[cm]?[jt]sx?$/;
const SKIPPED = /(?:^|\/)(?:node_modules|dist|vendor|target|\.venv)\//;

function sourcesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (SKIPPED.test(`${path}/`)) return [];
    if (entry.isDirectory()) return sourcesBelow(path);
    return SOURCE.test(path) || OTHER_SOURCE.test(path) ? [path] : [];
  });
}

function pagesBelow(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** Every link and citation of the tree that leads nowhere. */
export function findAll() {
  const pages = [...pagesBelow('docs'), ...readdirSync(ROOT).filter((name) => name.endsWith('.md'))];
  const read = (path) => {
    const place = join(ROOT, relative('.', path));
    if (!existsSync(place)) return undefined;
    return path.endsWith('.md') ? readText(place) : '';
  };
  const decisions = new Set(readdirSync(join(ROOT, 'docs/decisions')).map((name) => name.slice(0, 4)));
  const exists = (path) =>
    path.startsWith('docs/decisions/') && !path.endsWith('.md')
      ? decisions.has(path.slice('docs/decisions/'.length))
      : existsSync(join(ROOT, path));
  return [
    ...pages.flatMap((page) => brokenLinks(page, read(page), read)),
    ...SOURCE_FOLDERS.flatMap(sourcesBelow).flatMap((file) => {
      const text = readText(join(ROOT, file));
      const cited = SOURCE.test(file) ? brokenCitations : brokenCitationsInLines;
      return [...cited(file, text, exists), ...(TEST.test(file) ? [] : brokenNames(file, text, read))];
    }),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findAll());

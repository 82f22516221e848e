#!/usr/bin/env node
// A few forms that are always wrong in comments, texts and documents, each with the plain one. The texts are
// read with the sources that hold them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, isCode, ROOT, readText, report } from './source-files.mjs';

/** Wrong forms, and the plain ones. */
const FORMS = [
  [/\bgood no longer\b/i, 'no longer valid, stops working'],
  [/\bof which there (?:is|are)\b/i, 'say it of the thing: unbounded names, many accounts'],
  [/(?<!const )\btells? of\b/i, 'says, reports, shows'],
  [/\b(?:becomes?|became|comes|came) of (?:it|them|each|an?|the|those|one)\b/i, 'the outcome, the result'],
  [/\bheld against each other\b/i, 'compared'],
  [/\b(?:can(?:not)?|could) be had\b/i, 'is available'],
  [/\bfor whom (?:it|there|no)\b/i, 'begin with the person'],
  [/\bbeside (?:the one|those|that|message_id)\b/i, 'besides, next to, in addition to'],
  [/\blo que fue de\b/i, 'el resultado'],
  [/\bno se afecta\b/i, 'no se ve afectado'],
  [/\bse sostienen?\b/i, 'está íntegro, es válido'],
  [/\bno se ejecuta nada de\b/i, 'no se ejecuta código'],
];

/** Wrong in a document besides: in code they also name what is handed on, and to whom. */
const FORMS_OF_PAGES = [
  [/\bwhat became of\b/i, 'the outcome, the result'],
  [/\bfor whom\b/i, 'begin with the person'],
  [/\bis good no longer\b/i, 'is no longer valid'],
  [/\btold of\b/i, 'says, reports, shows'],
];

/** Wrong where a comment or a text begins: a clause that stands for a noun. */
const BEGIN = String.raw`(?<=(?:^|[\n\v])\s*(?:\/\/+!?|\/?\*+|#+|""")\s*|['"\`])`;
const BEGINNINGS = [
  ['What is wrong with\\b', 'the fault in'],
  ['What (?:an?|the|one) \\w+ (?:came|comes) to\\b', 'the outcome of'],
  ['What (?:all|both|every|the) [\\w\\s]{1,30} (?:share|have in common)\\b', 'shared by, common to'],
].map(([form, instead]) => [new RegExp(BEGIN + form), instead]);

const FOLDERS = ['server/src', 'packages', 'web', 'scripts', 'sdks', 'mcp'];
const OTHER_LANGUAGES = /\.(?:py|go|rs|java|php|rb)$/;
/** The forms themselves; and VERIFY.md, which bundles that exist contain word by word. */
const LEFT_OUT = /\/test\/|\.test\.|^scripts\/check-words\.|^packages\/evidence\/src\/verify-md\./;

/** Pages for readers. */
const PAGES = /^(?:docs\/(?:guides\/|decisions\/)?[^/]+|README|ARCHITECTURE)\.md$/;

/** A form may go on in the next line of a comment or a page: the break is read as one space. */
export function findForms(path, text) {
  const isPage = path.endsWith('.md');
  const joined = isPage ? text.replace(/\n[ \t]*/g, '\v') : text.replace(/\n[ \t]*(?:\*|\/\/) /g, '\v');
  return [...FORMS, ...(isPage ? FORMS_OF_PAGES : []), ...BEGINNINGS].flatMap(([form, instead]) => {
    const found = new RegExp(form.source.replaceAll(' ', '[ \v]'), form.flags).exec(joined);
    if (found === null) return [];
    const line = joined.slice(0, found.index).split(/[\n\v]/).length;
    return [`${path}:${line}: "${found[0].replaceAll('\v', ' ')}" is not plain: ${instead}`];
  });
}

export function findBreaches(root = ROOT) {
  const code = FOLDERS.flatMap((folder) => filesBelow(root, folder)).filter(
    (path) => (isCode(path) || OTHER_LANGUAGES.test(path)) && !LEFT_OUT.test(path),
  );
  return [...code, ...pagesOf(root)].flatMap((path) => findForms(path, readText(join(root, path))));
}

export function pagesOf(root = ROOT) {
  const pages = [...filesBelow(root, 'docs'), 'README.md', 'ARCHITECTURE.md'];
  return pages.filter((path) => PAGES.test(path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());

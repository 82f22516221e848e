// Rules of web/ besides imports: one place asks the server, one knows time and numbers, every text is in a
// catalogue, and nothing makes markup of strings.
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { parse } from './source-files.mjs';
import { lineOf } from './source-text.mjs';

/** Code → the folder that may have it; null: nobody. */
const PLACES = [
  [
    /(?<![.\w])fetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bsendBeacon\b/,
    'asks the server',
    'web/shared/api/',
    'use the client of useApi()',
  ],
  [
    /\bnew\s+Date\b|\bDate\s*\.\s*\w|\bIntl\s*\.|\.toLocale\w*String\s*\(/,
    'uses Date or Intl',
    'web/shared/format/',
    'use useFormat(), or add what it lacks there',
  ],
  [
    /\bdangerouslySetInnerHTML\b|\binnerHTML\b|\bouterHTML\b|\binsertAdjacentHTML\b|\bdocument\s*\.\s*write\b/,
    'makes markup of a string',
    null,
    'render elements, or a sandboxed frame',
  ],
  [/\bcssText\b|\bsetAttribute\s*\(\s*'style'/, 'sets a style as a string', null, 'use a class'],
];

/** Attributes that people read. */
const READ = /^(?:aria-(?:label|description|roledescription)|alt|title|placeholder|label|hint|lead|action)$/;
/** Fields that somebody else wrote, in what shows them; elsewhere these words are parameters. */
const FOREIGN = new Set([
  ...['subject', 'filename', 'rcpt_to', 'mail_from', 'from', 'to', 'email', 'address'],
  ...['url', 'reason', 'description'],
]);
const SHOWS_MAIL = /^web\/(?:portal|admin|mailbox)\/src\/|^web\/shared\/mail\//;
const LETTERS = /\p{L}{2,}/u;
/** Reads whose failure shows nothing, and why that is right. */
const QUIET = new Map([
  ['web/admin/src/pages/audit/filter-bar.tsx', 'names for a filter: the list beside it says that it failed'],
  ['web/admin/src/pages/sealing/page.tsx', 'keeps a second check from starting, which the server refuses'],
  ['web/admin/src/parts/currency.ts', 'the currency of the default stands in'],
  ['web/portal/src/pages/audit/filter-bar.tsx', 'names for a filter: the list beside it says that it failed'],
  ['web/portal/src/pages/message/page.tsx', 'asks nobody: what the evidence tab has read'],
  ['web/portal/src/pages/messages/filter-bar.tsx', 'the name of a key, whose id stands in'],
  ['web/portal/src/parts/onboarding.ts', 'a step on Home, which the next check ticks'],
  ['web/portal/src/shell/shell.tsx', 'a number beside a link'],
]);
const PAGE = /^(web\/[^/]+\/src\/pages\/[^/]+)\//;

/** The breaches of one file of an application or of what they share. `code`: without comments and strings. */
export function checkWeb({ path, text, code, imports }) {
  if (path.startsWith('web/test/')) return [];
  return [
    ...checkPlaces(path, code),
    ...checkPages(path, imports),
    ...checkTexts(path, text),
    ...checkReads(path, text, code),
  ];
}

function checkPlaces(path, code) {
  return PLACES.flatMap(([pattern, what, place, instead]) =>
    place !== null && path.startsWith(place)
      ? []
      : [...code.matchAll(new RegExp(pattern, 'g'))].map(
          ({ index }) => `${path}:${lineOf(code, index)}: ${what}: ${instead}`,
        ),
  );
}

/** Code that two pages need is shared. */
function checkPages(path, imports) {
  const own = PAGE.exec(path)?.[1];
  if (own === undefined) return [];
  return imports.flatMap(({ from, line }) => {
    const target = from?.startsWith('.') ? normalize(join(dirname(path), from)) : '';
    const other = PAGE.exec(target)?.[1] ?? own;
    return other === own ? [] : [`${path}:${line}: imports another page (${target}): move it to web/shared`];
  });
}

/** Texts in JSX, and attributes that hold one. */
function checkTexts(path, text) {
  if (!path.endsWith('.tsx')) return [];
  const file = parse(path, text);
  const breaches = [];
  const breach = (node, message) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    breaches.push(`${path}:${line + 1}: ${message}`);
  };
  const visit = (node) => {
    if (ts.isJsxText(node) && LETTERS.test(node.text))
      breach(node, `has a text (${node.text.trim().slice(0, 40)}): give it a name in words.ts`);
    if (SHOWS_MAIL.test(path))
      for (const { name, value } of foreignIn(node))
        breach(value, `shows ${name} as it came: write <Foreign text={${value.getText(file)}} />`);
    if (ts.isJsxAttribute(node)) {
      const name = node.name.getText(file);
      const literal = literalOf(node.initializer);
      if (READ.test(name) && literal !== undefined && LETTERS.test(literal))
        breach(node, `has a text in ${name}: give it a name in words.ts`);
      if (name === 'style' && literal !== undefined) breach(node, 'has a style as a string: use a class');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return breaches;
}

/** Reads of which only the data are kept: nobody learns that one has failed. */
function checkReads(path, text, code) {
  if (QUIET.has(path) || !/\buse(?:Infinite)?Query\(/.test(code)) return [];
  const file = parse(path, text);
  const breaches = [];
  const visit = (node) => {
    if (isQuiet(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      breaches.push(`${path}:${line + 1}: a read that fails in silence: show it by <Loaded> or <NotLoaded>`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return breaches;
}

/** `useQuery(…).data`, and `const { data } = useQuery(…)` without what happened to it. */
function isQuiet(node) {
  if (!ts.isCallExpression(node) || !/^use(?:Infinite)?Query$/.test(node.expression.getText())) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === 'data';
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return false;
  const kept = parent.name.elements.map(({ propertyName, name }) => (propertyName ?? name).getText());
  return kept.includes('data') && !kept.some((each) => /^(?:error|is\w*Error|status)$/.test(each));
}

/** Such fields that a child of an element, or the cell of a table, shows. */
function foreignIn(node) {
  const isChild = ts.isJsxExpression(node) && (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent));
  const isCell =
    ts.isPropertyAssignment(node) &&
    node.name.getText() === 'cell' &&
    ts.isArrowFunction(node.initializer) &&
    !ts.isBlock(node.initializer.body);
  const shown = isChild ? node.expression : isCell ? node.initializer.body : undefined;
  return valuesOf(shown).flatMap((value) => {
    const name = nameOf(value);
    return FOREIGN.has(name) ? [{ name, value }] : [];
  });
}

/** Possible values of an expression. */
function valuesOf(node) {
  if (node === undefined) return [];
  if (ts.isParenthesizedExpression(node)) return valuesOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...valuesOf(node.whenTrue), ...valuesOf(node.whenFalse)];
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return valuesOf(node.right);
    const either = [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken].includes(kind);
    return either ? [...valuesOf(node.left), ...valuesOf(node.right)] : [];
  }
  return [node];
}

/** `subject`, `mail.subject`; of a catalogue every word is ours. */
function nameOf(node) {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node) || /\bwords$/.test(node.expression.getText())) return undefined;
  return node.name.text;
}

function literalOf(initializer) {
  if (initializer === undefined) return undefined;
  if (ts.isStringLiteral(initializer)) return initializer.text;
  const inner = ts.isJsxExpression(initializer) ? initializer.expression : undefined;
  return inner !== undefined && ts.isStringLiteralLike(inner) ? inner.text : undefined;
}

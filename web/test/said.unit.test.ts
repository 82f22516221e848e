import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { hostOf } from '../portal/src/pages/domains/host.ts';
import { capScopeText } from '../shared/words/cap-scope.ts';
import { SAID } from '../shared/words/said.ts';
import { worded } from '../shared/words/worded.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const spanish = (text: string) => worded(text, 'es', (_name, value) => `<${value}>`);

describe('a sentence of the server in the words of the page', () => {
  test.each([
    [
      'name must be a domain name such as example.com.',
      'Escriba un nombre de dominio, por ejemplo ejemplo.com.',
    ],
    [
      'shop.example is already a domain of this account: see GET /v1/domains.',
      '<shop.example> ya es un dominio de esta cuenta.',
    ],
    ['It was delivered at 2026-11-26T12:03:50.504Z.', 'Se entregó el <2026-11-26T12:03:50.504Z>.'],
    [
      'It was delivered at 2026-11-26T12:03:50.504Z: 250 2.0.0 Ok. Queued (mx.a.example).',
      'Se entregó el <2026-11-26T12:03:50.504Z>: <250 2.0.0 Ok. Queued (mx.a.example)>.',
    ],
    [
      'The DNS records of a.example are gone: its mail is refused.',
      'Los registros DNS de <a.example> desaparecieron: su correo se rechaza.',
    ],
    [
      'The DNS records of a.example are gone: its mail is refused soon.',
      'Los registros DNS de <a.example> desaparecieron: pronto se rechazará su correo.',
    ],
    [
      'Mail to a.example was paused by the operator at 2026-11-26T12:03:50.504Z and continues when the operator resumes it.',
      'El operador puso en pausa el correo para <a.example> el <2026-11-26T12:03:50.504Z>; continúa cuando el operador lo reanude.',
    ],
    [
      'All mail of this account was paused by the operator at 2026-11-26T12:03:50.504Z and continues when the operator resumes it.',
      'El operador puso en pausa todo el correo de esta cuenta el <2026-11-26T12:03:50.504Z>; continúa cuando el operador lo reanude.',
    ],
    ['One message of its account is due before it.', 'Un mensaje de su cuenta va antes.'],
    [
      'Last reply after one attempt: 451 later (mx).',
      'Última respuesta después de un intento: <451 later (mx)>.',
    ],
    ['A webhook at https://a.example fails.', 'Falla un webhook en <https://a.example>.'],
    // Several sentences in one text.
    [
      'Log a/log was stopped at 2026-11-26T12:03:50.504Z: the witness w has its checkpoint of 24 leaves, signed by its key, and this database, with 22, does not lead to it. It signs nothing more.',
      'El registro <a/log> se detuvo el <2026-11-26T12:03:50.504Z>: el testigo <w> tiene su punto de control de <24> hojas, firmado con su clave, y esta base de datos, con <22>, no lleva a él. Ya no firma nada.',
    ],
    [
      'It has been held since 2026-11-26T12:03:50.504Z, when the database was restored: it may have been sent before. The operator decides what happens to it.',
      'Está retenido desde el <2026-11-26T12:03:50.504Z>, cuando se restauró la base de datos: puede que ya se haya enviado. El operador decide qué se hace con él.',
    ],
    [
      'Nothing known blocks it. Is a process with the role delivery running on this database?',
      'No se conoce nada que lo detenga. ¿Hay un proceso con el rol delivery en esta base de datos?',
    ],
  ])('%s', (said, expected) => {
    expect(spanish(said)).toBe(expected);
  });

  test('what is not known stays what it is, and is known to be English', () => {
    expect(spanish('Frobnicate the widget.')).toBeNull();
    expect(spanish('It bounced at 2026-11-26T12:03:50.504Z. Frobnicate the widget.')).toBeNull();
    expect(spanish('')).toBeNull();
  });

  test('English stays as it was said, but for what only the API has', () => {
    const english = (text: string) => worded(text, 'en', (_name, value) => value);
    expect(english('The current password is wrong.')).toBe('The current password is wrong.');
    expect(english('The webhook endpoint is disabled: enable it with PATCH {"enabled": true} first.')).toBe(
      'The webhook is disabled: enable it first.',
    );
  });

  test('both languages have the same values', () => {
    const slots = (text: string) => text.match(/\{\w+\}/g) ?? [];
    for (const { said, es, en = said } of SAID)
      for (const text of [es, en]) expect(slots(said), text).toEqual(expect.arrayContaining(slots(text)));
  });
});

/** Texts for machines and for people who type commands, and texts made of parts of others. */
const NOT_ON_A_PAGE = [
  /Idempotency-Key|request body|takes no body|Content-Encoding|query parameter|header|authentications|API key/,
  /^(?:Sessions are answered under|No session is opened over http|The request comes from another origin|Send )/,
  /POST \/v1\/|: POST X|^No user has the address|^Nothing has the id/,
  /^(?:month must be|time_zone must be|disclose|source_pool|since must be|messages|No template named)/,
  /^(?:XX|X is X\.XX|variants\.X\.X)$/,
];

test('every refusal that a page can be given has Spanish words', () => {
  const lacking: string[] = [];
  for (const folder of ['accounts', 'people', 'surfaces', 'webhooks', 'delivery/operate'])
    for (const path of readdirSync(`${ROOT}server/src/${folder}`, { recursive: true, encoding: 'utf8' }))
      if (path.endsWith('.ts'))
        for (const said of literalsOf(`${ROOT}server/src/${folder}/${path}`, isRefusal))
          if (spanish(said) === null && !NOT_ON_A_PAGE.some((each) => each.test(said))) lacking.push(said);
  expect(lacking).toEqual([]);
});

/** Made of the parts of other texts: the cases above have each. */
const IN_PARTS =
  /^(?:X at XX|X was paused .*|X due before it|A webhook at X X|Last reply after X: X|LX.*)\.$|^Nothing known blocks it\. X$|^X was paused at X/;

test('every refusal of a URL, and every reason why a program was not called, has Spanish words', () => {
  const files = ['outbound-http', 'post-once', 'guarded-connect', 'resolve-host'];
  const found = files
    .flatMap((each) => literalsOf(`${ROOT}server/src/platform/network/${each}.ts`, isToldOfUrl))
    .filter((each) => !INSIDE.test(each));
  expect(found.length).toBeGreaterThan(12);
  const lacking = found.map((each) => each.replace(/^url: X\.$/, 'url must use https.'));
  expect(lacking.filter((said) => spanish(said) === null)).toEqual([]);
});

test('every reason for which a message waits, or an operator is asked to look, has Spanish words', () => {
  const lacking: string[] = [];
  for (const path of [
    'delivery/operate/why-waiting',
    'delivery/operate/retry-cancel',
    'surfaces/admin/routes-overview',
  ]) {
    for (const text of literalsOf(`${ROOT}server/src/${path}.ts`, isNoDescription)) {
      const said = text.replace(/^X (?=acuse|The)/, '');
      if (/[.?]$/.test(said) && spanish(said) === null && !IN_PARTS.test(said)) lacking.push(said);
    }
  }
  expect(lacking).toEqual([]);
});

/** Fields that only describe a schema: the reference alone shows them. */
const DESCRIBES = ['count', 'nullable'];
const isNoDescription = (_text: ts.Node, of: ts.Node) =>
  !(ts.isPropertyAssignment(of) && of.name.getText() === 'description') &&
  !(ts.isCallExpression(of) && DESCRIBES.includes(of.expression.getText()));

const isToldOfUrl = (text: ts.Node, of: ts.Node): boolean =>
  (ts.isReturnStatement(of) || ts.isNewExpression(of) || ts.isConditionalExpression(of)) &&
  / /.test(text.getText());
/** Beside the code of an answer, or of what broke off here. */
const INSIDE = /^(?: \(redirects|X: X$|broken off$|took longer than)/;

const isRefusal = (text: ts.Node, of: ts.Node) =>
  ts.isCallExpression(of) && of.expression.getText() === 'apiError' && of.arguments[1] === text;

/** The literal texts of a file that are `wanted`, with an X for each value. */
function literalsOf(path: string, wanted: (text: ts.Node, of: ts.Node) => boolean): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, of: ts.Node): void => {
    const template = ts.isTaggedTemplateExpression(node) ? node.template : node;
    if (wanted(node, of)) {
      if (ts.isStringLiteralLike(template)) found.push(template.text);
      if (ts.isTemplateExpression(template))
        found.push(
          template.head.text + template.templateSpans.map(({ literal }) => `X${literal.text}`).join(''),
        );
    }
    ts.forEachChild(node, (child) => visit(child, node));
  };
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  visit(file, file);
  return found;
}

describe('what is pasted as a domain', () => {
  test.each([
    ['shop.example', 'shop.example'],
    ['https://www.shop.example/contact?a=b#c', 'www.shop.example'],
    ['HTTP://Shop.Example:8080', 'shop.example'],
    ['shop.example/', 'shop.example'],
    ['www.shop.example/contacto', 'www.shop.example'],
    ['https://ñandú.example/', 'xn--and-6ma2c.example'],
    ['https://', 'https://'],
    ['ana@shop.example', 'ana@shop.example'],
  ])('%s → %s', (typed, host) => {
    expect(hostOf(typed)).toBe(host);
  });
});

test.each([
  ['all mail', 'todo el correo'],
  ['each receiver', 'cada receptor por separado'],
  [
    'account 01a, pool bulk, address a.example, receiver gmail.com',
    'cuenta 01a, grupo bulk, dirección a.example, receptor gmail.com',
  ],
  ['of a newer server', 'of a newer server'],
])('the scope of a cap, %s, in Spanish', (said, es) => {
  expect(capScopeText(said, 'es')).toBe(es);
});

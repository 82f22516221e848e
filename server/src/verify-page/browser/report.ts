import type { Verification } from '@acuse/evidence/verify';
import type { Words } from './words.ts';

/** Draws a verification. Everything that comes out of a bundle goes in as text, never as markup. */
export function drawReport(verification: Verification, words: Words): DocumentFragment {
  const { valid, checks, facts, eml } = verification;
  const page = document.createDocumentFragment();
  page.append(
    element('p', valid ? words.valid : words.invalid, `verdict ${valid ? 'ok' : 'bad'}`),
    element('p', valid ? words.validMeans : words.invalidMeans),
  );
  if (facts.profile === 'development') page.append(element('p', words.development, 'warning'));
  if (valid && facts.trust === 'bundle') page.append(element('p', words.unpinned, 'warning'));
  if (valid && facts.content === 'erased') page.append(element('p', words.erased, 'warning'));
  if (eml !== null) page.append(element('h2', words.received), layerList(eml, words));
  const { delivery = [], ...plain } = facts;
  page.append(element('h2', words.facts), factList(plain, words));
  if (delivery.length > 0) page.append(element('h2', words.delivery), deliveryList(delivery, words));
  page.append(element('h2', words.checks), checkList(checks));
  return page;
}

function layerList(eml: NonNullable<Verification['eml']>, words: Words): HTMLElement {
  const list = element('ul', '', 'checks');
  for (const layer of ['L0', 'L1', 'L2'] as const) {
    const ok = eml[layer];
    list.append(
      element('li', `${words.layers[layer]}: ${ok ? words.matches : words.differs}`, ok ? 'ok' : 'bad'),
    );
  }
  return list;
}

function factList(facts: object, words: Words): HTMLElement {
  const list = element('dl');
  for (const [name, value] of Object.entries(facts)) {
    list.append(
      element('dt', words.factNames[name] ?? name.replaceAll('_', ' ')),
      element('dd', String(value)),
    );
  }
  return list;
}

type Outcome = NonNullable<Verification['facts']['delivery']>[number];

/** Each outcome begins with who says so: a server in a session, the operator, or a mail that anybody may have written. */
function deliveryList(delivery: readonly Outcome[], words: Words): HTMLElement {
  const list = element('ul');
  for (const outcome of delivery) {
    const text = Object.entries(outcome)
      .filter(([name, value]) => typeof value !== 'object' && name !== 'source')
      .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
      .join(' · ');
    const item = element('li');
    item.append(element('b', words.sources[outcome.source]), ` ${text}`);
    const facts = outcome.facts === null ? [] : said(outcome.facts);
    if (facts.length > 0) item.append(element('br'), facts.join(' · '));
    list.append(item);
  }
  return list;
}

function said({ mx, ip, reply, reported_by_mail: mail }: NonNullable<Outcome['facts']>): string[] {
  const answer = (of: typeof reply) =>
    of === null ? [] : [[of.code, of.enhanced, of.text].filter((word) => word !== null).join(' ')];
  if (mail === null) return [mx, ip].filter((text) => text !== null).concat(answer(reply));
  const { peer, spf, dkim, claims, vouched_by } = mail;
  return [
    `HELO ${peer.helo} (${peer.ip})`,
    `SPF ${spf.result}`,
    `DKIM ${[dkim.result, ...dkim.domains].join(' ')}`,
    `vouched by: ${vouched_by ?? '-'}`,
    ...answer(claims.reply),
  ];
}

function checkList(checks: Verification['checks']): HTMLElement {
  const list = element('ul', '', 'checks');
  // What fails stands first: that is what a reader must not miss.
  for (const check of [...checks].sort((a, b) => Number(a.ok) - Number(b.ok))) {
    const item = element('li', '', check.ok ? 'ok' : 'bad');
    item.append(element('b', check.name), ` ${check.detail}`);
    list.append(item);
  }
  return list;
}

export function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

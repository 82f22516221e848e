import type { MessageFacts } from '@acuse/evidence/message-facts';
import type { Verification, VerifiedFacts } from '@acuse/evidence/verify';
import type { Difference, EmlReport } from '@acuse/evidence/verify-eml';
import { visible } from '../format/foreign-text.ts';
import { element, sealMark } from './element.ts';
import { type CheckGroup, type Completeness, completenessOf, groupsOf, toneOf } from './groups.ts';
import {
  assertedTexts,
  fingerprint,
  isWithheld,
  logEndText,
  type Outcome,
  outcomeDetails,
  provenTexts,
  sentenceOf,
} from './statements.ts';
import type { ReportWords } from './words.ts';

/**
 * Draws a verification for lawyers and judges: the verdict in one sentence, who sent what to whom and when,
 * what third parties prove and what only the operator says; checks and hashes last, folded. Everything that
 * comes out of a bundle goes in as text, never as markup.
 */
export function drawReport(verification: Verification, words: ReportWords): DocumentFragment {
  const { is_bundle, valid, checks, facts, eml, documents } = verification;
  const page = document.createDocumentFragment();
  if (!is_bundle) {
    page.append(element('p', words.noBundle, 'verdict'), element('p', words.noBundleMeans));
    return page;
  }
  page.append(verdict(verification, words));
  if (eml !== null) page.append(...copyVerdict(eml, valid, words));
  for (const warning of verification.warnings) page.append(element('p', words.remark(warning), 'warning'));
  const ended = valid ? logEndText(facts, words) : null;
  if (ended !== null) page.append(element('p', ended, 'warning'));
  if (valid && facts.content === 'erased') page.append(element('p', words.erased, 'warning'));
  const { delivery = [], message, ...plain } = facts;
  if (valid) {
    page.append(...messageSection(message, words));
    page.append(
      sides(
        section(words.proven, textList(provenTexts(facts, words))),
        section(words.asserted, textList(assertedTexts(facts, words))),
      ),
    );
    if (delivery.length > 0) page.append(section(words.delivery, deliveryList(delivery, words)));
    page.append(section(words.trustTitle, ...trustSection(facts, words)));
    page.append(section(words.unproven, documentList(documents, words)));
  }
  page.append(
    section(
      words.checks,
      ...groupsOf(checks).map((group) => groupElement(group, completenessOf(verification.reasons), words)),
    ),
  );
  const numbers = folded(element('summary', words.facts), factList(plain, words), false);
  numbers.className = 'facts';
  page.append(numbers);
  return page;
}

/** The verdict, the one sentence that says what it means for this message, and why it is not a better one. */
function verdict(verification: Verification, words: ReportWords): HTMLElement {
  const { valid, facts, verdict: found } = verification;
  const tone = toneOf(found);
  const box = element('section', '', `banner ${tone}`);
  const text = element('div');
  text.append(element('p', words.verdicts[found], `verdict ${tone}`));
  if (valid) text.append(element('p', sentenceOf(facts, words), 'sentence'));
  text.append(meaning(verification, words));
  box.append(sealMark(tone), text);
  return box;
}

function meaning({ verdict: found, facts, reasons }: Verification, words: ReportWords): HTMLElement {
  if (found === 'rejected') return element('p', words.invalidMeans, 'means');
  if (found === 'verified')
    return element('p', facts.trust === 'pinned' ? words.validMeans : words.operatorSays, 'means');
  const list = textList(reasons.map(words.remark));
  list.className = 'means';
  return list;
}

function section(title: string, ...content: readonly Node[]): HTMLElement {
  const made = element('section');
  made.append(element('h2', title), ...content);
  return made;
}

/** Two sections side by side if there is room. */
function sides(...sections: readonly HTMLElement[]): HTMLElement {
  const made = element('div', '', 'sides');
  made.append(...sections);
  return made;
}

/** A verdict of its own, apart from the bundle's, with what differs by name. */
function copyVerdict(eml: EmlReport, valid: boolean, words: ReportWords): HTMLElement[] {
  const good = eml.verdict === 'same';
  const box = element('section', '', `copy ${good ? 'ok' : eml.verdict === 'differs' ? 'bad' : ''}`);
  box.append(
    element('h2', words.received),
    element('p', words.copy[eml.verdict](valid), 'said'),
    ...(eml.differences.length > 0 ? [differenceList(eml.differences, words)] : []),
    element('p', words.copyMeans[eml.verdict]),
  );
  if (eml.verdict !== 'not_comparable') box.append(layerList(eml, words));
  return [box];
}

function differenceList(differences: readonly Difference[], words: ReportWords): HTMLElement {
  const list = element('ul');
  for (const { kind, name } of differences)
    list.append(element('li', words.differences[kind](visible(name ?? ''))));
  return list;
}

function layerList(eml: EmlReport, words: ReportWords): HTMLElement {
  const list = element('ul', '', 'checks');
  const add = (label: string, ok: boolean) =>
    list.append(element('li', `${label}: ${ok ? words.matches : words.differs}`, ok ? 'ok' : 'bad'));
  for (const layer of ['L0', 'L1', 'L2'] as const) add(words.layers[layer], eml[layer]);
  // A copy without a signature, as somebody's own sent mail has none, is no worse for it.
  if (eml.checks.some(({ name, ok }) => name === 'eml.dkim' && ok)) add(words.dkim, true);
  return list;
}

function messageSection(message: MessageFacts | undefined, words: ReportWords): HTMLElement[] {
  if (message === undefined) return [];
  const { parts, ...fields } = message;
  const list = element('dl', '', 'people');
  for (const [name, label] of Object.entries(words.messageNames)) {
    const text = fields[name as keyof typeof fields];
    if (text === undefined) continue;
    const value = element('dd', visible(text));
    if (isWithheld(text)) value.append(element('br'), element('span', words.withheld, 'quiet'));
    list.append(element('dt', label), value);
  }
  const shown: HTMLElement[] = list.childElementCount > 0 ? [element('h2', words.message), list] : [];
  if (parts.length === 0) return shown;
  const table = element('ul', '', 'parts');
  for (const { filename, media_type, size } of parts) {
    const item = element('li');
    item.append(
      element('b', filename === null ? words.partWithoutName : visible(filename)),
      ` ${visible(media_type)}, ${words.bytes(size)}`,
    );
    table.append(item);
  }
  return [...shown, element('h3', words.parts), table];
}

function textList(texts: readonly string[]): HTMLElement {
  const list = element('ul');
  list.append(...texts.map((text) => element('li', text)));
  return list;
}

/**
 * Each outcome says who says so: a server in a session, the operator, or a mail that anybody may have
 * written.
 */
function deliveryList(delivery: readonly Outcome[], words: ReportWords): HTMLElement {
  const list = element('ul');
  for (const { kind, occurred_at, source, facts } of delivery) {
    const isOwnMail = kind === 'acknowledged' && source === 'reported_by_mail';
    const item = element('li');
    item.append(
      element('b', words.outcome(kind)),
      ` · ${words.time(occurred_at)}`,
      element('br'),
      isOwnMail ? words.ownMail : words.sources[source],
    );
    const details = facts === null ? [] : outcomeDetails(facts);
    if (details.length > 0) item.append(element('br'), details.join(' · '));
    list.append(item);
  }
  return list;
}

/** The trust anchors. */
function trustSection({ trust, root_sha256 }: VerifiedFacts, words: ReportWords): HTMLElement[] {
  if (trust === 'pinned') return [element('p', words.pinned)];
  const out: HTMLElement[] =
    trust === 'own' ? [element('p', words.ownKeys)] : [element('p', words.unpinned, 'warning')];
  if (root_sha256 !== undefined) {
    const list = element('dl');
    list.append(element('dt', words.root), element('dd', fingerprint(root_sha256)));
    out.push(list);
  }
  return out;
}

const KEYS = { null: 'uncompared', true: 'remade', false: 'other' } as const;

function documentList(documents: Verification['documents'], words: ReportWords): HTMLElement {
  const list = element('ul');
  for (const { name, remade } of documents) {
    const key = name.startsWith('issued/') ? 'issued' : KEYS[`${remade}`];
    const item = element('li', '', remade === false ? 'bad' : '');
    item.append(element('b', name), ` ${words.documents[key]}`);
    list.append(item);
  }
  return list;
}

function factList(facts: object, words: ReportWords): HTMLElement {
  const list = element('dl');
  for (const [name, value] of Object.entries(facts)) {
    list.append(
      element('dt', words.factNames[name] ?? name.replaceAll('_', ' ')),
      element('dd', visible(String(value))),
    );
  }
  return list;
}

/** A question, its answer, and folded below it the checks that give the answer: open when one fails. */
function groupElement(
  { name, checks, failed }: CheckGroup,
  completeness: Completeness,
  words: ReportWords,
): HTMLElement {
  const list = element('ul', '', 'checks');
  for (const check of checks) {
    const item = element('li', '', check.ok ? 'ok' : 'bad');
    item.append(element('b', check.name), ` ${visible(check.detail)}`);
    list.append(item);
  }
  const partly = failed === 0 && name === 'bundle' && completeness !== 'whole';
  const summary = element('summary', '', failed > 0 ? 'bad' : partly ? 'unsure' : 'ok');
  const answer =
    failed > 0
      ? words.failedChecks(failed)
      : partly
        ? words.completeness[completeness]
        : words.passed(checks.length);
  summary.append(element('span', words.groups[name]), ' ', element('span', answer, 'answer'));
  return folded(summary, list, failed > 0);
}

function folded(summary: HTMLElement, content: HTMLElement, open: boolean): HTMLElement {
  const made = element('details');
  made.open = open;
  made.append(summary, content);
  return made;
}

import type { CaseFacts, CaseItem } from './case-facts.ts';
import { CASE_ENGLISH, CASE_SPANISH, type CaseWords } from './case-words.ts';
import type { ReportDelivery, ReportFacts } from './facts.ts';
import { type ReportFonts, reportFonts } from './fonts.ts';
import {
  bullets,
  type Doc,
  GREY,
  heading,
  MARGIN,
  newDocument,
  opening,
  row,
  verifySection,
} from './pages.ts';

/**
 * The index of a case file, to be printed: a cover in each language, then the messages once, with labels in
 * both. It says the same of each as the report of its bundle.
 */
export async function writeCaseIndex(facts: CaseFacts): Promise<Uint8Array> {
  const fonts = reportFonts();
  const { doc, bytes } = newDocument(
    `${CASE_SPANISH.title} / ${CASE_ENGLISH.title}: ${facts.name}`,
    new Date(facts.createdAt),
    { bufferPages: true },
  );
  cover(doc, facts, CASE_SPANISH, fonts);
  doc.addPage();
  cover(doc, facts, CASE_ENGLISH, fonts);
  doc.addPage();
  doc
    .font('bold')
    .fontSize(18)
    .text(both(({ list }) => list));
  for (const [at, item] of facts.items.entries()) message(doc, at + 1, item, fonts);
  numberPages(doc, fonts.writable(facts.name));
  doc.end();
  return bytes;
}

function cover(doc: Doc, facts: CaseFacts, words: CaseWords, fonts: ReportFonts): void {
  const known = facts.items.flatMap((item) => item.facts ?? []);
  const development = known.filter(({ constancia }) => constancia.development);
  opening(doc, words.title, development.length > 0 ? words.development : null, words.notProof);
  doc.moveDown(0.8);
  row(doc, words.name, fonts.writable(facts.name));
  row(doc, words.made, facts.createdAt);
  row(doc, words.times, words.timesAre);
  row(doc, words.messages, spanOf(facts.items.length, known, words));
  for (const key of new Set(known.map(({ logKey }) => logKey))) row(doc, words.logKey, key);
  bullets(doc, words.holds, words.holdsWhat);
  const isAll = known.length > 0 && development.length === known.length;
  bullets(doc, words.proven, isAll ? [words.provesNothing] : words.provenBy);
  bullets(doc, words.bound, words.boundBy);
  bullets(doc, words.asserted, words.assertedBy);
  bullets(doc, words.notProven, words.notProvenWhat);
  verifySection(doc, facts.verifyUrl, words);
}

function spanOf(count: number, known: readonly ReportFacts[], { span }: CaseWords): string {
  const times = known.map(({ acceptedAt }) => acceptedAt).sort();
  const [first, last] = [times.at(0), times.at(-1)];
  return first === undefined || last === undefined ? String(count) : `${count}, ${span(first, last)}`;
}

/** Least room for a message's first lines below each other (points). */
const MESSAGE_ROOM = 120;

function message(doc: Doc, place: number, { file, facts, sha256 }: CaseItem, fonts: ReportFonts): void {
  if (doc.y + MESSAGE_ROOM > doc.page.height - MARGIN) doc.addPage();
  const subject = facts?.message?.subject ?? '';
  heading(doc, fonts.writable(`${place}. ${subject === '' ? file : subject}`));
  row(
    doc,
    both(({ file: name }) => name),
    file,
  );
  row(
    doc,
    both(({ fileHash }) => fileHash),
    sha256,
  );
  if (facts === null) {
    doc.text(both(({ unverified }) => unverified, '\n'));
    return;
  }
  row(
    doc,
    both(({ accepted }) => accepted),
    facts.acceptedAt,
  );
  if (facts.message === null)
    row(
      doc,
      both(({ subject: name }) => name),
      both(({ notShown }) => notShown),
    );
  else {
    row(
      doc,
      both(({ from }) => from),
      fonts.writable(facts.message.from),
    );
    row(
      doc,
      both(({ to }) => to),
      fonts.writable(facts.message.to),
    );
  }
  const { constancia, renewedAt } = facts;
  row(
    doc,
    both(({ sealedAt }) => sealedAt),
    constancia.genTime,
  );
  row(
    doc,
    both(({ authority }) => authority),
    fonts.writable(constancia.issuer),
  );
  if (constancia.development)
    doc
      .font('bold')
      .text(both(({ development }) => development, '\n'))
      .font('regular');
  if (renewedAt !== null)
    row(
      doc,
      both(({ renewed }) => renewed),
      renewedAt,
    );
  row(
    doc,
    both(({ canonicalHash }) => canonicalHash),
    facts.canonicalHash,
  );
  for (const delivery of facts.deliveries) outcome(doc, delivery, fonts);
  const { counted } = facts;
  row(
    doc,
    both(({ outcomes }) => outcomes),
    both((words) => (counted === null ? words.notCounted : words.counted(counted)), '\n'),
  );
}

function outcome(doc: Doc, { kind, source, occurredAt, server, reply }: ReportDelivery, fonts: ReportFonts) {
  const said = [server, reply].filter((text) => text !== null).join(' · ');
  const text = said === '' ? occurredAt : `${occurredAt}\n${fonts.writable(said)}`;
  row(
    doc,
    both((words) => words.outcome(kind, source)),
    text,
  );
}

/** In both languages; once where they agree. */
function both(text: (words: CaseWords) => string, between = ' / '): string {
  return [...new Set([text(CASE_SPANISH), text(CASE_ENGLISH)])].join(between);
}

/** At the foot, below what `margin` leaves to the text. */
function numberPages(doc: Doc, name: string): void {
  const { count } = doc.bufferedPageRange();
  const short = name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}…` : name;
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page);
    const { width, height, margins } = doc.page;
    // Text below the margin would begin another page.
    margins.bottom = 0;
    doc
      .fontSize(8)
      .fillColor(GREY)
      .text(`${short} · ${page + 1} / ${count}`, MARGIN, height - MARGIN + 14, {
        width: width - 2 * MARGIN,
        align: 'right',
        lineBreak: false,
      });
    margins.bottom = MARGIN;
  }
}

/** Characters of the name in a page's footer. */
const NAME_SHOWN = 80;

import type { ReportDelivery, ReportFacts } from './facts.ts';
import { type ReportFonts, reportFonts } from './fonts.ts';
import { bullets, type Doc, heading, newDocument, opening, row, TEXT_SIZE, verifySection } from './pages.ts';
import { ENGLISH, type ReportWords, SPANISH } from './words.ts';

/**
 * The evidence report as a bilingual PDF with text that can be copied. Deterministic, so that bundles are.
 */
export async function writeReport(facts: ReportFacts): Promise<Uint8Array> {
  return drawReport(facts, () => {});
}

/** `finish` adds everything besides the pages. */
export async function drawReport(facts: ReportFacts, finish: (doc: Doc) => void): Promise<Uint8Array> {
  const fonts = reportFonts();
  const { doc, bytes } = newDocument(
    `${SPANISH.title} / ${ENGLISH.title} ${facts.messageId}`,
    new Date(facts.constancia.genTime),
  );
  writeLanguage(doc, facts, SPANISH, fonts);
  doc.addPage();
  writeLanguage(doc, facts, ENGLISH, fonts);
  finish(doc);
  doc.end();
  return bytes;
}

function writeLanguage(doc: Doc, facts: ReportFacts, words: ReportWords, fonts: ReportFonts): void {
  opening(doc, words.title, facts.constancia.development ? words.development : null, words.notProof);
  doc.moveDown(0.5).font('bold').fontSize(13).text(words.says).font('regular').fontSize(TEXT_SIZE);
  messageSection(doc, facts, words, fonts);
  sealSection(doc, facts, words, fonts);
  deliverySection(doc, facts, words, fonts);
  bullets(doc, words.proven, facts.constancia.development ? [words.provesNothing] : words.provenBy);
  bullets(doc, words.bound, words.boundBy);
  bullets(doc, words.asserted, words.assertedBy);
  verifySection(doc, facts.verifyUrl, words);
}

function messageSection(doc: Doc, facts: ReportFacts, words: ReportWords, fonts: ReportFonts): void {
  heading(doc, words.message);
  const { message } = facts;
  if (message === null) doc.text(words.erased);
  else {
    row(doc, words.from, fonts.writable(message.from));
    row(doc, words.to, fonts.writable(message.to));
    row(doc, words.subject, fonts.writable(message.subject));
  }
  row(doc, words.accepted, facts.acceptedAt);
  row(doc, words.id, facts.messageId);
  if (facts.parts.length === 0 && message === null) return;
  doc.moveDown(0.3).font('bold').text(words.content).font('regular');
  if (message !== null) row(doc, words.wholeMessage, message.sha256);
  for (const part of facts.parts)
    row(doc, fonts.writable(part.filename ?? part.mediaType), `${part.sha256} (${part.size} B)`);
}

function sealSection(doc: Doc, facts: ReportFacts, words: ReportWords, fonts: ReportFonts): void {
  heading(doc, words.seal);
  row(doc, words.canonicalHash, facts.canonicalHash);
  row(doc, words.log, `${facts.log}: ${words.place(facts.leafIndex, facts.treeSize)}`);
  row(doc, words.logKey, facts.logKey);
  row(doc, words.root, facts.rootHash);
  const { constancia, messageSealedAt, renewedAt } = facts;
  row(doc, words.sealedAt, constancia.genTime);
  row(doc, words.authority, fonts.writable(constancia.issuer));
  row(doc, words.policy, constancia.policyOid);
  row(doc, words.serial, constancia.serialNumber);
  if (renewedAt !== null) row(doc, words.renewed, renewedAt);
  row(doc, words.coveredUntil, facts.coveredUntil);
  if (messageSealedAt !== null) row(doc, words.ownConstancia, messageSealedAt);
  for (const name of facts.issued) row(doc, words.issued, `${name}: ${words.notRead}`);
}

/** Servers' answers, our decisions and mails' claims, under separate headings. */
function deliverySection(doc: Doc, facts: ReportFacts, words: ReportWords, fonts: ReportFonts): void {
  const from = (source: ReportDelivery['source']) =>
    facts.deliveries.filter(({ kind, ...of }) => of.source === source && !isOwnMail(kind, of.source));
  const own = facts.deliveries.filter(({ kind, source }) => isOwnMail(kind, source));
  heading(doc, words.delivery);
  const { counted } = facts;
  row(doc, words.asOf, counted === null ? words.notCounted : words.counted(counted));
  if (from('session').length === 0) doc.text(words.noDelivery);
  for (const delivery of from('session')) outcomeRow(doc, words, delivery, fonts);
  if (from('operator').length > 0) heading(doc, words.ended);
  for (const delivery of from('operator')) outcomeRow(doc, words, delivery, fonts);
  if (from('recipient_page').length > 0) {
    heading(doc, words.acts);
    doc.text(words.actsMean).moveDown(0.3);
  }
  for (const delivery of from('recipient_page')) actRows(doc, words, delivery, fonts);
  if (own.length > 0) {
    heading(doc, words.ownMail);
    doc.text(words.ownMailMeans).moveDown(0.3);
  }
  for (const delivery of own) ownMailRows(doc, words, delivery, fonts);
  if (from('reported_by_mail').length === 0) return;
  heading(doc, words.byMail);
  doc.text(words.byMailMeans).moveDown(0.3);
  for (const delivery of from('reported_by_mail')) mailRows(doc, words, delivery, fonts);
}

/** The recipient's, signed by their domain: more than a mail that anybody may have written. */
function isOwnMail(kind: ReportDelivery['kind'], source: ReportDelivery['source']): boolean {
  return kind === 'acknowledged' && source === 'reported_by_mail';
}

function ownMailRows(doc: Doc, words: ReportWords, delivery: ReportDelivery, fonts: ReportFonts): void {
  const { kind, source, occurredAt, signedBy, server, tls } = delivery;
  row(doc, words.outcome(kind, source), occurredAt);
  if (signedBy !== undefined) row(doc, 'DKIM', fonts.writable(signedBy));
  const peer = [server, tls].filter((text) => text !== null).join(' · ');
  if (peer !== '') row(doc, words.deliveredBy, fonts.writable(peer));
}

function outcomeRow(doc: Doc, words: ReportWords, delivery: ReportDelivery, fonts: ReportFonts): void {
  const said = [delivery.server, delivery.reply, delivery.tls].filter((text) => text !== null).join(' · ');
  const label = words.outcome(delivery.kind, delivery.source);
  row(doc, label, `${delivery.occurredAt}${said === '' ? '' : `\n${fonts.writable(said)}`}`);
}

function actRows(doc: Doc, words: ReportWords, delivery: ReportDelivery, fonts: ReportFonts): void {
  const { kind, source, occurredAt, act } = delivery;
  row(doc, words.outcome(kind, source), occurredAt);
  if (act === undefined) return;
  row(doc, words.actName, fonts.writable(act.name));
  if (act.reason !== null) row(doc, words.actReason, fonts.writable(act.reason));
  row(doc, words.actSentence, fonts.writable(act.sentence));
  row(doc, words.actCode, act.code_sent_at);
}

function mailRows(doc: Doc, words: ReportWords, delivery: ReportDelivery, fonts: ReportFonts): void {
  const { kind, source, mail, server, tls } = delivery;
  row(doc, words.outcome(kind, source), delivery.occurredAt);
  if (mail === null) return;
  row(doc, words.deliveredBy, fonts.writable([server, tls].filter((text) => text !== null).join(' · ')));
  row(doc, 'SPF', fonts.writable(mail.spf));
  row(doc, 'DKIM', fonts.writable(mail.dkim));
  row(doc, words.vouched, mail.vouchedBy === null ? words.notVouched : mail.vouchedBy);
  if (mail.claims !== '') row(doc, words.claims, fonts.writable(mail.claims));
}

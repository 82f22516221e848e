import PDFDocument from 'pdfkit';
import qrcode from 'qrcode-generator';
import type { ReportDelivery, ReportFacts } from './facts.ts';
import { type ReportFonts, reportFonts } from './fonts.ts';
import { ENGLISH, type ReportWords, SPANISH } from './words.ts';

/**
 * The evidence report as a bilingual PDF with text that can be copied. Deterministic, so that bundles are.
 */
export async function writeReport(facts: ReportFacts): Promise<Uint8Array> {
  return drawReport(facts, () => {});
}

/** `finish` adds what is no page. */
export async function drawReport(facts: ReportFacts, finish: (doc: Doc) => void): Promise<Uint8Array> {
  const fonts = reportFonts();
  const created = new Date(facts.constancia.genTime);
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    pdfVersion: '1.7',
    lang: 'es',
    displayTitle: true,
    info: {
      Title: `${SPANISH.title} / ${ENGLISH.title} ${facts.messageId}`,
      Creator: 'Acuse',
      Producer: 'Acuse',
      CreationDate: created,
      ModDate: created,
    },
    font: fonts.regular as never,
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject));
  // PDFKit accepts parsed fonts; its types do not say so.
  doc.registerFont('regular', fonts.regular as never).registerFont('bold', fonts.bold as never);
  writeLanguage(doc, facts, SPANISH, fonts);
  doc.addPage();
  writeLanguage(doc, facts, ENGLISH, fonts);
  finish(doc);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

export type Doc = InstanceType<typeof PDFDocument>;

/** PDF points. */
const MARGIN = 50;
const LABEL_WIDTH = 130;
const QR_SIZE = 92;
const TEXT_SIZE = 9;
const WARNING = '#b00020';
const GREY = '#555555';

function writeLanguage(doc: Doc, facts: ReportFacts, words: ReportWords, fonts: ReportFonts): void {
  doc.font('bold').fontSize(18).text(words.title);
  doc.font('regular').fontSize(TEXT_SIZE);
  if (facts.constancia.development)
    doc
      .moveDown(0.3)
      .font('bold')
      .fillColor(WARNING)
      .text(words.development)
      .fillColor('black')
      .font('regular');
  doc.moveDown(0.3).fillColor(GREY).text(words.notProof).fillColor('black');
  doc.moveDown(0.5).font('bold').fontSize(13).text(words.says).font('regular').fontSize(TEXT_SIZE);
  messageSection(doc, facts, words, fonts);
  sealSection(doc, facts, words, fonts);
  deliverySection(doc, facts, words, fonts);
  bullets(doc, words.proven, facts.constancia.development ? [words.provesNothing] : words.provenBy);
  bullets(doc, words.bound, words.boundBy);
  bullets(doc, words.asserted, words.assertedBy);
  verifySection(doc, facts, words);
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

function bullets(doc: Doc, title: string, lines: readonly string[]): void {
  heading(doc, title);
  for (const line of lines) doc.text(`• ${line}`, { indent: 0, paragraphGap: 2 });
}

function verifySection(doc: Doc, facts: ReportFacts, words: ReportWords): void {
  if (doc.y + QR_SIZE + 30 > doc.page.height - MARGIN) doc.addPage();
  heading(doc, words.verify);
  const top = doc.y;
  drawQr(doc, facts.verifyUrl, MARGIN, top);
  doc.text(words.verifyHow, MARGIN + QR_SIZE + 16, top, {
    width: doc.page.width - 2 * MARGIN - QR_SIZE - 16,
  });
  doc.moveDown(0.5).fillColor(GREY).text(facts.verifyUrl).fillColor('black');
  doc.x = MARGIN;
  doc.y = Math.max(doc.y, top + QR_SIZE);
}

/** ISO/IEC 18004, error correction M: survives folds and stamps. */
function drawQr(doc: Doc, text: string, left: number, top: number): void {
  const { modules, path } = qrCodeOf(text);
  doc
    .save()
    .translate(left, top)
    .scale(QR_SIZE / modules);
  doc.addContent(path);
  doc.fill('black').restore();
}

/** `path`: dark modules as PDF rectangles of side 1, neighbours joined. */
interface QrCode {
  readonly text: string;
  readonly modules: number;
  readonly path: string;
}

/** Cached: every report has the same URL. */
let lastQrCode: QrCode | undefined;

function qrCodeOf(text: string): QrCode {
  if (lastQrCode?.text === text) return lastQrCode;
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const modules = code.getModuleCount();
  const rectangles: string[] = [];
  for (let line = 0; line < modules; line++) {
    for (let column = 0; column < modules; ) {
      const from = column;
      while (column < modules && code.isDark(line, column)) column++;
      if (column > from) rectangles.push(`${from} ${line} ${column - from} 1 re`);
      else column++;
    }
  }
  lastQrCode = { text, modules, path: rectangles.join('\n') };
  return lastQrCode;
}

function heading(doc: Doc, text: string): void {
  doc
    .moveDown(0.8)
    .font('bold')
    .fontSize(11)
    .text(text, MARGIN)
    .moveDown(0.2)
    .font('regular')
    .fontSize(TEXT_SIZE);
}

/** Measuring costs as much as writing: skipped where the text surely fits. */
function fits(doc: Doc, text: string, width: number, room: number): boolean {
  // Two wrapped lines are wider than one together.
  const widest = 2 * Math.ceil((text.length * TEXT_SIZE * CHARACTER_MAX_EMS) / width) + 1;
  const lines = widest + text.split('\n').length;
  return lines * doc.currentLineHeight(true) <= room || doc.heightOfString(text, { width }) <= room;
}

/** Only a few unusual characters are wider. */
const CHARACTER_MAX_EMS = 1.2;

function row(doc: Doc, label: string, value: string): void {
  const width = doc.page.width - 2 * MARGIN - LABEL_WIDTH - 8;
  const room = doc.page.height - MARGIN - doc.y;
  if (!fits(doc, label, LABEL_WIDTH, room) || !fits(doc, value, width, room)) doc.addPage();
  const top = doc.y;
  doc.fillColor(GREY).text(label, MARGIN, top, { width: LABEL_WIDTH });
  const afterLabel = doc.y;
  doc.fillColor('black').text(value, MARGIN + LABEL_WIDTH + 8, top, { width });
  doc.x = MARGIN;
  doc.y = Math.max(afterLabel, doc.y) + 1;
}

import PDFDocument from 'pdfkit';
import qrcode from 'qrcode-generator';
import { reportFonts } from './fonts.ts';
import type { ReportWords } from './words.ts';

export type Doc = InstanceType<typeof PDFDocument>;

export const MARGIN = 50;
const LABEL_WIDTH = 130;
const QR_SIZE = 92;
export const TEXT_SIZE = 9;
const WARNING = '#b00020';
export const GREY = '#555555';

/** `bytes`: once the document has ended. */
export function newDocument(title: string, created: Date, more: { readonly bufferPages?: boolean } = {}) {
  const fonts = reportFonts();
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    pdfVersion: '1.7',
    lang: 'es',
    displayTitle: true,
    info: { Title: title, Creator: 'Acuse', Producer: 'Acuse', CreationDate: created, ModDate: created },
    font: fonts.regular as never,
    ...more,
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const bytes = new Promise<Uint8Array>((resolve, reject) =>
    doc.on('end', () => resolve(Buffer.concat(chunks))).on('error', reject),
  );
  // PDFKit accepts parsed fonts; its types do not say so.
  doc.registerFont('regular', fonts.regular as never).registerFont('bold', fonts.bold as never);
  return { doc, bytes };
}

/** `warning`: printed above everything else. */
export function opening(doc: Doc, title: string, warning: string | null, notProof: string): void {
  doc.font('bold').fontSize(18).text(title);
  doc.font('regular').fontSize(TEXT_SIZE);
  if (warning !== null)
    doc.moveDown(0.3).font('bold').fillColor(WARNING).text(warning).fillColor('black').font('regular');
  doc.moveDown(0.3).fillColor(GREY).text(notProof).fillColor('black');
}

export function bullets(doc: Doc, title: string, lines: readonly string[]): void {
  heading(doc, title);
  for (const line of lines) doc.text(`• ${line}`, { indent: 0, paragraphGap: 2 });
}

export function verifySection(
  doc: Doc,
  verifyUrl: string,
  words: Pick<ReportWords, 'verify' | 'verifyHow'>,
): void {
  if (doc.y + QR_SIZE + 30 > doc.page.height - MARGIN) doc.addPage();
  heading(doc, words.verify);
  const top = doc.y;
  drawQr(doc, verifyUrl, MARGIN, top);
  doc.text(words.verifyHow, MARGIN + QR_SIZE + 16, top, {
    width: doc.page.width - 2 * MARGIN - QR_SIZE - 16,
  });
  doc.moveDown(0.5).fillColor(GREY).text(verifyUrl).fillColor('black');
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

export function heading(doc: Doc, text: string): void {
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

export function row(doc: Doc, label: string, value: string): void {
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

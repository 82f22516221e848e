import type { Language, Translated, Words } from '../words/words.ts';
import { spanish as spanishReport } from './spanish-words.ts';
import { english as englishReport, type ReportWords } from './words.ts';

/** Texts of the applications around a verification; its own sentences are those of /verify. */
export const REPORT_WORDS: Readonly<Record<Language, ReportWords>> = {
  en: englishReport,
  es: spanishReport,
};

const english = {
  checking: 'Checking in this browser…',
  passed: (count: string) => `Checked in this browser: all ${count} checks pass`,
  failed: (failed: number, count: string) =>
    failed === 1 ? `1 of ${count} checks fails` : `${failed} of ${count} checks fail`,
  unpinnedTitle: 'What this relies on',
  chain: 'From the message to the time-stamp',
  steps: {
    sent: 'What was sent',
    entry: 'Entry of the log',
    root: 'Root of the log',
    signed: 'Signed by the log',
    stamped: 'Time-stamped',
  },
  stepStates: { ok: 'holds', failed: 'fails', unchecked: 'not checked' },
  hash: 'SHA-256',
  entry: (leaf: string) => `No. ${leaf}`,
  entries: (size: number, written: string) => (size === 1 ? 'of 1 entry' : `of ${written} entries`),
  witnesses: (count: number) =>
    count === 0 ? 'without witnesses' : count === 1 ? 'and 1 witness' : `and ${count} witnesses`,
  everyCheck: 'Every check',
  whoseWord: 'What third parties prove, and what only the operator says',
  outcomes: 'Delivery',
  layers: { header: 'Header', body: 'Body' },
  partTypes: { 'text/plain': 'Text', 'text/html': 'HTML' },
  layerStates: {
    same: 'same',
    reencoded: 'rewritten on the way, with the same content',
    changed: 'changed in transit',
    missing: 'missing',
    added: 'added on the way',
  },
  linesDiffer: (count: number) => (count === 1 ? '1 line differs' : `${count} lines differ`),
  diff: (name: string) => `What changed: ${name}`,
  sides: { removed: 'Sent:', added: 'Received:' },
  cut: 'There is more than is shown here.',
};

const spanish: Translated<typeof english> = {
  checking: 'Comprobando en este navegador…',
  passed: (count: string) => `Comprobado en este navegador: se cumplen las ${count} comprobaciones`,
  failed: (failed: number, count: string) =>
    failed === 1 ? `falla 1 de ${count} comprobaciones` : `fallan ${failed} de ${count} comprobaciones`,
  unpinnedTitle: 'En qué se basa',
  chain: 'Del mensaje al sello de tiempo',
  steps: {
    sent: 'Lo que se envió',
    entry: 'Entrada del registro',
    root: 'Raíz del registro',
    signed: 'Firmado por el registro',
    stamped: 'Con sello de tiempo',
  },
  stepStates: { ok: 'se cumple', failed: 'falla', unchecked: 'sin comprobar' },
  hash: 'SHA-256',
  entry: (leaf: string) => `Núm. ${leaf}`,
  entries: (size: number, written: string) => (size === 1 ? 'de 1 entrada' : `de ${written} entradas`),
  witnesses: (count: number) =>
    count === 0 ? 'sin testigos' : count === 1 ? 'y 1 testigo' : `y ${count} testigos`,
  everyCheck: 'Todas las comprobaciones',
  whoseWord: 'Lo que prueban terceros y lo que solo afirma el operador',
  outcomes: 'Entrega',
  layers: { header: 'Encabezado', body: 'Cuerpo' },
  partTypes: { 'text/plain': 'Texto', 'text/html': 'HTML' },
  layerStates: {
    same: 'igual',
    reencoded: 'escrito de otra forma en el trayecto, con el mismo contenido',
    changed: 'cambió en el trayecto',
    missing: 'falta',
    added: 'se agregó en el trayecto',
  },
  linesDiffer: (count: number) => (count === 1 ? '1 línea difiere' : `${count} líneas difieren`),
  diff: (name: string) => `Qué cambió: ${name}`,
  sides: { removed: 'Enviado:', added: 'Recibido:' },
  cut: 'Hay más de lo que se muestra aquí.',
};

export const checkWords: Words<typeof english> = { en: english, es: spanish };

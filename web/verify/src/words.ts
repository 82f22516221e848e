import { spanish as reportSpanish } from '../../shared/evidence/spanish-words.ts';
import { type ReportWords, english as reportEnglish } from '../../shared/evidence/words.ts';
import type { Language } from '../../shared/words/words.ts';

/** Texts of the pages around a report: the one that takes files, and the one that opens a shared link. */
export interface PageWords {
  readonly report: ReportWords;
  readonly title: string;
  readonly lead: string;
  readonly bundle: string;
  readonly bundleHint: string;
  readonly eml: string;
  readonly emlHint: string;
  readonly trust: string;
  readonly trustHint: string;
  readonly pick: string;
  readonly print: string;
  readonly working: string;
  readonly failed: (reason: string) => string;
  readonly insecure: string;
  readonly insecureMeans: string;
  readonly privacy: string;
  readonly proveTitle: string;
  readonly proveLead: string;
  readonly proveOpen: string;
  readonly proveLogged: string;
  readonly opening: string;
  readonly gone: string;
  readonly goneMeans: string;
  readonly notOpened: string;
  readonly notOpenedMeans: (requestId: string | null) => string;
  readonly incomplete: string;
  readonly incompleteMeans: string;
  readonly download: string;
  readonly keepHint: string;
  readonly openedPrivacy: string;
  readonly scan: string;
  readonly caseTitle: (count: number) => string;
  readonly caseMeans: string;
  readonly caseDownload: string;
  readonly ask: string;
  readonly askHint: string;
}

const english: PageWords = {
  report: reportEnglish,
  title: 'Verify a proof bundle',
  lead: 'Drop in a proof bundle to check what was sent, when it was sealed and what the receiving server answered.',
  bundle: 'Proof bundle (.zip or .json), or a case file of several',
  bundleHint: 'Drop a file anywhere on this page, or choose it here.',
  eml: 'The message as you received it (.eml), if you have it',
  emlHint: 'It is compared with the sealed message.',
  trust: 'Your own trust policy (policy.json), if you have one',
  trustHint: 'Without it, the log key and the authorities are the ones that the bundle names.',
  pick: 'Choose a file',
  print: 'Print',
  working: 'Checking …',
  failed: (reason) => `This file cannot be read: ${reason}`,
  insecure: 'This page cannot verify anything here',
  insecureMeans:
    'Browsers allow the cryptography that it needs only on pages opened by https. Open this page by its https address, or verify the bundle on your own computer with acuse verify.',
  privacy:
    'Everything is computed in this browser. Nothing is sent anywhere, and once loaded this page works offline.',
  proveTitle: 'Proof of an email',
  proveLead:
    'Somebody shares with you the proof of an email that was sent. This browser checks it by itself.',
  proveOpen: 'Open the proof',
  proveLogged: 'Whoever shared it sees in a log that it was opened, when, and from which network address.',
  opening: 'Opening …',
  gone: 'This link cannot be opened',
  goneMeans: 'It is incomplete, has expired or was revoked. Ask for a new one.',
  notOpened: 'The proof could not be loaded',
  notOpenedMeans: (requestId) =>
    requestId === null
      ? 'The server did not answer. Check your connection and try again.'
      : `The server could not answer. Try again; if it keeps failing, report the Request-Id ${requestId}.`,
  incomplete: 'This link is incomplete',
  incompleteMeans: 'The part after # is missing. Copy the whole link, or scan it again.',
  download: 'Download the proof bundle',
  keepHint:
    'To check it on your own computer, drop the file on the page below, with or without a network, or unpack it and follow VERIFY.md, which needs only OpenSSL. In a case file, each message has its own.',
  openedPrivacy: 'The proof is checked in this browser, not on the server that it came from.',
  scan: 'The same proof: scan, or open the link',
  caseTitle: (count) => (count === 1 ? 'Case file of 1 message' : `Case file of ${count} messages`),
  caseMeans:
    'Each was checked by itself, in order of time. It is not proven that there were no other messages: whoever made the case file chose these.',
  caseDownload: 'Download the case file',
  ask: 'Ask the log how many outcomes it counts today',
  askHint:
    'Sends two hashes of the manifest. The second line of the answer is the number of outcomes plus one, for the message.',
};

const spanish: PageWords = {
  report: reportSpanish,
  title: 'Verificar un paquete de evidencia',
  lead: 'Suelte aquí un paquete de evidencia para comprobar qué se envió, cuándo se selló y qué respondió el servidor receptor.',
  bundle: 'Paquete de evidencia (.zip o .json) o un expediente de varios',
  bundleHint: 'Suelte un archivo en cualquier parte de esta página o elíjalo aquí.',
  eml: 'El mensaje tal como lo recibió (.eml), si lo tiene',
  emlHint: 'Se compara con el mensaje sellado.',
  trust: 'Su propia política de confianza (policy.json), si la tiene',
  trustHint: 'Sin ella, la clave del registro y las autoridades son las que nombra el propio paquete.',
  pick: 'Elegir un archivo',
  print: 'Imprimir',
  working: 'Comprobando …',
  failed: (reason) => `No se puede leer este archivo: ${reason}`,
  insecure: 'Esta página no puede verificar nada aquí',
  insecureMeans:
    'Los navegadores solo permiten la criptografía necesaria en páginas abiertas por https. Abra esta página por su dirección https o verifique el paquete en su propia computadora con acuse verify.',
  privacy:
    'Todo se calcula en este navegador. No se envía nada a ninguna parte, y, una vez cargada, la página funciona sin conexión.',
  proveTitle: 'Prueba de un correo electrónico',
  proveLead:
    'Alguien comparte con usted la prueba de un correo que se envió. Este navegador la verifica por su cuenta.',
  proveOpen: 'Abrir la prueba',
  proveLogged: 'Quien la compartió ve en una bitácora que se abrió, cuándo y desde qué dirección de red.',
  opening: 'Abriendo …',
  gone: 'Este enlace no se puede abrir',
  goneMeans: 'Está incompleto, venció o fue revocado. Pida uno nuevo.',
  notOpened: 'No se pudo cargar la prueba',
  notOpenedMeans: (requestId) =>
    requestId === null
      ? 'El servidor no respondió. Revise su conexión e intente de nuevo.'
      : `El servidor no pudo responder. Intente de nuevo; si vuelve a fallar, reporte el Request-Id ${requestId}.`,
  incomplete: 'Este enlace está incompleto',
  incompleteMeans: 'Falta la parte que sigue a #. Copie el enlace completo o escanéelo de nuevo.',
  download: 'Descargar el paquete de evidencia',
  keepHint:
    'Para comprobarlo en su propia computadora, suelte el archivo en la página siguiente, con red o sin ella, o descomprímalo y siga VERIFY.md, que solo necesita OpenSSL. En un expediente, cada mensaje tiene el suyo.',
  openedPrivacy: 'La evidencia se verifica en este navegador, no en el servidor del que proviene.',
  scan: 'La misma prueba: escanee el código o abra el enlace',
  caseTitle: (count) => (count === 1 ? 'Expediente de 1 mensaje' : `Expediente de ${count} mensajes`),
  caseMeans:
    'Cada uno se verificó por sí solo, en orden cronológico. No se prueba que no haya habido otros mensajes: quien elaboró el expediente eligió estos.',
  caseDownload: 'Descargar el expediente',
  ask: 'Preguntar al registro cuántos resultados cuenta hoy',
  askHint:
    'Envía dos hashes del manifiesto. La segunda línea de la respuesta es el número de resultados más uno, por el mensaje.',
};

export const PAGE_WORDS: Readonly<Record<Language, PageWords>> = { en: english, es: spanish };

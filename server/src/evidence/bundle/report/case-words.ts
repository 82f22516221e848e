import { ENGLISH, type ReportWords, SPANISH } from './words.ts';

type Shared = Pick<
  ReportWords,
  | ('outcome' | 'counted' | 'notCounted' | 'development' | 'from' | 'to' | 'subject' | 'accepted')
  | ('sealedAt' | 'authority' | 'canonicalHash' | 'logKey' | 'renewed' | 'asOf' | 'verify' | 'verifyHow')
  | ('proven' | 'provenBy' | 'provesNothing' | 'bound' | 'boundBy' | 'asserted' | 'assertedBy')
>;

export interface CaseWords extends Shared {
  readonly title: string;
  readonly notProof: string;
  readonly name: string;
  readonly made: string;
  readonly messages: string;
  readonly span: (first: string, last: string) => string;
  readonly times: string;
  readonly timesAre: string;
  readonly holds: string;
  readonly holdsWhat: readonly string[];
  readonly notProven: string;
  readonly notProvenWhat: readonly string[];
  readonly list: string;
  readonly file: string;
  readonly fileHash: string;
  readonly outcomes: string;
  readonly notShown: string;
  readonly unverified: string;
}

export const CASE_SPANISH: CaseWords = {
  ...SPANISH,
  title: 'Expediente de evidencia',
  notProof:
    'Este índice es un resumen para leer. No forma parte de la prueba: no está firmado, la verificación no lo compara y no da ningún veredicto, que depende de en quién confíe usted. Si difiere de la evidencia de los paquetes, prevalece la evidencia.',
  name: 'Expediente',
  made: 'Elaborado',
  messages: 'Mensajes',
  span: (first, last) => `aceptados del ${first} al ${last}`,
  times: 'Horas',
  timesAre: 'En tiempo universal (UTC), como indica la Z al final de cada una',
  holds: 'Lo que contiene',
  holdsWhat: [
    'Un paquete de evidencia por cada mensaje, en orden cronológico: NN-identificador.zip. Cada paquete se verifica por sí solo, igual que si se hubiera entregado aparte.',
    'SHA256SUMS: los hashes de este índice y de los paquetes, para comprobar que la copia está completa (sha256sum -c SHA256SUMS).',
  ],
  notProven: 'Lo que no se prueba',
  notProvenWhat: [
    'Que alguien haya leído un mensaje o esté de acuerdo con él.',
    'Que no haya habido otros mensajes: quien elaboró el expediente eligió estos.',
  ],
  list: 'Los mensajes',
  file: 'Paquete',
  fileHash: 'SHA-256 del paquete',
  outcomes: 'Resultados',
  notShown: 'El paquete no muestra el contenido.',
  unverified: 'Este paquete no se verifica: no se toma nada de él.',
};

export const CASE_ENGLISH: CaseWords = {
  ...ENGLISH,
  title: 'Case file of evidence',
  notProof:
    'This index is a summary for reading. It is not part of the proof: it is not signed, verification does not compare it, and it gives no verdict, which depends on whom you trust. Where it differs from the evidence in the bundles, the evidence prevails.',
  name: 'Case file',
  made: 'Made',
  messages: 'Messages',
  span: (first, last) => `accepted from ${first} to ${last}`,
  times: 'Times',
  timesAre: 'In universal time (UTC), as the Z at the end of each says',
  holds: 'What it contains',
  holdsWhat: [
    'A proof bundle for each message, in order of time: NN-identifier.zip. Each bundle is verified by itself, as if it had been handed over alone.',
    'SHA256SUMS: the hashes of this index and of the bundles, to check that a copy is complete (sha256sum -c SHA256SUMS).',
  ],
  notProven: 'What is not proven',
  notProvenWhat: [
    'That anybody read a message, or agreed with it.',
    'That there were no other messages: whoever made the case file chose these.',
  ],
  list: 'The messages',
  file: 'Bundle',
  fileHash: 'SHA-256 of the bundle',
  outcomes: 'Outcomes',
  notShown: 'The bundle does not show the content.',
  unverified: 'This bundle does not verify: nothing is taken from it.',
};

import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  bundle: 'Proof bundle',
  report: 'Report (PDF)',
  stamped: 'PDF with time-stamp',
  promisedTitle: 'Not sealed yet',
  promised:
    'The log signed a promise to include this message. Its evidence appears here by itself once it is sealed.',
  neverTitle: 'Never sealed',
  never:
    'The log that promised to include this message ended before it was sealed. Send it again to have it sealed.',
  plainTitle: 'This message has no evidence',
  plain: 'It was sent as a plain message. Send with certified: true to have the next one sealed.',
  erased:
    'The content was deleted, so it can no longer be shown or compared. It remains proven that it was sealed, and when.',
  received: 'Received it?',
  receivedText:
    'Provide the message as somebody received it, saved as .eml: it is compared with what was sent, here in this browser.',
  eml: 'The message as received (.eml)',
  comparing: 'Comparing…',
  unreadable: 'This file could not be read.',
  shares: 'Shared links',
  sharesText:
    'Each opens a proof that shows what was chosen, without an account. Openings are in the access log.',
  noShares: 'No link has been made for this message. “Prove it” above makes one.',
  accessLog: 'Access log of this message',
  noNote: 'Without a note',
  ofCase: (name: string) => `Case file “${name}”`,
  shows: (what: string) => `Shows ${what}`,
  shown: {
    message: 'the whole message',
    parts: (count: number) => (count === 1 ? '1 part' : `${count} parts`),
    delivery: 'its delivery',
    nothing: 'that it was sent, and when',
  },
  by: (name: string) => `by ${name}`,
  until: (time: string) => `until ${time}`,
  expired: (time: string) => `expired on ${time}`,
  revokedAt: (time: string) => `revoked on ${time}`,
  states: { open: 'Active', expired: 'Expired', revoked: 'Revoked' },
  opened: (count: number) =>
    count === 0 ? 'not opened yet' : count === 1 ? 'opened once' : `opened ${count} times`,
  lastOpened: (when: string) => `last ${when}`,
  revoke: 'Revoke link',
  revokeNamed: (note: string) => `Revoke the link: ${note}`,
  revokeTitle: 'Revoke this link?',
  revokeCase: 'The link to the whole case file is revoked, with its other messages.',
  revokeText: 'It opens nothing from now on. Bundles that were downloaded stay valid.',
  revoked: 'The link was revoked.',
};

const spanish: Translated<typeof english> = {
  bundle: 'Paquete de evidencia',
  report: 'Informe (PDF)',
  stamped: 'PDF con sello de tiempo',
  promisedTitle: 'Aún sin sellar',
  promised:
    'El registro prometió con su firma incluir este mensaje. Su evidencia aparece aquí por sí sola en cuanto se selle.',
  neverTitle: 'Nunca se sellará',
  never:
    'El registro que prometió incluir este mensaje terminó antes de sellarlo. Envíelo de nuevo para que se selle.',
  plainTitle: 'Este mensaje no tiene evidencia',
  plain: 'Se envió como mensaje simple. Envíe con certified: true para que se selle el siguiente.',
  erased:
    'El contenido se eliminó, por lo que ya no puede mostrarse ni compararse. Sigue probado que se selló y cuándo.',
  received: '¿Lo recibió?',
  receivedText:
    'Proporcione el mensaje tal como alguien lo recibió, guardado como .eml: se compara con lo que se envió, aquí en este navegador.',
  eml: 'El mensaje recibido (.eml)',
  comparing: 'Comparando…',
  unreadable: 'No se pudo leer este archivo.',
  shares: 'Enlaces compartidos',
  sharesText:
    'Cada uno abre, sin cuenta, una prueba que muestra lo que se eligió. Sus aperturas están en la bitácora de accesos.',
  noShares: 'No se ha creado ningún enlace para este mensaje. «Acreditar», arriba, crea uno.',
  accessLog: 'Bitácora de accesos de este mensaje',
  noNote: 'Sin nota',
  ofCase: (name: string) => `Expediente «${name}»`,
  shows: (what: string) => `Muestra ${what}`,
  shown: {
    message: 'el mensaje completo',
    parts: (count: number) => (count === 1 ? '1 parte' : `${count} partes`),
    delivery: 'su entrega',
    nothing: 'que se envió y cuándo',
  },
  by: (name: string) => `por ${name}`,
  until: (time: string) => `hasta el ${time}`,
  expired: (time: string) => `venció el ${time}`,
  revokedAt: (time: string) => `revocado el ${time}`,
  states: { open: 'Vigente', expired: 'Vencido', revoked: 'Revocado' },
  opened: (count: number) =>
    count === 0 ? 'aún sin abrir' : count === 1 ? 'abierto una vez' : `abierto ${count} veces`,
  lastOpened: (when: string) => `la última, ${when}`,
  revoke: 'Revocar enlace',
  revokeNamed: (note: string) => `Revocar el enlace: ${note}`,
  revokeTitle: '¿Revocar este enlace?',
  revokeCase: 'Se revoca el enlace de todo el expediente, con sus demás mensajes.',
  revokeText: 'A partir de ahora no abre nada. Los paquetes que ya se descargaron siguen siendo válidos.',
  revoked: 'El enlace se revocó.',
};

export const evidenceWords: Words<typeof english> = { en: english, es: spanish };

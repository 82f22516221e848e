import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Prove it',
  lead: 'Makes a link for somebody without an account: their browser checks the proof by itself.',
  asFile: 'If a court asks for a file, there is a report to print and the proof bundle:',
  toEvidence: 'Evidence of this message',
  show: 'What it shows',
  message: 'The whole message, with sender, recipient and subject',
  delivery: 'Delivery, with the answers of the servers; names the recipient',
  closed: 'Everything else stays closed: the proof shows that it exists and has not changed.',
  nothing: 'Choose at least one thing to show.',
  types: { 'text/plain': 'Text', 'text/html': 'HTML' },
};

const spanish: Translated<typeof english> = {
  title: 'Acreditar',
  lead: 'Crea un enlace para alguien sin cuenta: su propio navegador verifica la evidencia.',
  asFile: 'Si debe presentar un archivo, hay un informe para imprimir y el paquete de evidencia:',
  toEvidence: 'Evidencia de este mensaje',
  show: 'Qué muestra',
  message: 'El mensaje completo, con remitente, destinatario y asunto',
  delivery: 'La entrega, con las respuestas de los servidores; nombra al destinatario',
  closed: 'Todo lo demás queda cerrado: la prueba muestra que existe y que no ha cambiado.',
  nothing: 'Elija al menos una cosa que mostrar.',
  types: { 'text/plain': 'Texto', 'text/html': 'HTML' },
};

export const proveWords: Words<typeof english> = { en: english, es: spanish };

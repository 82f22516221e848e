import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  choosing: 'Messages of the case file',
  hint: 'Choose sealed messages from the list.',
  chosen: (count: number, most: number) => `${count} of at most ${most} chosen`,
  all: 'Choose all shown',
  next: 'Continue',
  choose: (subject: string) => `Choose: ${subject}`,
  notSealed: 'Not sealed: it has no evidence to show.',
  full: (most: number) => `A case file has at most ${most} messages.`,
  title: (count: number) => (count === 1 ? 'Case file of 1 message' : `Case file of ${count} messages`),
  lead: 'One file with the proof bundles in order of time, and an index to print. Its cover says what is proven and what is not.',
  name: 'Name',
  nameHint: 'On the cover: whoever gets the file reads it.',
  noName: 'Give it a name.',
  nameLong: (most: number) => `At most ${most} characters.`,
  how: 'Hand it over',
  ways: { download: 'As a file', link: 'By a link' },
  waysMean: {
    download: 'The whole bundles, with the requests that they were made of.',
    link: 'For somebody without an account: their browser checks each proof by itself.',
  },
  show: 'What it shows',
  message: 'The whole messages, with sender, recipient and subject',
  delivery: 'Delivery, with the answers of the servers; names the recipients',
  nothing: 'Choose at least one thing to show.',
  download: 'Download',
  saved: 'The case file was downloaded. Print index.pdf, which is in it.',
};

const spanish: Translated<typeof english> = {
  choosing: 'Mensajes del expediente',
  hint: 'Elija mensajes sellados de la lista.',
  chosen: (count: number, most: number) =>
    `${count} ${count === 1 ? 'elegido' : 'elegidos'} de ${most} como máximo`,
  all: 'Elegir todos los visibles',
  next: 'Continuar',
  choose: (subject: string) => `Elegir: ${subject}`,
  notSealed: 'No está sellado: no tiene evidencia que mostrar.',
  full: (most: number) => `Un expediente tiene como máximo ${most} mensajes.`,
  title: (count: number) => (count === 1 ? 'Expediente de 1 mensaje' : `Expediente de ${count} mensajes`),
  lead: 'Un solo archivo con los paquetes de evidencia en orden cronológico y un índice para imprimir. La portada dice qué se prueba y qué no.',
  name: 'Nombre',
  nameHint: 'Va en la portada: lo lee quien recibe el archivo.',
  noName: 'Escriba un nombre.',
  nameLong: (most: number) => `Máximo ${most} caracteres.`,
  how: 'Cómo entregarlo',
  ways: { download: 'Como archivo', link: 'Con un enlace' },
  waysMean: {
    download: 'Los paquetes completos, con las solicitudes que los originaron.',
    link: 'Para alguien sin cuenta: su propio navegador verifica cada evidencia.',
  },
  show: 'Qué muestra',
  message: 'Los mensajes completos, con remitente, destinatario y asunto',
  delivery: 'La entrega, con las respuestas de los servidores; nombra a los destinatarios',
  nothing: 'Elija al menos una cosa que mostrar.',
  download: 'Descargar',
  saved: 'Se descargó el expediente. Imprima index.pdf, que está dentro.',
};

export const caseWords: Words<typeof english> = { en: english, es: spanish };

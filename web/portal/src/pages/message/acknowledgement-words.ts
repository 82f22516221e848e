import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Apart from the other words of a message: most do not ask, and the timeline alone shows it. */
const english = {
  asked: 'The recipient is asked to acknowledge receipt',
  askedUntil: (time: string) => `No answer yet. They can answer until ${time}.`,
  answers: {
    acknowledged: 'The recipient acknowledged receipt',
    ackRefused: 'The recipient refused to acknowledge receipt',
    unanswered: 'The recipient did not answer in time',
  },
  answerMeans:
    'Somebody who can read this mailbox answered, with a code that was sent there. It is not known who. The answer is about receipt, not agreement.',
  byMail:
    'A mail of the recipient says so, and their mail domain signed it. The answer is about receipt, not agreement.',
};

const spanish: Translated<typeof english> = {
  asked: 'Se pidió acuse de recibo al destinatario',
  askedUntil: (time: string) => `Aún no responde. Puede hacerlo hasta el ${time}.`,
  answers: {
    acknowledged: 'El destinatario dio acuse de recibo',
    ackRefused: 'El destinatario se negó a dar acuse de recibo',
    unanswered: 'El destinatario no respondió en el plazo',
  },
  answerMeans:
    'Respondió alguien que puede leer este buzón, con un código enviado ahí; no se sabe quién. La respuesta es sobre la recepción, no sobre estar de acuerdo.',
  byMail:
    'Lo dice un correo del destinatario, firmado por su dominio de correo. La respuesta es sobre la recepción, no sobre estar de acuerdo.',
};

export const acknowledgementWords: Words<typeof english> = { en: english, es: spanish };

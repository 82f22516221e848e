import type { Row } from './row.ts';

/** Reasons why a send cannot be approved. */
export const APPROVALS: readonly Row[] = [
  {
    said: 'This request was decided before, or its time is over: look at it again.',
    es: 'Esta solicitud ya se decidió o su plazo terminó: véala de nuevo.',
  },
  {
    said: 'The message is not the one that was shown any more: look at it again.',
    es: 'El mensaje ya no es el que se mostró: véalo de nuevo.',
  },
  {
    said: 'The API key that asked was revoked: this can only be refused.',
    es: 'La clave de API que lo pidió fue revocada: solo puede rechazarse.',
  },
  {
    said: 'There is nothing to show: the message cannot be sent, or was decided.',
    es: 'No hay nada que mostrar: el mensaje no se puede enviar o ya se decidió.',
  },
];

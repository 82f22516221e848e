import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Approvals',
  lead: 'Messages that agents want to send. Each is sent only once somebody has seen and approved it.',
  waiting: (count: number) => (count === 1 ? '1 message waits.' : `${count} messages wait.`),
  emptyTitle: 'Nothing waits',
  empty: 'A message waits here when its API key needs approval for each send.',
  subject: 'Subject',
  noSubject: '(no subject)',
  to: 'Recipient',
  more: (first: string, count: number) => `${first} and ${count} more`,
  asker: 'Asked by',
  asked: 'Asked',
  ends: 'Expires',
};

const spanish: Translated<typeof english> = {
  title: 'Aprobaciones',
  lead: 'Mensajes que los agentes quieren enviar. Cada uno se envía solo cuando alguien lo ha visto y aprobado.',
  waiting: (count: number) => (count === 1 ? '1 mensaje en espera.' : `${count} mensajes en espera.`),
  emptyTitle: 'No hay nada en espera',
  empty: 'Aquí esperan los mensajes de las claves de API que necesitan aprobación para cada envío.',
  subject: 'Asunto',
  noSubject: '(sin asunto)',
  to: 'Destinatario',
  more: (first: string, count: number) => `${first} y ${count} más`,
  asker: 'Lo pide',
  asked: 'Se pidió',
  ends: 'Vence',
};

export const approvalsWords: Words<typeof english> = { en: english, es: spanish };

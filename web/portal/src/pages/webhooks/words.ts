import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Webhooks',
  lead: 'Your programs are called when a message is sent, bounces or is sealed. Each call is signed.',
  create: 'Add endpoint',
  endpoint: 'Endpoint',
  state: 'State',
  added: 'Added',
  emptyTitle: 'No endpoints',
  empty:
    'Add the URL of a program that should receive events. For a first try, any request inspector will do.',
};

const spanish: Translated<typeof english> = {
  title: 'Webhooks',
  lead: 'Se llama a sus programas cuando un mensaje se envía, rebota o queda sellado. Cada llamada va firmada.',
  create: 'Agregar webhook',
  endpoint: 'Webhook',
  state: 'Estado',
  added: 'Agregado',
  emptyTitle: 'Sin webhooks',
  empty:
    'Agregue la URL de un programa que deba recibir eventos. Para probar, sirve cualquier inspector de solicitudes.',
};

export const webhooksWords: Words<typeof english> = { en: english, es: spanish };

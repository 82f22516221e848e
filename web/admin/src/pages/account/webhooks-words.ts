import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  webhooks: 'Webhooks of the account',
  lead: 'Only the people of the account change its webhooks, in their portal. Tell them what helps:',
  toPeople: 'People of the account',
  endpoint: 'Endpoint',
  state: 'State',
  answer: 'Last answer',
  helps: 'What helps',
  nothing: 'Nothing to do',
  noneTitle: 'No webhooks',
  none: 'The account adds them in its portal or by API, to be told what happens to its messages.',
};

const spanish: Translated<typeof english> = {
  webhooks: 'Webhooks de la cuenta',
  lead: 'Solo la gente de la cuenta cambia sus webhooks, en su portal. Dígale qué ayuda:',
  toPeople: 'Personas de la cuenta',
  endpoint: 'Webhook',
  state: 'Estado',
  answer: 'Última respuesta',
  helps: 'Qué ayuda',
  nothing: 'Nada que hacer',
  noneTitle: 'Sin webhooks',
  none: 'La cuenta los agrega en su portal o por API, para saber qué pasa con sus mensajes.',
};

export const accountWebhooksWords: Words<typeof english> = { en: english, es: spanish };

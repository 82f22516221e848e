import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Access log',
  lead: 'Every verification by id and every opening of a shared link, whatever its result.',
  filters: 'Filters',
  message: 'Message',
  messageId: 'Message id',
  period: 'Period',
  periods: {
    '1': 'Today (UTC)',
    '7': 'Last 7 days',
    '30': 'Last 30 days',
    '90': 'Last 90 days',
    all: 'All time',
  },
  time: 'When',
  who: 'Who',
  result: 'Result',
  address: 'From',
  kinds: { key: 'API key', user: 'Person', share: 'Shared link' },
  results: {
    valid: 'Valid',
    invalid: 'Not valid',
    opened: 'Opened',
    not_found: 'No such message',
    missing_proof_data: 'Not sealed',
    other: 'Not answered',
  },
  emptyTitle: 'Nobody has asked yet',
  empty: 'Verifications by id and openings of shared links appear here.',
  toVerify: 'Verify a message',
  all: 'These are all.',
};

const spanish: Translated<typeof english> = {
  title: 'Bitácora de accesos',
  lead: 'Cada verificación por id y cada apertura de un enlace compartido, sea cual sea su resultado.',
  filters: 'Filtros',
  message: 'Mensaje',
  messageId: 'Id del mensaje',
  period: 'Periodo',
  periods: {
    '1': 'Hoy (UTC)',
    '7': 'Últimos 7 días',
    '30': 'Últimos 30 días',
    '90': 'Últimos 90 días',
    all: 'Todo',
  },
  time: 'Cuándo',
  who: 'Quién',
  result: 'Resultado',
  address: 'Desde',
  kinds: { key: 'Clave de API', user: 'Persona', share: 'Enlace compartido' },
  results: {
    valid: 'Válido',
    invalid: 'No válido',
    opened: 'Abierto',
    not_found: 'No existe',
    missing_proof_data: 'Sin sellar',
    other: 'Sin respuesta',
  },
  emptyTitle: 'Nadie ha consultado aún',
  empty: 'Aquí aparecen las verificaciones por id y las aperturas de enlaces compartidos.',
  toVerify: 'Verificar un mensaje',
  all: 'Son todos.',
};

export const verifyLogWords: Words<typeof english> = { en: english, es: spanish };

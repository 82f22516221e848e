import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Usage and cost',
  lead: (month: string, resets: string, left: string) =>
    `The quotas of ${month} are counted in UTC and start again ${left}, on ${resets}.`,
  constancias: 'Constancias',
  constanciasText:
    'A certified message is sealed together with others. A seal on demand is a constancia over that message alone.',
  onDemand: 'Seals on demand this month',
  cost: 'Share of what the time-stamp authorities charged',
  sum: 'Messages this month',
  months: 'By month',
  noMonth: 'Nothing has been sent yet.',
  today:
    'At the prices of today, in UTC months. The share of the time-stamp authorities is not part of the cost.',
  month: 'Month',
  certified: 'Certified',
  plain: 'Plain',
  total: 'Cost',
  sealing: 'Authorities',
  settings: 'Quotas and prices are set by the operator of this installation.',
  certifiedDefault: 'A message is certified unless it says otherwise.',
  plainDefault: 'A message is plain unless it asks to be certified.',
  default: 'By default',
};

const spanish: Translated<typeof english> = {
  title: 'Uso y costo',
  lead: (month: string, resets: string, left: string) =>
    `Las cuotas de ${month} se cuentan en UTC y se reinician ${left}, el ${resets}.`,
  constancias: 'Constancias',
  constanciasText:
    'Un mensaje certificado se sella junto con otros. Un sello a petición es una constancia sobre ese mensaje solo.',
  onDemand: 'Sellos a petición este mes',
  cost: 'Parte de lo que cobraron las autoridades de sellado de tiempo',
  sum: 'Mensajes de este mes',
  months: 'Por mes',
  noMonth: 'Aún no se envía nada.',
  today:
    'A los precios de hoy, en meses UTC. La parte de las autoridades de sellado no se incluye en el costo.',
  month: 'Mes',
  certified: 'Certificados',
  plain: 'Simples',
  total: 'Costo',
  sealing: 'Autoridades',
  settings: 'El operador de esta instalación fija las cuotas y los precios.',
  certifiedDefault: 'Un mensaje se certifica, salvo que indique lo contrario.',
  plainDefault: 'Un mensaje es simple, salvo que pida certificarse.',
  default: 'De manera predeterminada',
};

export const usageWords: Words<typeof english> = { en: english, es: spanish };

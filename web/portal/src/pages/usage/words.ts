import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Usage',
  lead: (month: string, resets: string, left: string) =>
    `The quotas of ${month} are counted in UTC and start again ${left}, on ${resets}.`,
  bags: { certified: 'Certified messages', plain: 'Plain messages' },
  of: (used: string, quota: string) => `${used} of ${quota}`,
  remaining: (count: string) => `${count} left`,
  exhausted: 'Used up: further messages of this kind are refused until the quota starts again.',
  nearly: 'Nearly used up.',
  price: 'Price per message',
  total: 'This month',
  product: (count: string, price: string) => `${count} × ${price}`,
  constancias: 'Constancias',
  constanciasText:
    'A certified message is sealed together with others. A seal on demand is a constancia over that message alone.',
  onDemand: 'Seals on demand this month',
  cost: 'Share of what the time-stamp authorities charged',
  sum: 'Messages this month',
  settings: 'Quotas and prices are set by the operator of this installation.',
  certifiedDefault: 'A message is certified unless it says otherwise.',
  plainDefault: 'A message is plain unless it asks to be certified.',
  default: 'By default',
};

const spanish: Translated<typeof english> = {
  title: 'Uso',
  lead: (month: string, resets: string, left: string) =>
    `Las cuotas de ${month} se cuentan en UTC y se reinician ${left}, el ${resets}.`,
  bags: { certified: 'Mensajes certificados', plain: 'Mensajes simples' },
  of: (used: string, quota: string) => `${used} de ${quota}`,
  remaining: (count: string) => `quedan ${count}`,
  exhausted: 'Agotada: los mensajes de este tipo se rechazan hasta que la cuota se reinicie.',
  nearly: 'Casi agotada.',
  price: 'Precio por mensaje',
  total: 'Este mes',
  product: (count: string, price: string) => `${count} × ${price}`,
  constancias: 'Constancias',
  constanciasText:
    'Un mensaje certificado se sella junto con otros. Un sello a petición es una constancia sobre ese mensaje solo.',
  onDemand: 'Sellos a petición este mes',
  cost: 'Parte de lo que cobraron las autoridades de sellado de tiempo',
  sum: 'Mensajes de este mes',
  settings: 'El operador de esta instalación fija las cuotas y los precios.',
  certifiedDefault: 'Un mensaje se certifica, salvo que indique lo contrario.',
  plainDefault: 'Un mensaje es simple, salvo que pida certificarse.',
  default: 'De manera predeterminada',
};

export const usageWords: Words<typeof english> = { en: english, es: spanish };

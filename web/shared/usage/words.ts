import type { Translated, Words } from '../words/words.ts';

const english = {
  bags: { certified: 'Certified messages', plain: 'Plain messages' },
  of: (used: string, quota: string) => `${used} of ${quota}`,
  remaining: (count: string) => `${count} left`,
  exhausted: 'Used up: further messages of this kind are refused until the quota starts again.',
  nearly: 'Nearly used up.',
  price: 'Price per message',
  total: 'This month',
  product: (count: string, price: string) => `${count} × ${price}`,
};

const spanish: Translated<typeof english> = {
  bags: { certified: 'Mensajes certificados', plain: 'Mensajes simples' },
  of: (used: string, quota: string) => `${used} de ${quota}`,
  remaining: (count: string) => `quedan ${count}`,
  exhausted: 'Agotada: los mensajes de este tipo se rechazan hasta que la cuota se reinicie.',
  nearly: 'Casi agotada.',
  price: 'Precio por mensaje',
  total: 'Este mes',
  product: (count: string, price: string) => `${count} × ${price}`,
};

export const bagWords: Words<typeof english> = { en: english, es: spanish };

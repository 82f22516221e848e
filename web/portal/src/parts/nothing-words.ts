import type { Translated, Words } from '../../../shared/words/words.ts';

/** Why a search found no message. */
const english = {
  noMessage: 'No message was found.',
  noMessageTo: (address: string) => `No message to ${address}.`,
  toDomain: (count: string, domain: string) =>
    count === '0'
      ? `No message to ${domain} either.`
      : count === '1'
        ? `1 message to ${domain}.`
        : `${count} messages to ${domain}.`,
  suppressedSince: (date: string) => `The address is suppressed since ${date}.`,
  searchedTo: (date: string) => `Messages from before ${date} were not searched.`,
  otherwise: 'Found without the filters:',
  allTime: 'Search all time, without filters',
  whyNot: 'Why did it not arrive?',
};

const spanish: Translated<typeof english> = {
  noMessage: 'No se encontró ningún mensaje.',
  noMessageTo: (address: string) => `Ningún mensaje para ${address}.`,
  toDomain: (count: string, domain: string) =>
    count === '0'
      ? `Tampoco hay mensajes para ${domain}.`
      : count === '1'
        ? `1 mensaje para ${domain}.`
        : `${count} mensajes para ${domain}.`,
  suppressedSince: (date: string) => `La dirección está suprimida desde el ${date}.`,
  searchedTo: (date: string) => `No se buscó en los mensajes anteriores al ${date}.`,
  otherwise: 'Se encontró sin los filtros:',
  allTime: 'Buscar en todo, sin filtros',
  whyNot: '¿Por qué no llegó?',
};

export const nothingWords: Words<typeof english> = { en: english, es: spanish };

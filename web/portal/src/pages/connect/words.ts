import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Connect an agent',
  lead: 'A program asks to act for your account. Connect it only if you have just started this yourself.',
  program: 'Program',
  programNote: 'The program chose this name itself; nobody checked it.',
  describedNote: (host: string) => `The name comes from a document at ${host}; nobody else checked it.`,
  returnsTo: 'Goes back to',
  local: 'A program on this computer.',
  account: 'Account',
  server: 'MCP server',
  until: 'Until',
  untilNote: 'You can end it earlier, with the API keys.',
  scopes: 'What it may do',
  scopeTexts: {
    'messages:send': 'Send messages and change templates. It cannot change domains, senders or webhooks.',
    'evidence:read': 'Read messages, evidence and rates',
  },
  asks: 'Ask me before each message: somebody approves it here, on the portal',
  needsScope: 'Choose at least one.',
  localWarning: 'Any program on this computer can give itself this name. Connect it only if you started it.',
  connect: 'Connect',
  refuse: 'Do not connect',
  problemTitle: 'The program’s request does not work',
  back: (host: string) => `Back to ${host}`,
  leaving: (host: string) => `Connected. Returning to ${host}…`,
  ownersTitle: 'Owners of the account connect agents',
  owners: 'Ask an owner to connect it, or to give you another role.',
};

const spanish: Translated<typeof english> = {
  title: 'Conectar un agente',
  lead: 'Un programa pide actuar en nombre de su cuenta. Conéctelo solo si usted acaba de iniciarlo.',
  program: 'Programa',
  programNote: 'El programa eligió este nombre; nadie lo comprobó.',
  describedNote: (host: string) =>
    `El nombre viene de un documento publicado en ${host}; nadie más lo comprobó.`,
  returnsTo: 'Regresa a',
  local: 'Un programa en esta computadora.',
  account: 'Cuenta',
  server: 'Servidor MCP',
  until: 'Hasta',
  untilNote: 'Puede terminarlo antes, en las claves de API.',
  scopes: 'Qué podrá hacer',
  scopeTexts: {
    'messages:send':
      'Enviar mensajes y cambiar plantillas. No puede cambiar dominios, remitentes ni webhooks.',
    'evidence:read': 'Leer mensajes, evidencia y tasas',
  },
  asks: 'Preguntarme antes de cada mensaje: alguien lo aprueba aquí, en el portal',
  needsScope: 'Elija al menos uno.',
  localWarning:
    'Cualquier programa de esta computadora puede darse este nombre. Conéctelo solo si usted lo inició.',
  connect: 'Conectar',
  refuse: 'No conectar',
  problemTitle: 'La solicitud del programa no funciona',
  back: (host: string) => `Regresar a ${host}`,
  leaving: (host: string) => `Conectado. Regresando a ${host}…`,
  ownersTitle: 'Los propietarios de la cuenta conectan agentes',
  owners: 'Pida a un propietario que lo conecte o que le dé otro rol.',
};

export const connectWords: Words<typeof english> = { en: english, es: spanish };

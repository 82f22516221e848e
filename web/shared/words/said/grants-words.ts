import type { Row } from './row.ts';

/** Requests of agents' programs that are refused. */
export const GRANTS: readonly Row[] = [
  {
    said: 'client_id is not of a program that registered here: remove the connection in the program, and connect again.',
    es: 'El programa no está registrado aquí: quite la conexión en el programa y conéctelo de nuevo.',
    en: 'The program is not registered here: remove the connection in the program, and connect it again.',
  },
  {
    said: 'redirect_uri is not one that this program registered: report it to whoever makes the program.',
    es: 'El programa pide regresar a una dirección que no registró: avise a quien lo hace.',
    en: 'The program asks to go back to an address that it did not register: report it to whoever makes it.',
  },
  {
    said: 'client_id: {host} gives no document about the program: try again, or report it to whoever makes the program.',
    es: 'El servicio no encontró en {host} el documento que describe el programa: inténtelo de nuevo o avise a quien lo hace.',
    en: '{host} gives no document about the program: try again, or report it to whoever makes the program.',
  },
  {
    said: 'client_id: the document at {host} does not describe a program that can connect here. {problem}',
    es: 'El documento publicado en {host} no describe un programa que pueda conectarse aquí: avise a quien lo hace.',
    en: 'The document at {host} does not describe a program that can connect here: report it to whoever makes it.',
  },
  {
    said: 'response_type must be code.',
    es: 'El programa debe pedir un código (response_type=code).',
  },
  {
    said: 'Send a code_challenge with code_challenge_method=S256: PKCE is required, and plain is not enough.',
    es: 'El programa debe enviar un code_challenge con code_challenge_method=S256: se exige PKCE, y plain no basta.',
  },
  {
    said: 'resource must be {resource}: no other MCP server belongs here.',
    es: 'El programa debe pedir acceso a {resource}: ningún otro servidor MCP pertenece a este servicio.',
  },
  {
    said: 'scope must name one of messages:send, evidence:read.',
    es: 'El programa debe pedir al menos uno de los permisos messages:send o evidence:read.',
  },
  {
    said: 'scopes: the program did not ask for {scopes}.',
    es: 'El programa no pidió estos permisos: {scopes}.',
  },
  {
    said: 'Limit of {max} approvals at once reached: wait a minute.',
    es: 'Se alcanzó el límite de {max} conexiones al mismo tiempo: espere un minuto.',
  },
  {
    said: 'Agents cannot sign in here: the operator has not set ACUSE_MCP_URL.',
    es: 'Aquí no se pueden conectar agentes: el operador no ha configurado ACUSE_MCP_URL.',
  },
];

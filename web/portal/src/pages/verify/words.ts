import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Verify',
  lead: 'Check the evidence of a message: by its id, or with a file that somebody gave you.',
  file: 'With a file, in this browser',
  fileText: 'The files stay here: nothing is sent anywhere.',
  public: 'The same page for everybody, without an account',
  bundle: 'Proof bundle (.zip or .json)',
  eml: 'The message as received (.eml), if you have it',
  policy: 'Your own trust policy (policy.json), if you have one',
  policyHint: 'Without it, the log key and the authorities are those that the bundle names.',
  clear: 'Clear',
  unreadable: 'This file could not be read.',
  unreadablePolicy: 'The policy cannot be used:',
  message: 'The message',
  byId: 'By id, on the server',
  byIdText:
    'The server recomputes everything from what it stores. Each query is in the access log, whatever its result.',
  id: 'Message id',
  needsId: 'Enter the id of a message, without spaces.',
  verify: 'Verify message',
  valid: 'The server finds every check in order',
  invalid: 'The server finds a check that fails',
  sealedAt: 'Sealed',
  root: 'Root of the log',
  certificate: 'Constancia',
  toEvidence: 'Check it in this browser',
};

const spanish: Translated<typeof english> = {
  title: 'Verificar',
  lead: 'Compruebe la evidencia de un mensaje: por su id o con un archivo que alguien le dio.',
  file: 'Con un archivo, en este navegador',
  fileText: 'Los archivos se quedan aquí: no se envía nada a ninguna parte.',
  public: 'La misma página para cualquiera, sin cuenta',
  bundle: 'Paquete de evidencia (.zip o .json)',
  eml: 'El mensaje recibido (.eml), si lo tiene',
  policy: 'Su propia política de confianza (policy.json), si la tiene',
  policyHint: 'Sin ella, la clave del registro y las autoridades son las que nombra el propio paquete.',
  clear: 'Limpiar',
  unreadable: 'No se pudo leer este archivo.',
  unreadablePolicy: 'La política no se puede usar:',
  message: 'El mensaje',
  byId: 'Por id, en el servidor',
  byIdText:
    'El servidor vuelve a calcular todo a partir de lo que guarda. Cada consulta queda en la bitácora de accesos, sea cual sea su resultado.',
  id: 'Id del mensaje',
  needsId: 'Indique el id de un mensaje, sin espacios.',
  verify: 'Verificar mensaje',
  valid: 'El servidor encuentra en orden todas las comprobaciones',
  invalid: 'El servidor encuentra una comprobación que falla',
  sealedAt: 'Sellado',
  root: 'Raíz del registro',
  certificate: 'Constancia',
  toEvidence: 'Comprobarlo en este navegador',
};

export const verifyWords: Words<typeof english> = { en: english, es: spanish };

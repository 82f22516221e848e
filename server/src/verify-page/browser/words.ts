/** What the page says, in the two languages of its readers. */
export interface Words {
  readonly title: string;
  readonly lead: string;
  readonly bundle: string;
  readonly bundleHint: string;
  readonly eml: string;
  readonly emlHint: string;
  readonly trust: string;
  readonly trustHint: string;
  readonly working: string;
  readonly valid: string;
  readonly invalid: string;
  readonly validMeans: string;
  readonly invalidMeans: string;
  readonly development: string;
  readonly unpinned: string;
  readonly erased: string;
  readonly facts: string;
  readonly checks: string;
  readonly delivery: string;
  readonly sources: Readonly<Record<'session' | 'operator' | 'reported_by_mail', string>>;
  readonly received: string;
  readonly layers: Readonly<Record<'L0' | 'L1' | 'L2', string>>;
  readonly matches: string;
  readonly differs: string;
  readonly failed: (reason: string) => string;
  readonly factNames: Readonly<Record<string, string>>;
  readonly privacy: string;
}

const english: Words = {
  title: 'Verify a proof bundle',
  lead: 'Drop in a proof bundle to check what was sent, when it was sealed and what the receiving server answered.',
  bundle: 'Proof bundle (.zip or .json)',
  bundleHint: 'Drop a file anywhere on this page, or choose it here.',
  eml: 'The message as you received it (.eml), if you have it',
  emlHint: 'It is compared with the sealed message, layer by layer.',
  trust: 'Your own trust policy (policy.json), if you have one',
  trustHint: 'Without it, the log key and the authorities are those that the bundle names.',
  working: 'Checking …',
  valid: 'Verified',
  invalid: 'Not valid',
  validMeans: 'Every check holds.',
  invalidMeans: 'At least one check fails: do not rely on this bundle.',
  development:
    'The time-stamp is of a development authority. It is not a NOM-151 constancia and proves nothing to third parties.',
  unpinned:
    'The log key and the authorities are those that the bundle itself names. Compare them with a source of your own.',
  erased:
    'The operator erased the content of this message, and with it the salts: the message, its addresses, the request and what servers answered can be shown no more. That it was sealed, when, and what became of it holds all the same.',
  facts: 'What the bundle says',
  checks: 'Every check',
  delivery: 'What became of the message',
  sources: {
    session: 'A server answered, in a session of the operator.',
    operator: 'The operator decided; no server answered.',
    reported_by_mail: 'A mail said so, which anybody who knew the address could write.',
  },
  received: 'The message that you received',
  layers: { L0: 'Byte for byte', L1: 'Header and body (DKIM relaxed form)', L2: 'Parts and attachments' },
  matches: 'matches',
  differs: 'differs',
  failed: (reason) => `This file cannot be read: ${reason}`,
  factNames: {},
  privacy:
    'Everything is computed in this browser. Nothing is sent anywhere, and this page works without a network once it is loaded.',
};

const spanish: Words = {
  title: 'Verificar un paquete de evidencia',
  lead: 'Suelte aquí un paquete de evidencia para comprobar qué se envió, cuándo se selló y qué respondió el servidor receptor.',
  bundle: 'Paquete de evidencia (.zip o .json)',
  bundleHint: 'Suelte un archivo en cualquier parte de esta página o elíjalo aquí.',
  eml: 'El mensaje tal como lo recibió (.eml), si lo tiene',
  emlHint: 'Se compara con el mensaje sellado, capa por capa.',
  trust: 'Su propia política de confianza (policy.json), si la tiene',
  trustHint: 'Sin ella, la clave del registro y las autoridades son las que nombra el propio paquete.',
  working: 'Comprobando …',
  valid: 'Verificado',
  invalid: 'No válido',
  validMeans: 'Todas las comprobaciones se cumplen.',
  invalidMeans: 'Al menos una comprobación falla: no confíe en este paquete.',
  development:
    'El sello de tiempo es de una autoridad de desarrollo. No es una constancia NOM-151 y no prueba nada ante terceros.',
  unpinned:
    'La clave del registro y las autoridades son las que nombra el propio paquete. Compárelas con una fuente propia.',
  erased:
    'El operador borró el contenido de este mensaje y, con él, las sales: ya no pueden mostrarse el mensaje, sus direcciones, la solicitud ni lo que respondieron los servidores. Que fue sellado, cuándo, y qué fue de él se sostiene igualmente.',
  facts: 'Lo que dice el paquete',
  checks: 'Cada comprobación',
  delivery: 'Qué fue del mensaje',
  sources: {
    session: 'Lo respondió un servidor, en una sesión del operador.',
    operator: 'Lo decidió el operador; ningún servidor respondió.',
    reported_by_mail: 'Lo dice un correo, que pudo escribir quien conociera la dirección.',
  },
  received: 'El mensaje que usted recibió',
  layers: {
    L0: 'Byte por byte',
    L1: 'Encabezado y cuerpo (forma relajada de DKIM)',
    L2: 'Partes y adjuntos',
  },
  matches: 'coincide',
  differs: 'difiere',
  failed: (reason) => `No se puede leer este archivo: ${reason}`,
  factNames: {
    log: 'registro',
    message_id: 'mensaje',
    tenant_id: 'cuenta',
    tenant_sequence: 'número de la cuenta',
    accepted_at: 'aceptado (según el operador)',
    canonical_hash: 'hash canónico',
    content: 'contenido',
    leaf_index: 'hoja',
    tree_size: 'tamaño del árbol',
    merkle_root: 'raíz de Merkle',
    witnesses: 'testigos',
    sealed_at: 'sellado',
    profile: 'perfil',
    issuer: 'emisor',
    policy_oid: 'política',
    serial_number: 'número de serie',
    renewed_at: 'sello renovado',
    covered_until: 'certificados vigentes hasta',
    message_sealed_at: 'constancia propia',
    trust: 'confianza',
  },
  privacy:
    'Todo se calcula en este navegador. No se envía nada a ninguna parte, y la página funciona sin red una vez cargada.',
};

export const WORDS = { en: english, es: spanish } as const;
export type Language = keyof typeof WORDS;

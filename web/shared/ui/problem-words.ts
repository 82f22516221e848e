import type { Translated, Words } from '../words/words.ts';

/** Refusals in words: loaded with the pages, because nothing can be refused before. */
const english = {
  requestId: 'Request id',
  serverSaid: 'The server said',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
  errors: {
    unreachable: 'The server cannot be reached. Check your connection.',
    no_answer: 'The service does not answer in time. It may be busy: try again in a moment.',
    unauthorized: 'You are not signed in, or your session has ended.',
    insufficient_scope: 'Your role in this account does not allow this.',
    tenant_suspended: 'This account is suspended.',
    tenant_deactivated: 'This account is deactivated.',
    not_found: 'There is nothing here: it does not exist, or it belongs to another account.',
    conflict: 'Something else changed meanwhile, so this was not done.',
    rate_limited: 'Too many requests. Wait a moment.',
    quota_exceeded: 'The monthly quota is used up.',
    invalid_body: 'Something in the form is not right.',
    invalid_parameter: 'A filter is not right.',
    invalid_link: 'This link is wrong, has expired or was already used.',
    weak_password: 'This password is too easy to guess.',
    cross_origin_refused: 'The request did not come from this page.',
    reauthentication_required: 'Confirm that it is you first.',
    missing_proof_data: 'This message is not sealed yet.',
    not_certified: 'This message is not certified, so it has no seal.',
    unavailable: 'The service is not available at the moment.',
    internal_error: 'Something failed in the server.',
    page_fault: 'Something failed in this page.',
    other: 'The server refused this.',
  },
};

const spanish: Translated<typeof english> = {
  requestId: 'Id de la solicitud',
  serverSaid: 'El servidor respondió',
  tooMany: (seconds: number) => `Demasiados intentos. Intente de nuevo en ${seconds} segundos.`,
  errors: {
    unreachable: 'No se puede contactar al servidor. Revise su conexión.',
    no_answer: 'El servicio no responde a tiempo. Puede estar ocupado: intente de nuevo en un momento.',
    unauthorized: 'No ha iniciado sesión o su sesión terminó.',
    insufficient_scope: 'Su rol en esta cuenta no permite hacer esto.',
    tenant_suspended: 'Esta cuenta está suspendida.',
    tenant_deactivated: 'Esta cuenta está desactivada.',
    not_found: 'Aquí no hay nada: no existe o pertenece a otra cuenta.',
    conflict: 'Algo cambió mientras tanto, por lo que no se hizo.',
    rate_limited: 'Demasiadas solicitudes. Espere un momento.',
    quota_exceeded: 'La cuota mensual se agotó.',
    invalid_body: 'Algo en el formulario no es correcto.',
    invalid_parameter: 'Un filtro no es correcto.',
    invalid_link: 'Este enlace es incorrecto, venció o ya se usó.',
    weak_password: 'Esta contraseña es demasiado fácil de adivinar.',
    cross_origin_refused: 'La solicitud no provino de esta página.',
    reauthentication_required: 'Confirme primero que es usted.',
    missing_proof_data: 'Este mensaje aún no está sellado.',
    not_certified: 'Este mensaje no es certificado, por lo que no tiene sello.',
    unavailable: 'El servicio no está disponible por el momento.',
    internal_error: 'Algo falló en el servidor.',
    page_fault: 'Algo falló en esta página.',
    other: 'El servidor rechazó la solicitud.',
  },
};

export const problemWords: Words<typeof english> = { en: english, es: spanish };

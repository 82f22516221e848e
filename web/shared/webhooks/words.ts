import type { Translated, Words } from '../words/words.ts';

/** The state of an endpoint, its last answer, and what its owner can do. */
const english = {
  states: { active: 'Active', failing: 'Failing', off: 'Off' },
  failing: (since: string, off: string) => `Since ${since}. It is turned off on ${off} if nothing succeeds.`,
  reasons: {
    gone: 'It answered 410: it wants no more events.',
    failing: 'Every call failed for five days.',
    manual: 'Somebody turned it off.',
  },
  answered: (code: string) => `It answered ${code}`,
  untried: 'Not called yet',
  late: 'It did not answer in time',
  advice: {
    redirect: 'Redirects are not followed: enter the address that it leads to as the URL.',
    refused: 'The program refuses the call: see how it checks the signature, and what stands in front of it.',
    missing: 'Nothing takes POST at this URL: compare its path with the program’s.',
    gone: 'It said that it wants no more events. If it does, turn the webhook on.',
    busy: 'The program is overloaded or down. What failed is tried again automatically.',
    broken: 'The program failed: its own log says why. What failed is tried again automatically.',
    other: 'The program did not take the event: its answer, under the delivery, may say why.',
    silent: 'Nothing took the call: see whether the program runs, and whether the internet reaches it.',
    off: 'Turn the webhook on once the program works, then deliver again what failed.',
  },
};

const spanish: Translated<typeof english> = {
  states: { active: 'Activo', failing: 'Con fallas', off: 'Desactivado' },
  failing: (since: string, off: string) => `Desde ${since}. Se desactiva el ${off} si nada tiene éxito.`,
  reasons: {
    gone: 'Respondió 410: ya no quiere recibir eventos.',
    failing: 'Todas las llamadas fallaron durante cinco días.',
    manual: 'Alguien lo desactivó.',
  },
  answered: (code: string) => `Respondió ${code}`,
  untried: 'Aún sin llamadas',
  late: 'No respondió a tiempo',
  advice: {
    redirect: 'Las redirecciones no se siguen: escriba como URL la dirección a la que llevan.',
    refused: 'El programa rechaza la llamada: revise cómo comprueba la firma y qué hay delante de él.',
    missing: 'Nada acepta POST en esta URL: compare su ruta con la del programa.',
    gone: 'Respondió que ya no quiere eventos. Si los quiere, active el webhook.',
    busy: 'El programa está saturado o caído. Lo que falló se reintenta automáticamente.',
    broken: 'El programa falló: su propio registro dice por qué. Lo que falló se reintenta automáticamente.',
    other: 'El programa no aceptó el evento: su respuesta, en la entrega, puede decir por qué.',
    silent: 'Nada recibió la llamada: revise si el programa funciona y si se llega a él desde internet.',
    off: 'Active el webhook cuando el programa funcione y luego entregue de nuevo lo que falló.',
  },
};

export const webhookStateWords: Words<typeof english> = { en: english, es: spanish };

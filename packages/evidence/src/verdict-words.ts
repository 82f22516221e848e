/** Names of verdicts, reasons and warnings, everywhere the same. */
import type { Reason, Verdict } from './verdict.ts';
import type { Warning } from './verify-line.ts';

type Language = 'en' | 'es';

export const VERDICT_TITLES: Readonly<Record<Language, Readonly<Record<Verdict, string>>>> = {
  en: {
    verified: 'Verified',
    unproven: 'Consistent, but nobody you trust vouches for it',
    incomplete: 'Genuine, but not the whole',
    rejected: 'Do not rely on this file',
  },
  es: {
    verified: 'Verificado',
    unproven: 'Congruente, pero nadie de su confianza lo respalda',
    incomplete: 'Auténtico, pero no está completo',
    rejected: 'No confíe en este archivo',
  },
};

/** By the name of a reason or a warning; English is what a verification itself says, with its figures. */
const SPANISH: Readonly<Record<string, string>> = {
  bundle_keys: 'las claves son las que nombra el propio archivo: las eligió quien lo hizo',
  development:
    'uno de sus sellos de tiempo es de una autoridad de desarrollo, que no prueba nada ante nadie más',
  outcomes_not_counted: 'no muestra cuántos resultados hubo: pudo haberse omitido alguno',
  outcomes_withheld: 'omite algunos de los resultados que se contaron',
  history_not_shown: 'no muestra que los árboles del registro que contiene sean de un solo registro',
  content_disclosed: 'muestra solo una parte del contenido',
  content_erased: 'se borró el contenido del mensaje',
  clock: 'contiene una hora que aún no llega: su reloj o el de ellos está mal',
  sealed_late:
    'se selló más de 24 horas después de aceptarse: que se aceptó antes solo lo afirma el operador',
  occurred_order: 'un resultado ocurrió después de otro que se registró más tarde',
  outcome_unstamped:
    'un resultado no tiene aquí un sello de tiempo propio: cuándo se registró solo lo afirma el operador',
  outcomes_old: 'los resultados se contaron hace más de 30 días: lo que sucedió después no está aquí',
  revoked_later:
    'un certificado de la autoridad se revocó después, y una renovación ajena a él prueba que el sello existía antes',
  revocation_not_used:
    'la lista o respuesta de revocación que usted dio no dice nada de los certificados de este archivo',
};

/** A reason or a warning as a sentence, which ends without a full stop. */
export function remarkText({ name, detail }: Reason | Warning, language: Language): string {
  return language === 'es' ? (SPANISH[name] ?? detail) : detail;
}

/** Says if all outcomes are here, and as of when; `time`: how the reader writes it. */
export const COUNTED: Readonly<
  Record<Language, (counted: { count: number; withheld: number; time: string }) => string>
> = {
  en: ({ count, withheld, time }) =>
    `On ${time} the operator signed: ${count === 1 ? '1 outcome' : `${count} outcomes`}. ${
      withheld > 0 ? `${withheld} of them ${withheld === 1 ? 'is' : 'are'} withheld.` : HERE_EN(count)
    }`,
  es: ({ count, withheld, time }) =>
    `El ${time} el operador firmó: ${count === 1 ? '1 resultado' : `${count} resultados`}. ${
      withheld > 0 ? `${withheld} de ellos no se muestra${withheld === 1 ? '' : 'n'}.` : HERE_ES(count)
    }`,
};

const HERE_EN = (count: number) =>
  count === 0
    ? 'None is missing.'
    : count === 1
      ? 'It is here.'
      : count === 2
        ? 'Both are here.'
        : 'All are here.';
const HERE_ES = (count: number) =>
  count === 0
    ? 'No falta ninguno.'
    : count === 1
      ? 'Está aquí.'
      : count === 2
        ? 'Los dos están aquí.'
        : 'Todos están aquí.';

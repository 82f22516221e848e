import { Fault } from '../mail/fault.tsx';
import { useWords } from '../words/use-words.ts';
import { webhookStateWords } from './words.ts';

export interface LastAnswer {
  readonly last_status_code: number | null;
  readonly last_error: string | null;
}

/** What the last call came to, in words. */
export function AnswerInWords({ last_status_code: code, last_error: error }: LastAnswer) {
  const words = useWords(webhookStateWords);
  if (code !== null) return words.answered(String(code));
  if (error?.startsWith('no answer')) return words.late;
  return error === null ? words.untried : <Fault text={error} />;
}

type Advice = keyof (typeof webhookStateWords)['en']['advice'];

/** What its owner can do about the last answer; null: it is well, or not known. */
export function useAdvice(): (answer: LastAnswer) => string | null {
  const { advice } = useWords(webhookStateWords);
  return ({ last_status_code: code, last_error: error }) =>
    error === null ? null : advice[code === null ? 'silent' : adviceOf(code)];
}

function adviceOf(code: number): Advice {
  if (code >= 300 && code < 400) return 'redirect';
  if (code === 410) return 'gone';
  if (code === 401 || code === 403) return 'refused';
  if (code === 404 || code === 405) return 'missing';
  if (code === 429 || code === 503) return 'busy';
  return code >= 500 ? 'broken' : 'other';
}

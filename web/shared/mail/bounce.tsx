import type { Bounce } from '../api/portal-types.ts';
import { useWords } from '../words/use-words.ts';
import { bounceWords } from './bounce-words.ts';

/** Why it bounced and what to do; nothing where a server or an older message says no reason. */
export function BounceAdvice({
  bounce,
  className,
}: {
  bounce: Bounce | null | undefined;
  className?: string | undefined;
}) {
  const words = useWords(bounceWords);
  const reason = bounce?.reason ?? null;
  if (bounce === null || bounce === undefined || reason === null) return null;
  // A newer server may know reasons that this page does not.
  const known: Readonly<Record<string, string>> = words.reasons;
  const advice: Readonly<Record<string, string>> = words.advice;
  return (
    <div className={className}>
      {known[reason] ?? reason} ({words.sources[bounce.source]}). {advice[reason] ?? ''}
    </div>
  );
}

import type { Bounce } from '../api/portal-types.ts';
import { Foreign } from '../ui/foreign.tsx';
import { useWords } from '../words/use-words.ts';
import { bounceWords } from './bounce-words.ts';

export interface AdviceProps {
  readonly bounce: Bounce;
  readonly reason: string;
  readonly className?: string | undefined;
}

/** Loaded on demand: its sentences weigh as much as a page, and most mail does not bounce. */
export default function Advice({ bounce, reason, className }: AdviceProps) {
  const words = useWords(bounceWords);
  // A newer server may know reasons that this page does not.
  const known: Readonly<Record<string, string>> = words.reasons;
  const advice: Readonly<Record<string, string>> = words.advice;
  const said = known[reason];
  return (
    <div className={className}>
      {said === undefined ? <Foreign text={reason} /> : capitalized(said)} ({words.sources[bounce.source]}).{' '}
      {advice[reason] ?? ''}
    </div>
  );
}

/** Elsewhere the reason stands within a line. */
function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

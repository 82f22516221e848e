import { Foreign } from '../ui/foreign.tsx';
import { useWords } from '../words/use-words.ts';
import { bounceWords } from './bounce-words.ts';
import { deferralWords } from './deferral-words.ts';

export interface AdviceProps {
  readonly source: 'reply' | 'report' | 'acuse';
  readonly reason: string;
  /** It is tried again. */
  readonly waits: boolean;
  readonly className?: string | undefined;
}

/** Loaded on demand: its sentences weigh as much as a page, and most mail does not bounce. */
export default function Advice({ source, reason, waits, className }: AdviceProps) {
  const words = useWords(bounceWords);
  const deferrals = useWords(deferralWords);
  // A newer server may know reasons that this page does not.
  const known: Readonly<Record<string, string>> = words.reasons;
  const isOwnFault = waits && source === 'acuse' && reason === 'system_error';
  const said = isOwnFault ? deferrals.ownFault : known[reason];
  const sources: Readonly<Record<string, string>> = waits ? deferrals.sources : words.sources;
  const advice = useAdvice(reason, waits);
  const name = said === undefined ? <Foreign text={reason} /> : capitalized(said);
  return (
    <div className={className}>
      {name}
      {isOwnFault ? '' : ` (${sources[source] ?? source})`}. {waits ? `${deferrals.again} ` : ''}
      {advice}
    </div>
  );
}

/** Advice on a reason, where it stands alone. */
export function Todo({ reason, waits }: Pick<AdviceProps, 'reason' | 'waits'>) {
  const { again } = useWords(deferralWords);
  const advice = useAdvice(reason, waits);
  return <>{waits && advice === '' ? again : advice}</>;
}

function useAdvice(reason: string, waits: boolean): string {
  const bounces: Readonly<Record<string, string>> = useWords(bounceWords).advice;
  const deferrals: Readonly<Record<string, string>> = useWords(deferralWords).advice;
  return (waits ? deferrals[reason] : undefined) ?? bounces[reason] ?? '';
}

/** Elsewhere the reason stands within a line. */
function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

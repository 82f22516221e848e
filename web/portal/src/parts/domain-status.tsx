import type { Domain } from '../../../shared/api/portal-types.ts';
import { Status, type Tone } from '../../../shared/ui/status.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { domainWords } from './domain-words.ts';

const TONES = { pending: 'waiting', verified: 'sent', failing: 'failed' } as const satisfies Readonly<
  Record<Domain['status'], Tone>
>;

interface Props {
  readonly domain: Pick<Domain, 'status' | 'grace_until'>;
  readonly badge?: boolean;
}

/** Whether a domain may send. */
export function DomainStatusMark({ domain: { status, grace_until: grace }, badge = false }: Props) {
  const words = useWords(domainWords);
  const inGrace = status === 'verified' && grace !== null;
  return (
    <Status tone={inGrace ? 'waiting' : TONES[status]} badge={badge}>
      {inGrace ? words.grace : words.statuses[status]}
    </Status>
  );
}

import type { Domain } from '../../../shared/api/portal-types.ts';
import { Status, type Tone } from '../../../shared/ui/status.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { domainWords } from './domain-words.ts';

const TONES = { pending: 'waiting', verified: 'sent', failing: 'failed' } as const satisfies Readonly<
  Record<Domain['status'], Tone>
>;

interface Props {
  readonly domain: Pick<Domain, 'status' | 'readiness' | 'grace_until'>;
  readonly badge?: boolean;
}

/** Shows if a domain may send, and if receivers can check its mail. */
export function DomainStatusMark({
  domain: { status, readiness, grace_until: grace },
  badge = false,
}: Props) {
  const words = useWords(domainWords);
  const inGrace = status === 'verified' && grace !== null;
  const isDegraded = status === 'verified' && readiness === 'degraded';
  return (
    <Status tone={inGrace || isDegraded ? 'waiting' : TONES[status]} badge={badge}>
      {inGrace ? words.grace : isDegraded ? words.degraded : words.statuses[status]}
    </Status>
  );
}

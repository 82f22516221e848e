import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import Reasons from '../../../../shared/rates/reasons.tsx';
import { ratesWords } from '../../../../shared/rates/words.ts';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import LastReplies from '../../parts/last-replies.tsx';
import { destinationQuery } from './queries.ts';

/** Why the mail for one destination waits, in words and as its server said it; nothing where none waits. */
export default function Why({ destination }: { destination: string }) {
  const words = useWords(ratesWords);
  const query = useQuery(destinationQuery(useApi(), destination));
  if (query.isLoadingError)
    return (
      <Section title={words.deferrals}>
        <NotLoaded queries={[query]} />
      </Section>
    );
  const { deferral_reasons: reasons = [], last_replies: replies = [] } = query.data ?? {};
  if (reasons.length + replies.length === 0) return null;
  return (
    <>
      <Stale queries={[query]} />
      {reasons.length > 0 && <Reasons reasons={reasons} waits />}
      <LastReplies replies={replies} />
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { CodeBlock, Stack } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { attemptsQuery, evidenceQuery } from './queries.ts';
import { messageWords } from './words.ts';

export default function JsonTab({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const api = useApi();
  const evidence = useQuery(evidenceQuery(api, message));
  const attempts = useQuery(attemptsQuery(api, message));
  const queries = message.sealed_at === null ? [attempts] : [attempts, evidence];
  return (
    <Stack>
      <CodeBlock label={words.jsonMessage} text={pretty(message)} />
      {queries.some(({ data }) => data === undefined) ? (
        <NotLoaded queries={queries} rows={4} />
      ) : (
        <Stale queries={queries} />
      )}
      {attempts.data !== undefined && (
        <CodeBlock label={words.jsonAttempts} text={pretty(attempts.data.data)} />
      )}
      {evidence.data !== undefined && <CodeBlock label={words.jsonEvidence} text={pretty(evidence.data)} />}
    </Stack>
  );
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { CodeBlock, Stack } from '../../../../shared/ui/layout.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { attemptsQuery, evidenceQuery } from './queries.ts';
import { messageWords } from './words.ts';

export default function JsonTab({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const api = useApi();
  const evidence = useQuery(evidenceQuery(api, message));
  const attempts = useQuery(attemptsQuery(api, message));
  return (
    <Stack>
      <CodeBlock label={words.jsonMessage} text={pretty(message)} />
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

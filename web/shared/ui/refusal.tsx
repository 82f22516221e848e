import { useState } from 'react';
import { ApiError, asProblem, type Problem } from '../api/error.ts';
import { visible } from '../format/foreign-text.ts';
import { useWords } from '../words/use-words.ts';
import { useProblemText } from './failure.tsx';
import { Notice } from './notice.tsx';
import { problemWords } from './problem-words.ts';
import { useWorded } from './said.tsx';

/** One submission at a time: whether it is under way, and what the last one was refused with. */
export function useSubmission() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { busy, error, run };
}

/** Why a form was refused. `unauthorized`: what a 401 means here. */
export function Refusal({ error, unauthorized }: { error: unknown; unauthorized?: string }) {
  const words = useWords(problemWords);
  const textOf = useProblemText();
  const problem = asProblem(error);
  const isUnauthorized = error instanceof ApiError && error.status === 401 && unauthorized !== undefined;
  const isLimited = problem.status === 429 && problem.retryAfterSeconds !== undefined;
  return (
    <div role="alert">
      <Notice tone="failed">
        {isUnauthorized && unauthorized}
        {isLimited && words.tooMany(problem.retryAfterSeconds!)}
        {!isUnauthorized && !isLimited && textOf(error)}
        {!isUnauthorized && !isLimited && <Detail problem={problem} />}
      </Notice>
    </div>
  );
}

/** The server's message, which says more than its code. */
function Detail({ problem: { message } }: { problem: Problem }) {
  const known = useWorded()(message);
  if (message === '' || known === '') return null;
  return <p>{known ?? <span lang="en">{visible(message)}</span>}</p>;
}

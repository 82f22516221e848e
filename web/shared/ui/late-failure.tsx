import { lazy, Suspense } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import type { FailureProps } from './failure.tsx';
import { Empty, Skeleton } from './states.tsx';
import { uiWords } from './words.ts';

const Failure = lazy(() =>
  import('./failure.tsx').then(
    (module) => ({ default: module.Failure }),
    () => ({ default: Unloadable }),
  ),
);

/** A failure before there is a page: what says it is loaded only then, if the server lets it. */
export function LateFailure(props: FailureProps) {
  return (
    <Suspense fallback={<Skeleton />}>
      <Failure {...props} />
    </Suspense>
  );
}

function Unloadable({ onRetry }: FailureProps) {
  const words = useWords(uiWords);
  return (
    <Empty title={words.unloadable} action={<Button onClick={() => onRetry?.()}>{words.retry}</Button>} />
  );
}

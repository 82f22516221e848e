import { lazy, Suspense } from 'react';
import { useWords } from '../words/use-words.ts';
import { Button } from './button.tsx';
import type { FailureProps } from './failure.tsx';
import { PageHeading } from './heading.tsx';
import { Stack } from './layout.tsx';
import { Skeleton } from './states.tsx';
import { uiWords } from './words.ts';

const Failure = lazy(() =>
  import('./failure.tsx').then(
    (module) => ({ default: module.Failure }),
    () => ({ default: PageUnloadable }),
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

/** A part of the application failed to load, or the server lost it when another version was installed. */
export function PageUnloadable() {
  const words = useWords(uiWords);
  return (
    <Stack>
      <PageHeading title={words.unloadable} lead={words.unloadableText} />
      <div>
        <Button onClick={() => location.reload()}>{words.reload}</Button>
      </div>
    </Stack>
  );
}

import { useContext } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { PageHeading } from '../ui/heading.tsx';
import { LateFailure, PageUnloadable } from '../ui/late-failure.tsx';
import { Stack } from '../ui/layout.tsx';
import { PartContext } from '../ui/part.ts';
import { Skeleton } from '../ui/states.tsx';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import { OpenPage } from './open-frame.tsx';

/** The name of both applications: a page that does not exist cannot tell which it is. */
const PRODUCT = 'Acuse';

export function PageLoading() {
  const part = useContext(PartContext);
  return (
    <>
      {part !== null && <PageHeading awaited title={part} />}
      <Skeleton rows={8} />
    </>
  );
}

export function PageFailed({ error }: { error: unknown }) {
  if (error instanceof TypeError && /import|module/i.test(error.message)) return <PageUnloadable />;
  return <LateFailure whole error={error} onRetry={() => location.reload()} />;
}

/** In the place of what stands around pages. */
export function FrameFailed(props: { error: unknown }) {
  return (
    <OpenPage name={PRODUCT}>
      <PageFailed {...props} />
    </OpenPage>
  );
}

export function PageMissing() {
  const words = useWords(uiWords);
  return (
    <OpenPage name={PRODUCT}>
      <Stack>
        <PageHeading title={words.missingTitle} lead={words.missingText} />
        <ButtonLink to="/">{words.home}</ButtonLink>
      </Stack>
    </OpenPage>
  );
}

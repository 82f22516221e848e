import { Button, ButtonLink } from '../ui/button.tsx';
import { PageHeading } from '../ui/heading.tsx';
import { LateFailure } from '../ui/late-failure.tsx';
import { Stack } from '../ui/layout.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { uiWords } from '../ui/words.ts';
import { useWords } from '../words/use-words.ts';
import { OpenPage } from './open-frame.tsx';

/** Of both applications: which one it is, a page that does not exist cannot tell. */
const PRODUCT = 'Acuse';

/** What stands in the place of a page that is coming, that failed, or that does not exist. */

export function PageLoading() {
  return <Skeleton rows={8} />;
}

export function PageFailed({ error }: { error: unknown }) {
  const words = useWords(uiWords);
  // A part of the page that is gone from the server: another version was installed meanwhile.
  if (error instanceof TypeError && /import|module/i.test(error.message))
    return (
      <Empty
        title={words.newVersion}
        action={<Button onClick={() => location.reload()}>{words.reload}</Button>}
      />
    );
  return <LateFailure error={error} onRetry={() => location.reload()} />;
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

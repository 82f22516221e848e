import { useState } from 'react';
import { ApiError } from '../../../../shared/api/error.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useLinkSecret } from '../../../../shared/app/link-secret.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { refuseWords } from './words.ts';

/** Refuses an invitation by a button: programs that look into mail follow links, but press nothing. */
function RefusePage() {
  const words = useWords(refuseWords);
  const api = useApi();
  const secret = useLinkSecret();
  const [refused, setRefused] = useState(false);
  const { busy, error, run } = useSubmission();
  const isSpent = error instanceof ApiError && error.status === 422;
  const refuse = () =>
    run(async () => {
      await api.call('POST', '/invitation-refusals', { body: { link: secret }, unchallenged: true });
      setRefused(true);
    });
  if (refused)
    return (
      <Stack>
        <PageHeading title={words.title} />
        <Notice tone="sent" live>
          {words.done}
        </Notice>
      </Stack>
    );
  return (
    <Stack>
      <PageHeading title={words.title} lead={words.lead} />
      <p>{words.after}</p>
      {secret === '' && <Notice tone="failed">{words.missing}</Notice>}
      {isSpent && <Notice tone="failed">{words.spent}</Notice>}
      {error !== null && !isSpent && <Refusal error={error} />}
      <Button
        kind="primary"
        wide
        busy={busy}
        unavailable={secret === '' ? words.missing : null}
        onClick={refuse}
      >
        {words.refuse}
      </Button>
    </Stack>
  );
}

export const page = definePage({
  path: '/refuse',
  search: {},
  title: (language) => refuseWords[language].title,
  Page: RefusePage,
});

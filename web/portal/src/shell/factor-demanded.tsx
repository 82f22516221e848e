import { useQueryClient } from '@tanstack/react-query';
import { FactorSetup } from '../../../shared/app/factor-setup.tsx';
import { useMe } from '../../../shared/app/me.tsx';
import { PageHeading } from '../../../shared/ui/heading.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { portalWords } from './words.ts';

/** In place of every page of an account that demands what this person has not set up yet. */
export default function FactorDemanded() {
  const words = useWords(portalWords);
  const { account } = useMe();
  const queryClient = useQueryClient();
  return (
    <>
      <PageHeading title={words.factorTitle} lead={words.factorMissing(account?.name ?? '')} />
      <FactorSetup
        path="/user/totp"
        kind="primary"
        onDone={() => {
          // All that was asked for so far was refused.
          void queryClient.resetQueries();
        }}
      />
    </>
  );
}

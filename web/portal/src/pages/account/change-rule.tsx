import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AccountPolicy } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { keepAnswer } from '../../../../shared/app/keep-answer.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { policyQuery, withoutFactorQuery } from './queries.ts';
import { accountWords } from './words.ts';

/** Asks before people are shut out, or a password alone is enough; says how many it meets. */
export default function ChangeRule({ required, onClose }: { required: boolean; onClose: () => void }) {
  const words = useWords(accountWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const query = useQuery({ ...withoutFactorQuery(api), enabled: required });
  const { busy, error, run } = useSubmission();
  const change = () =>
    run(async () => {
      const body = { require_second_factor: required };
      const policy = await api.call<AccountPolicy>('PATCH', '/settings', { body });
      keepAnswer(queryClient, policyQuery(api).queryKey, policy);
      toast(required ? words.nowRequired : words.nowReleased);
      onClose();
    });
  return (
    <Confirm
      title={required ? words.requireTitle : words.releaseTitle}
      action={required ? words.require : words.release}
      busy={busy}
      onConfirm={change}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{required ? words.requireText : words.releaseText}</p>
      {required && (
        <Loaded query={query} rows={1}>
          {(without) =>
            without === null ? null : <p>{without === 0 ? words.withoutNone : words.without(without)}</p>
          }
        </Loaded>
      )}
    </Confirm>
  );
}

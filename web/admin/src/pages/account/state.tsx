import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, Pencil, Play } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Tenant } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { changeTenant } from './queries.ts';
import { accountWords } from './words.ts';

const EditAccount = lazy(() => import('./edit.tsx'));
const StopAccount = lazy(() => import('./stop.tsx'));

export function StateActions({ tenant }: { tenant: Tenant }) {
  const words = useWords(accountWords);
  const can = useCan();
  const [asked, setAsked] = useState<'edit' | 'stop' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Button icon={Pencil} unavailable={can.administer} onClick={() => setAsked('edit')}>
        {words.edit}
      </Button>
      {tenant.status === 'active' ? (
        <Button icon={Ban} unavailable={can.administer} onClick={() => setAsked('stop')}>
          {words.suspend}
        </Button>
      ) : (
        <Reopen tenant={tenant} />
      )}
      <Suspense>
        {asked === 'edit' && <EditAccount tenant={tenant} onClose={close} />}
        {asked === 'stop' && <StopAccount tenant={tenant} onClose={close} />}
      </Suspense>
    </>
  );
}

function Reopen({ tenant: { id, name } }: { tenant: Tenant }) {
  const words = useWords(accountWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const reopen = useMutation({
    mutationFn: () => changeTenant(api, id, { status: 'active' }),
    onSuccess: () => toast(words.reopened(name)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['tenants'] }),
  });
  return (
    <>
      <Button
        kind="primary"
        icon={Play}
        unavailable={can.administer}
        busy={reopen.isPending}
        onClick={() => reopen.mutate()}
      >
        {words.reopen}
      </Button>
      {reopen.error !== null && <Refusal error={reopen.error} />}
    </>
  );
}

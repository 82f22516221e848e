import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Domain } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { keepAnswer } from '../../../../shared/app/keep-answer.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { useGo } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm, Dialog } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { domainQuery, sendersOfQuery } from './queries.ts';
import { domainPageWords } from './words.ts';

interface Props {
  readonly domain: Domain;
  readonly onClose: () => void;
}

/** Loaded when somebody asks for one. */
export default function DomainDialog({ asking, ...props }: Props & { asking: 'rotate' | 'delete' }) {
  return asking === 'rotate' ? <RotateKeys {...props} /> : <DeleteDomain {...props} />;
}

function RotateKeys({ domain: { id, name }, onClose }: Props) {
  const words = useWords(domainPageWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const rotate = () =>
    run(async () => {
      const rotated = await api.call<Domain>('POST', `/domains/${id}/rotate-dkim`);
      keepAnswer(queryClient, domainQuery(api, id).queryKey, rotated);
      toast(words.rotated);
      onClose();
    });
  return (
    <Confirm
      title={words.rotateTitle(name)}
      action={words.rotate}
      busy={busy}
      onConfirm={rotate}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.rotateText}</p>
      <p>{words.rotateKeep}</p>
    </Confirm>
  );
}

/** The loss is final, so the name must be typed. */
function DeleteDomain({ domain: { id, name }, onClose }: Props) {
  const words = useWords(domainPageWords);
  const ui = useWords(uiWords);
  const format = useFormat();
  const api = useApi();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const senders = useQuery(sendersOfQuery(api, id));
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const isRight = typed.trim().toLowerCase() === name;
  const remove = () => {
    setAsked(true);
    if (!isRight) return;
    run(async () => {
      await api.call('DELETE', `/domains/${id}`);
      toast(words.removed(name));
      go('/domains', { replace: true });
      queryClient.removeQueries({ queryKey: ['domains', 'one', id] });
      void queryClient.invalidateQueries({ queryKey: ['domains', 'list'] });
      void queryClient.invalidateQueries({ queryKey: ['domains', 'all'] });
      void queryClient.invalidateQueries({ queryKey: ['senders'] });
    });
  };
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="danger" type="submit" busy={busy}>
        {words.remove}
      </Button>
    </>
  );
  return (
    <Dialog title={words.removeTitle(name)} foot={foot} onSubmit={remove} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <p>{words.removeText}</p>
      <Loaded query={senders} rows={1}>
        {({ data, next_cursor: next }) => {
          const count = format.number(data.length);
          return (
            data.length > 0 && <p>{words.removeSenders(next === null ? count : words.removeMany(count))}</p>
          );
        }}
      </Loaded>
      <TextField
        label={words.removeType(name)}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        error={asked && !isRight ? words.removeDiffers : null}
      />
    </Dialog>
  );
}

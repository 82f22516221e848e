import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { SESSION_KEY } from '../../../../shared/app/session.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { RoleField } from './role-field.tsx';
import { peopleWords } from './words.ts';

interface Props {
  readonly member: Member;
  readonly onClose: () => void;
}

/** A change of one person, and what it was refused with. Of oneself, it changes the session as well. */
function useChange({ member, onClose }: Props) {
  const { session } = useMe();
  const queryClient = useQueryClient();
  const toast = useToast();
  const { busy, error, run } = useSubmission();
  const isSelf = member.id === session.user.id;
  const change = (work: () => Promise<unknown>, done: string) =>
    run(async () => {
      await work();
      toast(done);
      onClose();
      void queryClient.invalidateQueries({ queryKey: isSelf ? SESSION_KEY : ['members'] });
    });
  return { busy, error, change, isSelf };
}

export function ChangeRole({ member, onClose }: Props) {
  const words = useWords(peopleWords);
  const api = useApi();
  const [role, setRole] = useState(member.role);
  const { busy, error, change, isSelf } = useChange({ member, onClose });
  const who = member.name ?? member.email;
  const save = () => {
    if (role === member.role) return onClose();
    const work = () => api.call('PATCH', `/members/${member.id}`, { body: { role } });
    change(work, words.roleSaved(who, words.roles[role]));
  };
  return (
    <Confirm
      title={words.changeRoleOf(who)}
      action={words.saveRole}
      busy={busy}
      onConfirm={save}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <RoleField value={role} onChange={setRole} />
      {isSelf && role !== 'owner' && <Notice tone="waiting">{words.demoteSelf}</Notice>}
    </Confirm>
  );
}

export function RemoveMember({ member, onClose }: Props) {
  const words = useWords(peopleWords);
  const api = useApi();
  const { busy, error, change, isSelf } = useChange({ member, onClose });
  const who = member.name ?? member.email;
  const text = member.state === 'invited' ? words.withdrawText : words.removeText;
  return (
    <Confirm
      title={words.removeTitle(who)}
      action={words.remove}
      danger
      busy={busy}
      onConfirm={() => change(() => api.call('DELETE', `/members/${member.id}`), words.removed(who))}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{isSelf ? words.removeSelf : text}</p>
    </Confirm>
  );
}

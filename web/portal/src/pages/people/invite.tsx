import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitedMember, Member } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm, Dialog } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { CodeBlock } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { uiWords } from '../../../../shared/ui/words.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { RoleField } from './role-field.tsx';
import { peopleWords } from './words.ts';

/** Invites, then says how the link gets to the person: by mail, by hand, or that none is needed. */
function useInvitation(onClose: () => void) {
  const words = useWords(peopleWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const submission = useSubmission();
  const showOnce = useShowOnce();
  const invite = (email: string, role: Member['role']) =>
    submission.run(async () => {
      const made = await api.call<InvitedMember>('POST', '/members', { body: { email, role } });
      void queryClient.invalidateQueries({ queryKey: ['members'] });
      void queryClient.invalidateQueries({ queryKey: ['onboarding'] });
      onClose();
      if (made.link !== null) await showOnce((done) => <HandOver made={made} onClose={done} />);
      else toast(made.state === 'active' ? words.added(made.email) : words.mailed(made.email));
    });
  return { ...submission, invite };
}

/** `known`: the people of the account, so far as they were read. */
export function Invite({ known, onClose }: { known: readonly Member[]; onClose: () => void }) {
  const words = useWords(peopleWords);
  const ui = useWords(uiWords);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Member['role']>('developer');
  const [asked, setAsked] = useState(false);
  const { busy, error, invite } = useInvitation(onClose);
  const wrong = wrongWith(email.trim().toLowerCase());
  const submit = () => {
    setAsked(true);
    if (wrong === null) invite(email.trim(), role);
  };
  function wrongWith(address: string): string | null {
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) return words.needsEmail;
    const isMember = known.some((each) => each.state === 'active' && each.email.toLowerCase() === address);
    return isMember ? words.known : null;
  }
  const foot = (
    <>
      <Button onClick={onClose}>{ui.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {words.sendInvitation}
      </Button>
    </>
  );
  return (
    <Dialog title={words.invite} foot={foot} onSubmit={submit} onClose={onClose}>
      {error !== null && <Refusal error={error} />}
      <TextField
        label={words.email}
        hint={words.emailHint}
        inputMode="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        error={asked ? wrong : null}
      />
      <RoleField value={role} onChange={setRole} />
    </Dialog>
  );
}

/** A new link for somebody who has not come yet. */
export function InviteAgain({ member, onClose }: { member: Member; onClose: () => void }) {
  const words = useWords(peopleWords);
  const { busy, error, invite } = useInvitation(onClose);
  return (
    <Confirm
      title={words.inviteAgainOf(member.email)}
      action={words.inviteAgain}
      busy={busy}
      onConfirm={() => invite(member.email, member.role)}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      <p>{words.inviteAgainText}</p>
    </Confirm>
  );
}

function HandOver({ made, onClose }: { made: InvitedMember; onClose: () => void }) {
  const words = useWords(peopleWords);
  const format = useFormat();
  const { url, expires_at: until } = made.link!;
  const foot = (
    <Button kind="primary" onClick={onClose}>
      {words.done}
    </Button>
  );
  // Without a cross: a slip must not lose it.
  return (
    <Dialog title={words.linkTitle} foot={foot} wide>
      <Notice tone="waiting">{words.linkText(made.email, format.dateTime(until))}</Notice>
      <CodeBlock text={url} label={words.link} />
    </Dialog>
  );
}

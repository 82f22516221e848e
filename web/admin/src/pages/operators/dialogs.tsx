import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { LinkedOperator, Operator, OperatorRole } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { HandOver } from '../../parts/hand-over.tsx';
import type { Asked } from './asked.ts';
import { changeRole, inviteOperator, linkOperator, removeOperator, resetFactor } from './queries.ts';
import { operatorsWords } from './words.ts';

const ROLES = ['admin', 'support'] as const satisfies readonly OperatorRole[];

export default function Dialogs({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const showOnce = useShowOnce();
  const hand = (made: LinkedOperator) => {
    onClose();
    void showOnce((done) => <Handed made={made} onClose={done} />);
  };
  if (asked.what === 'invite') return <Invite onMade={hand} onClose={onClose} />;
  const { what, operator } = asked;
  if (what === 'link') return <MakeLink operator={operator} onMade={hand} onClose={onClose} />;
  if (what === 'role') return <ChangeRole operator={operator} onClose={onClose} />;
  if (what === 'reset') return <Reset operator={operator} onClose={onClose} />;
  return <Remove operator={operator} onClose={onClose} />;
}

function Handed({ made: { operator, link }, onClose }: { made: LinkedOperator; onClose: () => void }) {
  const words = useWords(operatorsWords);
  const format = useFormat();
  return (
    <HandOver
      title={words.linkTitle}
      text={words.linkText(operator.email, format.dateTime(link.expires_at))}
      url={link.url}
      onClose={onClose}
    />
  );
}

/** One at a time; afterwards the list is asked for again. */
function useChange() {
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const change = (work: () => Promise<void>) =>
    run(async () => {
      await work();
      void queryClient.invalidateQueries({ queryKey: ['operators'] });
    });
  return { busy, change, refusal: error !== null && <Refusal error={error} /> };
}

interface MakesLink {
  readonly onMade: (made: LinkedOperator) => void;
  readonly onClose: () => void;
}

function Invite({ onMade, onClose }: MakesLink) {
  const words = useWords(operatorsWords);
  const api = useApi();
  const { busy, change, refusal } = useChange();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<OperatorRole>('support');
  const [asked, setAsked] = useState(false);
  const isEmail = /^\S+@\S+$/.test(email.trim());
  const submit = () => {
    setAsked(true);
    if (!isEmail) return;
    const given = name.trim() === '' ? {} : { name: name.trim() };
    change(async () => onMade(await inviteOperator(api, { email: email.trim(), ...given, role })));
  };
  return (
    <Confirm title={words.invite} action={words.invite} busy={busy} onConfirm={submit} onClose={onClose}>
      <TextField
        label={words.email}
        hint={words.emailHint}
        type="email"
        inputMode="email"
        value={email}
        onChange={setEmail}
        error={asked && !isEmail ? words.needsEmail : null}
        autoComplete="off"
      />
      <TextField label={words.name} value={name} onChange={setName} autoComplete="off" />
      <RoleField value={role} onChange={setRole} />
      {refusal}
    </Confirm>
  );
}

function RoleField({ value, onChange }: { value: OperatorRole; onChange: (role: OperatorRole) => void }) {
  const words = useWords(operatorsWords);
  return (
    <SelectField
      label={words.role}
      hint={words.roleTexts[value]}
      value={value}
      choices={ROLES.map((role) => ({ value: role, label: words.roles[role] }))}
      onChange={onChange}
    />
  );
}

function MakeLink({ operator, onMade, onClose }: MakesLink & { operator: Operator }) {
  const words = useWords(operatorsWords);
  const api = useApi();
  const { busy, change, refusal } = useChange();
  return (
    <Confirm
      title={words.makeLinkTitle(nameOf(operator))}
      action={words.makeLink}
      busy={busy}
      onConfirm={() => change(async () => onMade(await linkOperator(api, operator.id)))}
      onClose={onClose}
    >
      <p>{words.makeLinkLead}</p>
      {refusal}
    </Confirm>
  );
}

interface OfOne {
  readonly operator: Operator;
  readonly onClose: () => void;
}

function ChangeRole({ operator, onClose }: OfOne) {
  const words = useWords(operatorsWords);
  const api = useApi();
  const toast = useToast();
  const { session } = useMe();
  const { busy, change, refusal } = useChange();
  const [role, setRole] = useState(operator.role);
  const isSelf = operator.id === session.user.id;
  const submit = () =>
    change(async () => {
      await changeRole(api, operator.id, role);
      toast(words.roleSaved(nameOf(operator), words.roles[role]));
      onClose();
    });
  return (
    <Confirm
      title={words.changeRoleOf(nameOf(operator))}
      action={words.changeRole}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
      {isSelf && role === 'support' && <Notice tone="waiting">{words.demoteSelf}</Notice>}
      {refusal}
    </Confirm>
  );
}

function Reset({ operator, onClose }: OfOne) {
  const words = useWords(operatorsWords);
  const api = useApi();
  const who = nameOf(operator);
  return (
    <Sure
      texts={[words.resetTitle(who), words.reset, words.resetDone(who)]}
      work={() => resetFactor(api, operator.id)}
      onClose={onClose}
    >
      <p>{words.resetLead}</p>
    </Sure>
  );
}

function Remove({ operator, onClose }: OfOne) {
  const words = useWords(operatorsWords);
  const api = useApi();
  const { session } = useMe();
  const who = nameOf(operator);
  return (
    <Sure
      texts={[words.removeTitle(who), words.remove, words.removed(who)]}
      work={() => removeOperator(api, operator.id)}
      onClose={onClose}
    >
      <p>{words.removeLead}</p>
      {operator.id === session.user.id && <Notice tone="waiting">{words.removeSelf}</Notice>}
    </Sure>
  );
}

interface SureProps {
  /** Question, what the button does, and what is said afterwards. */
  readonly texts: readonly [string, string, string];
  readonly work: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Sure({ texts: [title, action, said], work, onClose, children }: SureProps) {
  const toast = useToast();
  const { busy, change, refusal } = useChange();
  const submit = () =>
    change(async () => {
      await work();
      toast(said);
      onClose();
    });
  return (
    <Confirm title={title} action={action} danger busy={busy} onConfirm={submit} onClose={onClose}>
      {children}
      {refusal}
    </Confirm>
  );
}

function nameOf({ name, email }: Operator): string {
  return name ?? email;
}

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import type { Member, MemberRole, TenantMemberLink } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useShowOnce } from '../../../../shared/app/once.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { HandOver } from '../../parts/hand-over.tsx';
import { Listed } from '../../parts/listed.tsx';
import classes from './page.module.css';
import { partsWords } from './parts-words.ts';
import { addMember, membersQuery } from './queries.ts';
import type { TabProps } from './tab.ts';

const COLUMNS = [
  ...['id', 'email', 'name', 'role', 'state', 'has_second_factor', 'created_at'],
  'invitation_expires_at',
];

export default function PeopleTab({ tenant: { id } }: TabProps) {
  const words = useWords(partsWords);
  const can = useCan();
  const list = useInfiniteQuery(membersQuery(useApi(), id));
  const [asking, setAsking] = useState(false);
  const columns = useColumns();
  return (
    <>
      <div className={classes['above']}>
        <p>{words.peopleLead}</p>
        <div className={classes['buttons']}>
          <ExportButton name="account-people" path={`/tenants/${id}/members`} query={{}} columns={COLUMNS} />
          <Button kind="primary" icon={Link2} unavailable={can.administer} onClick={() => setAsking(true)}>
            {words.makeLink}
          </Button>
        </div>
      </div>
      <Listed list={list} rows={4} empty={<Empty title={words.nobodyTitle}>{words.nobody}</Empty>}>
        {(members) => (
          <Table
            unfolds
            label={words.people}
            columns={columns}
            rows={members}
            rowKey={({ id: key }) => key}
          />
        )}
      </Listed>
      {asking && <MakeLink tenantId={id} onClose={() => setAsking(false)} />}
    </>
  );
}

function useColumns(): readonly Column<Member>[] {
  const words = useWords(partsWords);
  const format = useFormat();
  return [
    {
      id: 'person',
      phone: 'lead',
      head: words.person,
      main: true,
      cell: ({ name, email }) => (
        <div className={classes['person']}>
          <strong translate="no">
            <Foreign text={name ?? email} />
          </strong>
          {name !== null && (
            <span className={classes['quiet']}>
              <Foreign text={email} />
            </span>
          )}
        </div>
      ),
    },
    { id: 'role', phone: 'below', head: words.role, cell: ({ role }) => words.roles[role] },
    {
      id: 'state',
      phone: 'mark',
      head: words.signIn,
      cell: ({ state, invitation_expires_at: until }) =>
        state === 'active' ? (
          <Status tone="sent">{words.active}</Status>
        ) : (
          <div className={classes['person']}>
            <Status tone="waiting">{words.invited}</Status>
            {until !== null && (
              <span className={classes['quiet']}>{words.invitedUntil(format.date(until))}</span>
            )}
          </div>
        ),
    },
    {
      id: 'factor',
      head: words.factor,
      cell: ({ has_second_factor: has }) => (
        <Status tone={has ? 'sent' : 'neutral'}>{has ? words.on : words.off}</Status>
      ),
    },
    {
      id: 'since',
      head: words.since,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
  ];
}

const ROLES = ['owner', 'developer', 'viewer'] as const satisfies readonly MemberRole[];

function Handed({ made, onClose }: { made: TenantMemberLink; onClose: () => void }) {
  const words = useWords(partsWords);
  const format = useFormat();
  const { email, link } = made;
  return (
    <HandOver
      title={words.linkTitle}
      text={words.linkText(email, format.dateTime(link.expires_at))}
      url={link.url}
      onClose={onClose}
    />
  );
}

function MakeLink({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const words = useWords(partsWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const showOnce = useShowOnce();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<MemberRole>('owner');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const isEmail = /^\S+@\S+$/.test(email.trim());
  const submit = () => {
    setAsked(true);
    if (!isEmail) return;
    run(async () => {
      const given = name.trim() === '' ? {} : { name: name.trim() };
      const made = await addMember(api, tenantId, { email: email.trim(), ...given, role });
      void queryClient.invalidateQueries({ queryKey: ['tenants', tenantId] });
      onClose();
      await showOnce((done) => <Handed made={made} onClose={done} />);
    });
  };
  return (
    <Confirm title={words.makeLink} action={words.makeLink} busy={busy} onConfirm={submit} onClose={onClose}>
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
      <SelectField
        label={words.role}
        hint={words.roleTexts[role]}
        value={role}
        choices={ROLES.map((value) => ({ value, label: words.roles[value] }))}
        onChange={setRole}
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { Pencil, RotateCw, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { isPast } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { LoadedPages } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { ChangeRole, RemoveMember } from './change.tsx';
import { Invite, InviteAgain } from './invite.tsx';
import classes from './page.module.css';
import { membersQuery } from './queries.ts';
import { peopleWords } from './words.ts';

type Asked =
  | { readonly what: 'invite'; readonly member: null }
  | { readonly what: 'again' | 'role' | 'remove'; readonly member: Member };

const COLUMNS = [
  ...['id', 'email', 'name', 'role', 'state', 'has_second_factor', 'created_at', 'invitation_expires_at'],
];

function PeoplePage() {
  const words = useWords(peopleWords);
  const can = useCan();
  const [asked, setAsked] = useState<Asked | null>(null);
  const invite = (
    <Button
      kind="primary"
      icon={UserPlus}
      unavailable={can.manageAccount}
      onClick={() => setAsked({ what: 'invite', member: null })}
    >
      {words.invite}
    </Button>
  );
  const actions = (
    <>
      <ExportButton
        name="people"
        path="/members"
        query={{}}
        columns={COLUMNS}
        unavailable={can.manageAccount}
      />
      {invite}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      {can.manageAccount === null ? (
        <People asked={asked} onAsk={setAsked} />
      ) : (
        <Empty title={words.ownersTitle}>{words.owners}</Empty>
      )}
    </>
  );
}

function People({ asked, onAsk }: { asked: Asked | null; onAsk: (asked: Asked | null) => void }) {
  const words = useWords(peopleWords);
  const list = useInfiniteQuery(membersQuery(useApi()));
  const close = () => onAsk(null);
  const known = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <LoadedPages query={list} rows={4}>
        {(members) => (
          <>
            <MemberTable members={members} isWhole={!list.hasNextPage} onAsk={onAsk} />
            <Pager
              onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
              busy={list.isFetchingNextPage}
            >
              {members.length === 1 && words.alone}
            </Pager>
          </>
        )}
      </LoadedPages>
      {asked?.what === 'invite' && <Invite known={known} onClose={close} />}
      {asked?.what === 'again' && <InviteAgain member={asked.member} onClose={close} />}
      {asked?.what === 'role' && <ChangeRole member={asked.member} onClose={close} />}
      {asked?.what === 'remove' && <RemoveMember member={asked.member} onClose={close} />}
    </>
  );
}

interface MemberTableProps {
  readonly members: readonly Member[];
  /** Nobody is on a further page. */
  readonly isWhole: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function MemberTable({ members, isWhole, onAsk }: MemberTableProps) {
  const words = useWords(peopleWords);
  const { session } = useMe();
  const owners = members.filter(({ role, state }) => role === 'owner' && state === 'active');
  const keepsLastOwner = ({ id }: Member) =>
    isWhole && owners.length === 1 && owners[0]!.id === id ? words.lastOwner : null;
  const columns: readonly Column<Member>[] = [
    {
      id: 'person',
      phone: 'lead',
      head: words.person,
      cell: (member) => <Person member={member} isSelf={member.id === session.user.id} />,
      main: true,
    },
    { id: 'role', phone: 'below', head: words.role, cell: ({ role }) => words.roles[role] },
    { id: 'state', phone: 'mark', head: words.state, cell: (member) => <State member={member} /> },
    {
      id: 'factor',
      head: words.factor,
      cell: ({ has_second_factor: has }) => (
        <Status tone={has ? 'sent' : 'neutral'}>{has ? words.factorOn : words.factorOff}</Status>
      ),
    },
    {
      id: 'since',
      head: words.since,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (member) => <MemberActions member={member} unavailable={keepsLastOwner(member)} onAsk={onAsk} />,
    },
  ];
  return <Table unfolds label={words.title} columns={columns} rows={members} rowKey={({ id }) => id} />;
}

function Person({ member: { name, email }, isSelf }: { member: Member; isSelf: boolean }) {
  const words = useWords(peopleWords);
  return (
    <div className={classes['person']}>
      <span>
        <strong>
          <Foreign text={name ?? email} />
        </strong>
        {isSelf && <span className={classes['self']}>{words.you}</span>}
      </span>
      {name !== null && (
        <span className={classes['quiet']}>
          <Foreign text={email} />
        </span>
      )}
    </div>
  );
}

function State({ member: { state, invitation_expires_at: until } }: { member: Member }) {
  const words = useWords(peopleWords);
  const format = useFormat();
  if (state === 'active') return <Status tone="sent">{words.active}</Status>;
  const isOver = until === null || isPast(until);
  return (
    <div className={`${classes['person']} ${classes['state']}`}>
      <Status tone={isOver ? 'failed' : 'waiting'}>{words.invited}</Status>
      <span className={classes['quiet']}>
        {isOver ? words.invitationOver : words.invitedUntil(format.date(until))}
      </span>
    </div>
  );
}

interface MemberActionsProps {
  readonly member: Member;
  /** Why neither role nor membership can be changed. */
  readonly unavailable: string | null;
  readonly onAsk: (asked: Asked) => void;
}

function MemberActions({ member, unavailable, onAsk }: MemberActionsProps) {
  const words = useWords(peopleWords);
  const who = nameOf(member);
  return (
    <div className={classes['actions']}>
      {member.state === 'invited' && (
        <Button
          kind="icon"
          icon={RotateCw}
          label={words.inviteAgainOf(who)}
          onClick={() => onAsk({ what: 'again', member })}
        />
      )}
      <Button
        kind="icon"
        icon={Pencil}
        label={words.changeRoleOf(who)}
        unavailable={unavailable}
        onClick={() => onAsk({ what: 'role', member })}
      />
      <Button
        kind="icon"
        icon={Trash2}
        label={words.removeOf(who)}
        unavailable={unavailable}
        onClick={() => onAsk({ what: 'remove', member })}
      />
    </div>
  );
}

function nameOf({ name, email }: Member): string {
  return name ?? email;
}

export const page = definePage({
  path: '/people',
  search: {},
  title: (language) => peopleWords[language].title,
  Page: PeoplePage,
});

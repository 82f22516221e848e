import { useInfiniteQuery } from '@tanstack/react-query';
import { Link2, Pencil, ShieldOff, Trash2, UserPlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Operator } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useMe } from '../../../../shared/app/me.tsx';
import { definePage } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { Listed } from '../../parts/listed.tsx';
import type { Asked } from './asked.ts';
import classes from './page.module.css';
import { operatorsQuery } from './queries.ts';
import { operatorsWords } from './words.ts';

const COLUMNS = ['id', 'email', 'name', 'role', 'has_password', 'has_totp', 'has_passkeys', 'created_at'];

const Dialogs = lazy(() => import('./dialogs.tsx'));

function OperatorsPage() {
  const words = useWords(operatorsWords);
  const can = useCan();
  const list = useInfiniteQuery(operatorsQuery(useApi()));
  const [asked, setAsked] = useState<Asked | null>(null);
  const invite = (
    <Button
      kind="primary"
      icon={UserPlus}
      unavailable={can.administer}
      onClick={() => setAsked({ what: 'invite', operator: null })}
    >
      {words.invite}
    </Button>
  );
  const actions = (
    <>
      <ExportButton name="operators" path="/operators" query={{}} columns={COLUMNS} />
      {invite}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <Listed list={list} rows={4} empty={null}>
        {(operators) => <Operators operators={operators} isWhole={!list.hasNextPage} onAsk={setAsked} />}
      </Listed>
      <Suspense>{asked !== null && <Dialogs asked={asked} onClose={() => setAsked(null)} />}</Suspense>
    </>
  );
}

interface OperatorsProps {
  readonly operators: readonly Operator[];
  /** Nobody is on a further page. */
  readonly isWhole: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function Operators({ operators, isWhole, onAsk }: OperatorsProps) {
  const words = useWords(operatorsWords);
  const { session } = useMe();
  const admins = operators.filter(({ role }) => role === 'admin');
  const isLast = ({ id }: Operator) => isWhole && admins.length === 1 && admins[0]!.id === id;
  const mark = (has: boolean, [yes, no]: readonly [string, string]) => (
    <Status tone={has ? 'sent' : 'neutral'}>{has ? yes : no}</Status>
  );
  const columns: readonly Column<Operator>[] = [
    {
      id: 'person',
      phone: 'lead',
      head: words.person,
      main: true,
      cell: ({ id, name, email }) => (
        <div className={classes['person']}>
          <span>
            <strong translate="no">
              <Foreign text={name ?? email} />
            </strong>
            {id === session.user.id && <span className={classes['quiet']}>{words.you}</span>}
          </span>
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
      id: 'password',
      head: words.password,
      cell: ({ has_password: has }) => mark(has, [words.set, words.unset]),
    },
    {
      id: 'factor',
      head: words.factor,
      cell: (operator) => mark(hasFactor(operator), [words.on, words.off]),
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
      cell: (operator) => <Actions operator={operator} isLast={isLast(operator)} onAsk={onAsk} />,
    },
  ];
  return <Table unfolds label={words.title} columns={columns} rows={operators} rowKey={({ id }) => id} />;
}

function hasFactor({ has_totp: codes, has_passkeys: passkeys }: Operator): boolean {
  return codes || passkeys;
}

interface ActionsProps {
  readonly operator: Operator;
  /** The last admin. */
  readonly isLast: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function Actions({ operator, isLast, onAsk }: ActionsProps) {
  const words = useWords(operatorsWords);
  const { administer } = useCan();
  const { session } = useMe();
  const who = operator.name ?? operator.email;
  const lastAdmin = isLast ? words.lastAdmin : null;
  const noReset = hasFactor(operator) ? null : words.noFactor;
  const isSelf = operator.id === session.user.id;
  return (
    <div className={classes['actions']}>
      <Button
        kind="icon"
        icon={Pencil}
        label={words.changeRoleOf(who)}
        unavailable={administer ?? lastAdmin}
        onClick={() => onAsk({ what: 'role', operator })}
      />
      <Button
        kind="icon"
        icon={Link2}
        label={words.makeLinkFor(who)}
        unavailable={administer}
        onClick={() => onAsk({ what: 'link', operator })}
      />
      <Button
        kind="icon"
        icon={ShieldOff}
        label={words.resetOf(who)}
        unavailable={administer ?? noReset ?? (isSelf ? words.ownFactor : null)}
        onClick={() => onAsk({ what: 'reset', operator })}
      />
      <Button
        kind="icon"
        icon={Trash2}
        label={words.removeOf(who)}
        unavailable={administer ?? lastAdmin}
        onClick={() => onAsk({ what: 'remove', operator })}
      />
    </div>
  );
}

export const page = definePage({
  path: '/operators',
  search: {},
  title: (language) => operatorsWords[language].title,
  Page: OperatorsPage,
});

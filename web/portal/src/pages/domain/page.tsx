import { useQuery } from '@tanstack/react-query';
import { RotateCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Domain } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { oneOf } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { recordsFound } from '../../parts/domain-queries.ts';
import { DomainStatusMark } from '../../parts/domain-status.tsx';
import { useLiveCheck } from './live-check.ts';
import classes from './page.module.css';
import { domainQuery } from './queries.ts';
import { domainPageWords } from './words.ts';
import { NAMINGS, type Naming } from './zone.ts';

const Records = lazy(() => import('./records.tsx'));
const Requirements = lazy(() => import('./requirements.tsx'));
const Reports = lazy(() => import('./reports.tsx'));
const DomainDialog = lazy(() => import('./dialogs.tsx'));

interface Search {
  readonly names: Naming;
}

function DomainPage({ params: { id = '' }, search, setSearch }: PageProps<Search>) {
  const api = useApi();
  return (
    <Loaded query={useQuery(domainQuery(api, id))} rows={8} whole list="/domains">
      {(domain) => (
        <>
          <Heading domain={domain} />
          <Stack>
            <Check key={id} domain={domain} />
            <Standing domain={domain} />
            <Suspense fallback={<Skeleton />}>
              <Records
                domain={domain}
                naming={search.names}
                onNaming={(names) => setSearch({ names }, { replace: true })}
              />
              {domain.status !== 'pending' && <Requirements id={domain.id} />}
              {domain.status !== 'pending' && <Reports id={domain.id} />}
            </Suspense>
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function Heading({ domain }: { domain: Domain }) {
  const words = useWords(domainPageWords);
  const can = useCan();
  const [asking, setAsking] = useState<'rotate' | 'delete' | null>(null);
  const isRotating = domain.records.some(({ key_status: status }) => status === 'pending');
  const actions = (
    <>
      <Button
        icon={RotateCw}
        unavailable={can.send ?? (isRotating ? words.rotating : null)}
        onClick={() => setAsking('rotate')}
      >
        {words.rotate}
      </Button>
      <Button icon={Trash2} unavailable={can.send} onClick={() => setAsking('delete')}>
        {words.remove}
      </Button>
    </>
  );
  return (
    <>
      <PageHeading title={<Foreign text={domain.name} breaks />} actions={actions} />
      <Suspense>
        {asking !== null && <DomainDialog domain={domain} asking={asking} onClose={() => setAsking(null)} />}
      </Suspense>
    </>
  );
}

/** How far it is, and when it is looked up again. */
function Check({ domain }: { domain: Domain }) {
  const words = useWords(domainPageWords);
  const format = useFormat();
  const can = useCan();
  const { secondsLeft, busy, error, checkNow } = useLiveCheck(
    domain,
    can.send === null && !isVouched(domain),
  );
  const { found, all } = recordsFound(domain);
  return (
    <>
      <div className={classes['check']}>
        <DomainStatusMark domain={domain} badge />
        {!isVouched(domain) && (
          <span role="status">{words.recordsFound(format.number(found), format.number(all))}</span>
        )}
        {domain.checked_at !== null && (
          <span className={classes['quiet']}>
            {words.lastCheck} <Time iso={domain.checked_at} form="relative" />
          </span>
        )}
        <span className={classes['quiet']}>
          {busy && words.looking}
          {secondsLeft !== null && words.again(format.number(secondsLeft))}
        </span>
        <Button unavailable={can.send} busy={busy} onClick={checkNow}>
          {words.checkNow}
        </Button>
        <Link to={`/senders?domain_id=${domain.id}`}>{words.senders}</Link>
      </div>
      {error !== null && <Refusal error={error} />}
    </>
  );
}

function Standing({ domain }: { domain: Domain }) {
  const words = useWords(domainPageWords);
  const format = useFormat();
  const { status, grace_until: grace } = domain;
  const { found, all } = recordsFound(domain);
  if (status === 'pending') return <p className={classes['lead']}>{words.pending}</p>;
  if (status === 'failing') return <Notice tone="failed">{words.failing}</Notice>;
  if (grace !== null) return <Notice tone="waiting">{words.grace(format.dateTime(grace))}</Notice>;
  if (isVouched(domain)) return <Notice>{words.vouched}</Notice>;
  return <Notice tone="sent">{found === all ? words.verified : words.verifiedSome}</Notice>;
}

/** Verified without a look-up: the sandbox's own, and what the operator knows. */
function isVouched({ status, checked_at: checkedAt }: Domain): boolean {
  return status === 'verified' && checkedAt === null;
}

export const page = definePage<Search>({
  path: '/domains/$id',
  search: { names: oneOf(NAMINGS, 'zone') },
  title: (language) => domainPageWords[language].title,
  queries: (api, { id = '' }) => [domainQuery(api, id)],
  Page: DomainPage,
});

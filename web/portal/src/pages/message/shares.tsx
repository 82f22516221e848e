import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link2Off } from 'lucide-react';
import { useState } from 'react';
import type { Message, Share } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { elapsedMs, nowIso } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Pager, Panel } from '../../../../shared/ui/layout.tsx';
import { NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './evidence.module.css';
import { sharesQuery } from './evidence-queries.ts';
import { evidenceWords } from './evidence-words.ts';

/** Links by which strangers see the proof: what each shows, until when, and how often it was opened. */
export function Shares({ message }: { message: Message }) {
  const words = useWords(evidenceWords);
  return (
    <Panel title={words.shares}>
      <p className={classes['lead']}>
        {words.sharesText} <Link to={`/verify/log?message_id=${message.id}`}>{words.accessLog}</Link>
      </p>
      <ShareList id={message.id} />
    </Panel>
  );
}

function ShareList({ id }: { id: string }) {
  const words = useWords(evidenceWords);
  const api = useApi();
  const list = useInfiniteQuery(sharesQuery(api, id));
  const [revoking, setRevoking] = useState<Share | null>(null);
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={1} />;
  const shares = list.data.pages.flatMap(({ data }) => data);
  if (shares.length === 0) return <p>{words.noShares}</p>;
  return (
    <>
      <Stale queries={[list]} />
      <ul className={classes['shares']}>
        {shares.map((share) => (
          <ShareItem key={share.id} share={share} onRevoke={() => setRevoking(share)} />
        ))}
      </ul>
      {list.hasNextPage && <Pager onMore={() => void list.fetchNextPage()} busy={list.isFetchingNextPage} />}
      {revoking !== null && <RevokeShare share={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

type ShareState = 'open' | 'expired' | 'revoked';

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: Share): ShareState {
  if (revokedAt !== null) return 'revoked';
  return elapsedMs(nowIso(), expiresAt) > 0 ? 'open' : 'expired';
}

function ShareItem({ share, onRevoke }: { share: Share; onRevoke: () => void }) {
  const words = useWords(evidenceWords);
  const format = useFormat();
  const can = useCan();
  const state = stateOf(share);
  const { note, created_by: by, expires_at: expiresAt, revoked_at: revokedAt } = share;
  const name = note ?? (share.case === null ? words.noNote : words.ofCase(share.case.name));
  const ends =
    state === 'open'
      ? words.until(format.dateTime(expiresAt))
      : state === 'expired'
        ? words.expired(format.dateTime(expiresAt))
        : words.revokedAt(format.dateTime(revokedAt ?? expiresAt));
  const { opened, last_opened_at: lastOpenedAt } = share;
  const openings = [
    words.opened(opened),
    lastOpenedAt === null ? '' : words.lastOpened(format.relative(lastOpenedAt)),
  ];
  return (
    <li>
      <div className={classes['share']}>
        <div className={classes['shareHead']}>
          <strong>
            <Foreign text={name} />
          </strong>
          <Status tone={state === 'open' ? 'sent' : 'neutral'}>{words.states[state]}</Status>
        </div>
        {note !== null && share.case !== null && (
          <div>
            <Foreign text={words.ofCase(share.case.name)} />
          </div>
        )}
        <div>{words.shows(useShown(share))}</div>
        <div className={classes['quiet']}>
          {[...openings.filter(Boolean), ends, words.by(by.name)].join(' · ')}
        </div>
      </div>
      {state === 'open' && (
        <Button
          kind="icon"
          icon={Link2Off}
          label={words.revokeNamed(name)}
          unavailable={can.send}
          onClick={onRevoke}
        />
      )}
    </li>
  );
}

function useShown({ disclose: { message, parts, delivery } }: Share): string {
  const { shown } = useWords(evidenceWords);
  const format = useFormat();
  const things = [
    ...(message ? [shown.message] : []),
    ...(!message && parts.length > 0 ? [shown.parts(parts.length)] : []),
    ...(delivery ? [shown.delivery] : []),
  ];
  return things.length === 0 ? shown.nothing : format.list(things);
}

function RevokeShare({ share, onClose }: { share: Share; onClose: () => void }) {
  const words = useWords(evidenceWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const revoke = () =>
    run(async () => {
      await api.call('DELETE', `/messages/${share.message_id}/shares/${share.id}`);
      await queryClient.invalidateQueries({ queryKey: ['messages', 'shares', share.message_id] });
      toast(words.revoked);
      onClose();
    });
  return (
    <Confirm
      title={words.revokeTitle}
      action={words.revoke}
      danger
      busy={busy}
      onConfirm={revoke}
      onClose={onClose}
    >
      {error !== null && <Refusal error={error} />}
      {share.note !== null && (
        <p>
          <strong>{share.note}</strong>
        </p>
      )}
      {share.case !== null && (
        <p>
          <Foreign text={words.ofCase(share.case.name)} />. {words.revokeCase}
        </p>
      )}
      <p>{words.revokeText}</p>
    </Confirm>
  );
}

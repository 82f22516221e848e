import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../../shared/api/error.ts';
import type { Domain } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { keepAnswer } from '../../../../shared/app/keep-answer.ts';
import { domainQuery } from './queries.ts';

/** While somebody is likely to publish records: every ten seconds for five minutes, then every minute. */
const SOON_S = 10;
const SOON_CHECKS = 30;
const LATER_S = 60;
const SECOND_MS = 1_000;

export interface LiveCheck {
  /** Until the next look-up; null: none is planned. */
  readonly secondsLeft: number | null;
  readonly busy: boolean;
  readonly error: unknown;
  checkNow(): void;
}

/** Has the records looked up again and again while the page is visible and something is missing. */
export function useLiveCheck(domain: Domain, mayCheck: boolean): LiveCheck {
  const { id, records, checked_at: checkedAt } = domain;
  const api = useApi();
  const queryClient = useQueryClient();
  const [checks, setChecks] = useState(0);
  // A record never looked up is looked up at once.
  const [left, setLeft] = useState(checkedAt === null ? 0 : SOON_S);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.call<Domain>('POST', `/domains/${id}/verify`),
    onSuccess: (checked) => {
      keepAnswer(queryClient, domainQuery(api, id).queryKey, checked);
      void queryClient.invalidateQueries({ queryKey: ['domains', 'list'] });
      void queryClient.invalidateQueries({ queryKey: ['domains', 'all'] });
    },
    onSettled: () => {
      setChecks((before) => before + 1);
      setLeft(checks + 1 < SOON_CHECKS ? SOON_S : LATER_S);
    },
  });
  // Another account has the name: no look-up changes that.
  const isTaken = error instanceof ApiError && error.code === 'conflict';
  const isOn = mayCheck && !isTaken && records.some(({ status }) => status !== 'found');
  useEffect(() => {
    if (!isOn || isPending) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setLeft((before) => before - 1);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [isOn, isPending]);
  useEffect(() => {
    if (isOn && !isPending && left <= 0) mutate();
  }, [isOn, isPending, left, mutate]);
  return {
    secondsLeft: isOn && !isPending ? Math.max(0, left) : null,
    busy: isPending,
    error,
    checkNow: () => mutate(),
  };
}

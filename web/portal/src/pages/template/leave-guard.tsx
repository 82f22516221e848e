import { lazy, Suspense } from 'react';
import { useLeaveGuard } from '../../../../shared/routing/leave-guard.tsx';
import type { Editing } from './use-editing.ts';

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'));

/** Before somebody leaves with something unsaved, they are asked. */
export function LeaveGuard({ editing: { isKept } }: { editing: Editing }) {
  const { asks, leave, stay } = useLeaveGuard(() => !isKept());
  return <Suspense>{asks && <LeaveDialog leave={leave} stay={stay} />}</Suspense>;
}

import type { TenantStatus } from '../../../shared/api/admin-types.ts';
import { Status, type Tone } from '../../../shared/ui/status.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { tenantWords } from './tenant-words.ts';

const TONES: Readonly<Record<TenantStatus, Tone>> = {
  active: 'sent',
  suspended: 'waiting',
  deactivated: 'neutral',
};

/** The state of an account. */
export function TenantStatusMark({ status, badge = false }: { status: TenantStatus; badge?: boolean }) {
  const words = useWords(tenantWords);
  return (
    <Status tone={TONES[status]} badge={badge}>
      {words.statuses[status]}
    </Status>
  );
}

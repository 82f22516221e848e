import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import Reasons from '../../../../shared/rates/reasons.tsx';
import { destinationQuery } from './queries.ts';

/** Why the mail for one destination waits; nothing where none was deferred. */
export default function Why({ destination }: { destination: string }) {
  const { data } = useQuery(destinationQuery(useApi(), destination));
  const reasons = data?.deferral_reasons ?? [];
  return reasons.length === 0 ? null : <Reasons reasons={reasons} waits />;
}

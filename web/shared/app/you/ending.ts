import { useQueryClient } from '@tanstack/react-query';
import { useSubmission } from '../../ui/refusal.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useApi } from '../api-context.tsx';

/** Ends one session or all others, and reads the list again. */
export function useEnding(onDone?: () => void) {
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { busy, error, run } = useSubmission();
  const end = (path: string, done: string) =>
    run(async () => {
      await api.call('DELETE', path);
      toast(done);
      onDone?.();
      await queryClient.invalidateQueries({ queryKey: ['user', 'sessions'] });
    });
  return { busy, error, end };
}

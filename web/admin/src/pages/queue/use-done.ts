import { useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../../../shared/ui/toast.tsx';

/** Says what was done, closes the dialog, and reads the queue again. */
export function useDone(onClose: () => void): (said: string) => void {
  const queryClient = useQueryClient();
  const toast = useToast();
  return (said) => {
    toast(said);
    onClose();
    void queryClient.invalidateQueries({ queryKey: ['queue'] });
  };
}

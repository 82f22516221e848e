import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { messageWords } from './words.ts';

/** Asks before a message that waits is given up. */
export default function CancelDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const words = useWords(messageWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api.call('POST', `/messages/${message.id}/cancel`),
    onSuccess: () => {
      onClose();
      toast(words.cancelled);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['messages'] }),
  });
  return (
    <Confirm
      title={words.cancelTitle}
      action={words.cancel}
      danger
      cancels
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p>{words.cancelText}</p>
      {cancel.error !== null && <Refusal error={cancel.error} />}
    </Confirm>
  );
}

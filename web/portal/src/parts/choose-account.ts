import { useQueryClient } from '@tanstack/react-query';
import { chooseAccount } from '../../../shared/app/account.ts';
import { SESSION_KEY } from '../../../shared/app/session.ts';

/** Goes over to another account: all that was read is the one's before. */
export function useChooseAccount(): (id: string) => void {
  const queryClient = useQueryClient();
  return (id) => {
    chooseAccount(id);
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
}

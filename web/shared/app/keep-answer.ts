import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Shows the answer of a change at once. Then asks again, because a read under way may have been answered
 * before the change, and would come after it.
 */
export function keepAnswer<T>(queryClient: QueryClient, queryKey: QueryKey, answer: T): void {
  queryClient.setQueryData(queryKey, answer);
  void queryClient.invalidateQueries({ queryKey, exact: true });
}

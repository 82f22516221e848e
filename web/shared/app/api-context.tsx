import { createContext, type ReactNode, useContext } from 'react';
import type { ApiClient } from '../api/client.ts';

const Context = createContext<ApiClient | null>(null);

export function ApiProvider({ api, children }: { api: ApiClient; children: ReactNode }) {
  return <Context.Provider value={api}>{children}</Context.Provider>;
}

export function useApi(): ApiClient {
  const api = useContext(Context);
  if (api === null) throw new Error('outside of ApiProvider');
  return api;
}

import { SEALED_DKIM_KEYS } from '../../accounts/domains/sealed-store.ts';
import { SEALED_LOGS } from '../../evidence/log/sealed-store.ts';
import { SEALED_OPERATORS } from '../../people/operators/sealed-store.ts';
import { SEALED_USERS } from '../../people/sessions/sealed-store.ts';
import { SEALED_INSTALLATION_SECRETS } from '../../platform/database/installation-secrets-store.ts';
import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { SEALED_ENDPOINTS } from '../../webhooks/sealed-store.ts';

export const SEALED_TABLES: readonly SealedTable[] = [
  SEALED_LOGS,
  SEALED_INSTALLATION_SECRETS,
  SEALED_DKIM_KEYS,
  SEALED_ENDPOINTS,
  SEALED_USERS,
  SEALED_OPERATORS,
];

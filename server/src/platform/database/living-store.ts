import { FIRST_ID } from '../ids.ts';
import type { Tx } from './db.ts';

interface Living {
  readonly tenantIds: readonly string[];
  readonly lost: readonly string[];
}

/** For connecting to all nodes, which are asked at once (ms). */
const CONNECT_LIMIT_MS = 1_000;

/**
 * Reads each part of `tenants` separately: a statement over all parts fails with one of them. Runs as the
 * session's role, so that its policies apply there too.
 */
export async function readLiving(tx: Tx): Promise<Living> {
  await tx.execute(`set local citus.node_connection_timeout = ${CONNECT_LIMIT_MS}`);
  const parts = await tx.query<{ node: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as node, success, result
       from run_command_on_placements('tenants', 'select json_agg(tenant_id) from %s')`,
  );
  const tenantIds = parts
    .filter(({ success }) => success)
    .flatMap(({ result }) => JSON.parse(result || '[]') ?? []);
  return {
    // Citus asks every node about an empty list.
    tenantIds: tenantIds.length === 0 ? [FIRST_ID] : tenantIds,
    lost: [...new Set(parts.filter(({ success }) => !success).map(({ node }) => node))],
  };
}

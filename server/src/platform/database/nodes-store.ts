import type { Tx } from './db.ts';

/** Workers of a distributed database, and whether the coordinator reaches each. */
export interface DatabaseNode {
  readonly name: string;
  readonly reachable: boolean;
}

/** For connecting to all nodes, below the time that a scrape waits (ms). */
const CONNECT_LIMIT_MS = 1_000;

export async function readNodes(tx: Tx): Promise<DatabaseNode[]> {
  if (!tx.distributed) return [];
  await tx.execute(`set local citus.node_connection_timeout = ${CONNECT_LIMIT_MS}`);
  return tx.query<DatabaseNode>(
    `select nodename || ':' || nodeport as name,
            citus_check_connection_to_node(nodename, nodeport) as reachable
       from pg_dist_node where isactive and noderole = 'primary' and shouldhaveshards order by nodeid`,
    [],
    'read_nodes',
  );
}

export interface MaybeDistributed {
  /** True with Citus, where some statements take another form. docs/decisions/0041 */
  readonly distributed?: boolean | (() => Promise<boolean>);
}

/** Citus's catalogue table exists. */
export const IS_DISTRIBUTED = "select to_regclass('pg_catalog.pg_dist_partition') is not null as distributed";

/** Asks once, and again only after a failure: a database is distributed only while no service runs. */
export function createDistributedLook(ask: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | null = null;
  return () => {
    answer ??= ask().catch((error) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}

export async function isDistributed({ distributed }: MaybeDistributed): Promise<boolean> {
  return typeof distributed === 'function' ? distributed() : distributed === true;
}

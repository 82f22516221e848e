export interface MaybeDistributed {
  /** Citus divides the tables by tenant: some statements take another form there. docs/decisions/0041 */
  readonly distributed?: boolean | (() => Promise<boolean>);
}

/** The table in which Citus writes down what it divides; its being there is enough. */
export const IS_DISTRIBUTED = "select to_regclass('pg_catalog.pg_dist_partition') is not null as distributed";

/**
 * Asks once, and again only after a failure: a database is distributed while no service works on it
 * (`acuse db distribute`).
 */
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

/** Whether a statement must have the form for it. */
export async function isDistributed({ distributed }: MaybeDistributed): Promise<boolean> {
  return typeof distributed === 'function' ? distributed() : distributed === true;
}

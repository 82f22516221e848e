/** Extensions by which an authority limits those below it. RFC 5280 §4.2.1.10, RFC 5280 §4.2.1.11 */
import { type Bytes, children, context, DerError, type DerNode, Fields, readSmall } from './der.ts';

/** GeneralName [n]; 4: a directory name. RFC 5280 §4.2.1.6 */
export type GeneralName = { kind: number; content: Bytes };

export type NameConstraints = { permitted: readonly GeneralName[]; excluded: readonly GeneralName[] };

export function readGeneralNames(node: DerNode): GeneralName[] {
  return children(node, 'GeneralNames').map(({ tag, content }) => ({ kind: tag & 0x1f, content }));
}

export function readNameConstraints(node: DerNode): NameConstraints {
  const fields = new Fields(node, 'nameConstraints');
  const permitted = fields.optional(context(0));
  const excluded = fields.optional(context(1));
  fields.end();
  return { permitted: readSubtrees(permitted), excluded: readSubtrees(excluded) };
}

/** Without minimum and maximum, which RFC 5280 §4.2.1.10 does not use. */
function readSubtrees(node: DerNode | undefined): GeneralName[] {
  if (node === undefined) return [];
  return children(node, 'GeneralSubtrees').map((subtree) => {
    const fields = new Fields(subtree, 'GeneralSubtree');
    const { tag, content } = fields.any('base');
    fields.end();
    return { kind: tag & 0x1f, content };
  });
}

export type PolicyConstraints = { requireExplicit: number; inhibitMapping: number };

export function readPolicyConstraints(node: DerNode): PolicyConstraints {
  const fields = new Fields(node, 'policyConstraints');
  const counts = [fields.optional(context(0, false)), fields.optional(context(1, false))].map((count) =>
    count === undefined ? Number.POSITIVE_INFINITY : readCount(count),
  );
  fields.end();
  return { requireExplicit: counts[0]!, inhibitMapping: counts[1]! };
}

function readCount({ content }: DerNode): number {
  if (content.length !== 1 || content[0]! > 127) throw new DerError('policyConstraints: no SkipCerts');
  return content[0]!;
}

export const readInhibitAny = (node: DerNode): number => readSmall(node, 'inhibitAnyPolicy');

/**
 * Constraints of authorities on those below them: names and policies. RFC 5280 §6.1, for a chain without
 * policy mappings, in which every policy is acceptable.
 */
import { equalBytes } from '../bytes.ts';
import type { Certificate } from './certificate.ts';
import type { GeneralName, NameConstraints } from './constraint-extensions.ts';
import { type Bytes, readWhole } from './der.ts';
import { nameKeys } from './name.ts';
import type { Finding } from './report.ts';

const DIRECTORY_NAME = 4;
const RFC822_NAME = 1;
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const ANY_POLICY = '2.5.29.32.0';

/** Every certificate below an authority keeps to the names that it allows. RFC 5280 §6.1.3 (b) and (c) */
export function checkNames(path: readonly Certificate[]): Finding {
  for (const [i, { subject, extensions }] of path.entries()) {
    const constraints = extensions.nameConstraints;
    if (constraints === undefined) continue;
    for (const [below, certificate] of path.slice(0, i).entries()) {
      const selfIssued = equalBytes(certificate.issuerDer, certificate.subjectDer);
      if (below > 0 && selfIssued) continue;
      const reason = breach(constraints, certificate);
      if (reason !== null)
        return {
          ok: false,
          detail: `${JSON.stringify(subject)} does not allow ${JSON.stringify(certificate.subject)}: ${reason}`,
        };
    }
  }
  return { ok: true, detail: 'names are allowed' };
}

function breach({ permitted, excluded }: NameConstraints, certificate: Certificate): string | null {
  const names = namesOf(certificate);
  // An undecidable name counts as refused. RFC 5280 §4.2.1.10
  const constrained = [...permitted, ...excluded].find(
    ({ kind }) => kind !== DIRECTORY_NAME && names.some((name) => name.kind === kind),
  );
  if (constrained !== undefined)
    return `it limits names of kind ${constrained.kind}, which is not understood`;
  const trees = (from: readonly GeneralName[]) =>
    from.filter(({ kind }) => kind === DIRECTORY_NAME).map(({ content }) => keysOf(content));
  const [allowed, refused] = [trees(permitted), trees(excluded)];
  for (const name of names.filter(({ kind }) => kind === DIRECTORY_NAME)) {
    const keys = keysOf(name.content);
    const isIn = (tree: readonly string[]) => tree.every((key, i) => key === keys[i]);
    if (refused.some(isIn)) return 'a name that is excluded';
    if (allowed.length > 0 && !allowed.some(isIn)) return 'a name that is not permitted';
  }
  return null;
}

const keysOf = (content: Bytes): string[] => nameKeys(readWhole(content, 'directoryName'));

/** The subject, addresses in it, and its other names. */
function namesOf({ subjectDer, extensions }: Certificate): GeneralName[] {
  const subject = { kind: DIRECTORY_NAME, content: subjectDer };
  const keys = keysOf(subjectDer);
  const addresses = keys.some((key) => key.includes(`${EMAIL_ADDRESS}=`))
    ? [{ kind: RFC822_NAME, content: subjectDer }]
    : [];
  return [...(keys.length === 0 ? [] : [subject]), ...addresses, ...(extensions.subjectAltNames ?? [])];
}

/**
 * If an authority requires a policy, one must be valid all the way down. The pinned root's own constraints do
 * not count. RFC 5280 §6.1.3 (d)–(f), RFC 5280 §6.1.4 (h)–(j), RFC 5280 §6.1.5 (a)–(b)
 */
export function checkPolicies(path: readonly Certificate[]): Finding {
  const mapping = path.find(({ extensions }) => extensions.policyMappings === true);
  if (mapping !== undefined)
    return { ok: false, detail: `${JSON.stringify(mapping.subject)} maps policies, which is not understood` };
  let [explicit, inhibitAny] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  /** Undefined: any. */
  let valid: readonly string[] | undefined;
  for (const [i, { issuerDer, subjectDer, extensions }] of [...path.slice(0, -1).entries()].reverse()) {
    const { policies, policyConstraints, inhibitAnyPolicy } = extensions;
    const selfIssued = i > 0 && equalBytes(issuerDer, subjectDer);
    const any = policies?.includes(ANY_POLICY) === true && (inhibitAny > 0 || selfIssued);
    const named = (policies ?? []).filter((policy) => policy !== ANY_POLICY);
    if (policies === undefined) valid = [];
    else if (!any) valid = valid === undefined ? named : valid.filter((policy) => named.includes(policy));
    if (!selfIssued) [explicit, inhibitAny] = [Math.max(0, explicit - 1), Math.max(0, inhibitAny - 1)];
    const required = policyConstraints?.requireExplicit ?? Number.POSITIVE_INFINITY;
    // In the last certificate only a value of 0 ("from here on") matters.
    if (i > 0 || required === 0) explicit = Math.min(explicit, required);
    inhibitAny = Math.min(inhibitAny, inhibitAnyPolicy ?? Number.POSITIVE_INFINITY);
  }
  // An invalid policy stays invalid below, and a demand holds from there on.
  return explicit === 0 && valid?.length === 0
    ? { ok: false, detail: 'an authority asks for a policy, and none is valid all the way down' }
    : { ok: true, detail: 'policies are allowed' };
}

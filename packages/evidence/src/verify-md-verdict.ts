/** The last section of VERIFY.md: the verdict, and who vouches for what. */
import * as shell from './shell.ts';
import { VERDICT_TITLES } from './verdict-words.ts';
import type { BundleGuide } from './verify-md-guide.ts';

const TITLES = VERDICT_TITLES.en;

/** Reasons that keep a bundle below the first verdict under any keys. */
function lacking({ openings, count, history, leaf, deliveries }: BundleGuide): string[] {
  const { content, withheld = [] } = openings;
  const several = deliveries.some(({ leaf: { size } }) => size !== leaf.size);
  return [
    ...(count === undefined ? ['it does not say how many outcomes there were'] : []),
    ...(withheld.length > 0 ? ['outcomes are withheld'] : []),
    ...(several && history === undefined ? ['its trees are not shown to be one log'] : []),
    ...(content === 'complete'
      ? []
      : [`its content is ${content === 'erased' ? 'erased' : 'shown in part'}`]),
  ];
}

export function verdictSection(guide: BundleGuide): string {
  const { constancia } = guide;
  const missing = lacking(guide);
  const issued =
    guide.issued.length === 0
      ? ''
      : `\n  Neither is ${guide.issued.map((name) => `\`${name}\``).join(', ')}: by the operator's word, what the authority issued beside its time-stamp, often a PDF or CMS. Nothing here reads it.`;
  const third = constancia.development
    ? 'Nothing, because the time-stamp is from a development authority.'
    : `That \`manifest.json\`, and so all content that it commits to, existed at ${constancia.genTime} and has not changed since, if the root above is the one that the authority itself publishes.`;
  const best = constancia.development
    ? `No better verdict is possible, because the time-stamp is from a development authority${missing.map((each) => `; and ${each}`).join('')}.`
    : missing.length === 0
      ? `**${TITLES.verified}**: everything held, and you compared both.`
      : `**${TITLES.incomplete}**: everything held, you compared both, and ${missing.join('; ')}.`;
  return `## What it comes to, and on whose word

The first of these that is true is the verdict:

1. **${TITLES.rejected}**: something above failed.
2. **${TITLES.unproven}**: everything held, but you have not compared the line of the log's key and the fingerprint of the root with what
   their owners publish, or they differ, or a time-stamp is from a development authority.
3. ${best}

The two to compare:
${shell.block(`echo ${shell.quoted(`key of the log: ${guide.logKey}`)}`, `echo ${shell.quoted(`root of the authority: ${constancia.rootFingerprint}`)}`)}
Who vouches for what:

- **The authority**, a third party: ${third}
- **The log's key**, that is the operator, against the operator: that the leaves are in the log, in this order; how many outcomes there were, and when
  that was counted. The log cannot drop or change a leaf without contradicting a checkpoint that was stamped.
- **The operator alone:** the time of acceptance, the envelope, the DKIM keys in the manifest, what other mail servers answered, and which reports came
  by mail. The operator cannot change these words any more, but they were the operator's.
- **Nobody:** that a person read the message.
- **Not part of the proof:** this text and \`report.pdf\`. Neither is signed. \`acuse verify\` writes this text again from the evidence and says
  whether it is the same. It does not compare the report: where the two differ, believe the evidence.${issued}

The commands above do not check the following, but \`acuse verify\` does: that the parts, the header and the body to which the manifest commits are those of
\`message.eml\`; the cosignatures of witnesses, the key usages of a signer whose certificate is not for time-stamps only, the hash algorithms of the
certificates' signatures, and which certificate a revocation is about.
`;
}

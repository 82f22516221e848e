/** Commands (shell, coreutils, xxd, OpenSSL) that check a contradiction's own files. */
import { type Sha256, toHex, utf8 } from './bytes.ts';
import type { Contradiction, ContradictionName } from './compare.ts';
import type { ProofFile } from './compare-read.ts';
import { assertCosigned } from './cosignature.ts';
import { parseNote, signatureOf } from './note.ts';
import * as shell from './shell.ts';
import { COSIGNATURE_V1, ED25519_SIGNATURE_BYTES, formatVerifierKey, verifierKey } from './verifier-key.ts';

export const CONTRADICTION_MD = 'CONTRADICTION.md';

const WHY: Readonly<Record<ContradictionName, string>> = {
  fork: 'Both notes state the same tree size (second line) and different roots (third line). A log has one tree of each size: whoever signs two has shown different readers different logs.',
  rewritten:
    'Each `.tlog-proof` (C2SP tlog-proof) leads from an entry to the root in one of the notes. Both pass through a subtree that is complete, and so the same in every tree of one log (RFC 6962 §2.1); the hashes are not the same.',
  outcomes_fewer:
    'Each note says how many entries (second line) the log knew of one message at the time in its signature: the message and its outcomes. Outcomes are never taken back, so that the later number is not the smaller.',
  outcomes_other:
    'Each note states the root (third line) over one message and its outcomes, in order, at the time in its signature. The later list does not begin with the earlier one.',
  outcome_hidden:
    'The first note says how many entries (second line) the log knew of one message at the time in its signature. The second is a checkpoint with one outcome more of that message (`2-outcome.tlog-proof`), and has a time-stamp from before.',
};

/** Markdown; each of its blocks runs unchanged in the folder of the files. */
export function contradictionMd({ name, log, key, detail, notes }: Contradiction, sha256: Sha256): string {
  const cosigner = verifierKey(key.name, key.publicKey, sha256, COSIGNATURE_V1);
  const check = (file: ProofFile): string => {
    const note = parseNote(file.content);
    const text = shell.scratch(`${file.name.slice(0, 1)}.txt`);
    const split = shell.extractNote(file.name, text);
    if (!file.name.endsWith('outcomes.note')) {
      const { signature } = signatureOf(note, key);
      return [split, shell.checkpointSignature(text, key.publicKey, signature)].join('\n');
    }
    const seconds = assertCosigned(note, cosigner);
    const { signature } = signatureOf(note, cosigner);
    return [
      split,
      shell.cosignature(text, key.publicKey, seconds, signature.slice(-ED25519_SIGNATURE_BYTES)),
      `date -u -d @${seconds}`,
    ].join('\n');
  };
  const keys = [key, cosigner].map((each) => `    ${formatVerifierKey(each)}`).join('\n');
  return `# The log \`${log}\` contradicts itself

${detail}.

${WHY[name]}

Both notes are signed with one Ed25519 key, which in hex is
${toHex(key.publicKey)}
Compare it with the key that the operator publishes (\`/log/key\`), and with the one in files that others have.

These commands check the signatures:

\`\`\`sh
${shell.MAKE_SCRATCH}
${notes.map(check).join('\n')}
cat ${shell.scratch('1.txt')} ${shell.scratch('2.txt')}
\`\`\`

Programs that read C2SP signed notes (in Go: golang.org/x/mod/sumdb/note, github.com/transparency-dev/formats) take these keys, the
second one for notes named \`outcomes.note\`:

${keys}
`;
}

/** All files of a contradiction, this text among them. */
export function contradictionFiles(contradiction: Contradiction, sha256: Sha256): ProofFile[] {
  const text = { name: CONTRADICTION_MD, content: utf8(contradictionMd(contradiction, sha256)) };
  return [text, ...contradiction.notes, ...contradiction.files];
}

/** VERIFY.md for few readers: a received copy, cosignatures of witnesses, another bundle of the same log. */
import * as shell from './shell.ts';
import type { BundleGuide } from './verify-md-guide.ts';

/** `keys`: of the policy's witnesses, as they publish them. */
export function witnessBlock({ witnessKeys, leaf }: BundleGuide): string {
  if (witnessKeys.length === 0) return '';
  return `
Witnesses cosign what they saw of the log. The maker of the bundle names these; set \`WITNESS_KEYS\` to those that you know from the witnesses themselves:

${witnessKeys.map((key) => `    ${key}`).join('\n')}
${shell.block(shell.step([leaf.proofEntry, 'checkpoint.txt'], COSIGNATURES))}`;
}

const COSIGNATURES = `for key in \${WITNESS_KEYS-}; do
  witness=$(echo "$key" | cut -d + -f 1 | plain)
  line=$(sed -n 's/^— [^ ]* //p' proof.tlog-proof | while read -r each; do echo "$each" | base64 -d | xxd -p -c 99; done | grep -E "^$(echo "$key" | cut -d + -f 2).{144}$")
  [ -n "$line" ] || { say "$witness did not cosign"; continue; }
  time=$((0x0$(echo "$line" | cut -c 9-24)))
  { printf 'cosignature/v1\\ntime %s\\n' "$time"; cat checkpoint.txt; } > ${shell.COSIGNED}
  check "cosigned by $witness at $(date -u -d "@$time" +%FT%TZ)" signed "$(echo "$key" | cut -d + -f 3- | base64 -d | tail -c 32 | xxd -p -c 32)" "$(echo "$line" | cut -c 25- | xxd -r -p | base64 -w 0)" ${shell.COSIGNED}
done
[ -n "\${WITNESS_KEYS-}" ] || echo 'WITNESS_KEYS was not given: no cosignature was checked'`;

/** The log must not show two readers two trees of one size. */
export function otherBundle(): string {
  return `
If you have another bundle of this log, unpack it elsewhere, run its own \`VERIFY.md\` with the same \`LOG_KEY\`, set \`SECOND_BUNDLE\` to its folder, and run
this. Two signed trees of one size with two roots are a proof against the log that needs nothing else. (\`acuse verify\` with both files also
compares trees of different sizes.)
${shell.block(OTHER)}`;
}

const OTHER = `tree() { sed '1,/^$/d' "$1" | head -n 3 | tr '\\n' ' '; }
if [ -n "\${SECOND_BUNDLE-}" ] && have "$SECOND_BUNDLE/proof.tlog-proof"; then
  compared=0
  for one in proof.tlog-proof delivery/*.tlog-proof; do
    for two in "$SECOND_BUNDLE/proof.tlog-proof" "$SECOND_BUNDLE"/delivery/*.tlog-proof; do
      [ -f "$one" ] && [ -f "$two" ] || continue
      a=$(tree "$one") b=$(tree "$two")
      [ "\${a% * }" = "\${b% * }" ] || continue
      compared=$((compared + 1))
      check "$one and $two: one tree of one size" test "$a" = "$b"
    done
  done
  say "trees of one size in both bundles: $compared"
else echo 'SECOND_BUNDLE was not given'; fi`;

/** A received copy, in the file that `RECEIVED` names, has the sealed header and body. */
export function received(headerSalt: string, bodySalt: string): string {
  const is = (part: 'header' | 'body', salt: string) =>
    shell.opens(
      `sealed ${part} in RECEIVED`,
      { file: 'manifest.json', label: part, salt },
      shell.relaxedHash(part, '"$RECEIVED"'),
    );
  return `if [ -n "\${RECEIVED-}" ] && have manifest.json "$RECEIVED"; then
  ${is('header', headerSalt)}
  ${is('body', bodySalt)}
else echo 'RECEIVED was not given'; fi`;
}

/** The last section of VERIFY.md: the verdict, and who vouches for what. */
import * as shell from './shell.ts';
import { VERDICT_TITLES } from './verdict-words.ts';
import { type BundleGuide, stampsOf } from './verify-md-guide.ts';

const { en: TITLES, es: SPANISH } = VERDICT_TITLES;

/** Reasons that keep a bundle below the first verdict under any keys. */
function lacking({ openings, count, history, leaf, deliveries }: BundleGuide): string[] {
  const { content, withheld = [] } = openings;
  const several = deliveries.some(({ leaf: { size } }) => size !== leaf.size);
  const closed = deliveries.flatMap(({ shown, leaf: { entry } }) => (shown === undefined ? [entry] : []));
  return [
    ...(count === undefined ? ['how many outcomes there were'] : []),
    ...(withheld.length > 0 ? ['outcomes, which are withheld'] : []),
    ...(several && history === undefined ? ['proof that its trees are one log'] : []),
    ...(content === 'complete' ? closed.map((entry) => `what opens ${entry}`) : []),
    ...(content === 'disclosed' ? ['content, which is shown in part'] : []),
    ...(content === 'erased' ? ['content, which was erased'] : []),
  ];
}

/** The verdict out of the counts of `check`, `have` and `given`, in the order of verdict.ts. */
function verdictCommand(development: boolean, lacks: readonly string[]): string {
  const say = (line: string) => `  ${shell.say(line)}`;
  const unproven = development ? 'true' : '[ $((other + unknown)) -gt 0 ]';
  return [
    `: "\${times:?run all blocks before this one first}"`,
    ...lacks.map(shell.missing),
    `why=${development ? quotedReason('a time-stamp is from a development authority') : ''}`,
    `[ "$other" -eq 0 ] || why="$why; another key or root than the one that you were given: see OTHER"`,
    `[ "$unknown" -eq 0 ] || why="$why; a key or root that you were not given: see UNKNOWN"`,
    `[ "$missing" -eq 0 ] || why="$why; not the whole: see MISSING"`,
    'if [ "$failed" -gt 0 ]; then',
    say(`VEREDICTO 1: ${SPANISH.rejected}: vea FAILED, CHANGED, UNEXPECTED`),
    say(`VERDICT 1: ${TITLES.rejected}: see FAILED, CHANGED, UNEXPECTED`),
    `elif ${unproven}; then`,
    say(`VEREDICTO 2: ${SPANISH.unproven}${development ? '' : ': vea la línea siguiente'}`),
    `  echo "VERDICT 2: ${TITLES.unproven}: \${why#; }"`,
    'elif [ "$missing" -gt 0 ]; then',
    say(`VEREDICTO 3: ${SPANISH.incomplete}: vea MISSING`),
    say(`VERDICT 3: ${TITLES.incomplete}: see MISSING`),
    'else',
    say(`VEREDICTO 4: ${SPANISH.verified}`),
    say(`VERDICT 4: ${TITLES.verified}`),
    'fi',
  ].join('\n');
}

const quotedReason = (reason: string) => shell.quoted(`; ${reason}`);

export function verdictSection(guide: BundleGuide): string {
  const { constancia, logKey } = guide;
  const { genTime } = constancia;
  const development = stampsOf(guide).some((stamp) => stamp.development);
  const lacks = lacking(guide);
  const issued =
    guide.issued.length === 0
      ? ''
      : `\n  Neither is ${guide.issued.map((name) => `\`${name}\``).join(', ')}: by the operator's word, what the authority issued beside its time-stamp, often a PDF or CMS. Nothing here reads it.`;
  const third = constancia.development
    ? 'nothing, because the time-stamp is from a development authority.'
    : `that \`manifest.json\`, and so all content that it commits to, existed at ${genTime} and has not changed since, if the root above is the one that the authority itself publishes.`;
  const tercero = constancia.development
    ? 'nada, porque el sello de tiempo es de una autoridad de desarrollo.'
    : 'que `manifest.json` existía cuando lo selló y no ha cambiado desde entonces, si la raíz es la que ella misma publica.';
  const change = constancia.development
    ? 'Without a real time-stamp only a witness or\n  a copy that somebody else has shows it if the operator signs all of it again in other words.'
    : 'The operator cannot change these words without leaving two signed versions that contradict each other, one of them stamped.';
  const another = development
    ? "a time-stamp is from a development authority, so that no better verdict is possible. What the log's key signed, its operator alone vouches for; where it says `OTHER`, that is another operator or authority."
    : 'you did not compare the key of the log and the root with those that you know from elsewhere, a signature could not be checked here (`UNKNOWN`), or they are others (`OTHER`).';
  const otra = development
    ? 'un sello de tiempo es de una autoridad de desarrollo, y no hay un veredicto mejor. Lo que firmó la clave del registro lo respalda solo su operador; donde dice `OTHER`, es otro operador u otra autoridad.'
    : 'usted no comparó la clave del registro y la raíz con las que conoce de otra fuente, una firma no se pudo comprobar aquí (`UNKNOWN`), o son otras (`OTHER`).';
  return `## What it comes to, and on whose word · Qué resulta, y quién lo dice
${shell.block(
  `echo ${shell.quoted(`key of the log: ${logKey}`)}`,
  `echo ${shell.quoted(`root of the authority: ${constancia.rootFingerprint}`)}`,
  verdictCommand(development, lacks),
)}
The first of these that is true is the verdict. A key or root that you compared by eye counts as given to the commands:

1. **${TITLES.rejected}**: two things contradict each other, or one is forged or changed.
2. **${TITLES.unproven}**: ${another}
3. **${TITLES.incomplete}**: files, outcomes or content are \`MISSING\`. What is here is genuine; the rest may be withheld or lost.
   (\`acuse verify\` takes a file that lacks one of its parts for changed, and rejects it.)
4. **${TITLES.verified}**: everything is here and held, under the key and the root that you were given.

Below the verdict, what says \`MISSING\` and \`OTHER\` holds as well.

Who vouches for what:

- **The authority**, a third party: ${third}
- **The log's key**, that is the operator, who cannot deny it afterwards: that the leaves are in the log, in this order; how many outcomes there were, and when
  that was counted.
- **The operator alone:** the time of acceptance, the envelope, the DKIM keys in the manifest, what other mail servers answered, and which reports came
  by mail. ${change}
- **Nobody:** that a person read the message.
- **Not part of the proof:** this text and \`report.pdf\`. Neither is signed. \`acuse verify\` writes this text again from the evidence and says
  whether it is the same. It does not compare the report: where the two differ, believe the evidence.${issued}

The commands above do not check the following, but \`acuse verify\` does: that the parts to which the manifest commits are those of \`message.eml\`; whether enough witnesses cosigned, and the trees of outcomes too; a DKIM signature in another form than relaxed/relaxed; the key usages of a signer whose certificate is not for time-stamps only, the hash algorithms of the
certificates' signatures, and which certificate a revocation is about.

## Veredicto y quién responde de qué

El veredicto es el primero de estos que se cumpla:

1. **${SPANISH.rejected}**: dos cosas se contradicen, o algo es falso o se cambió (\`FAILED\`, \`CHANGED\`, \`UNEXPECTED\`).
2. **${SPANISH.unproven}**: ${otra}
3. **${SPANISH.incomplete}**: faltan archivos, resultados o contenido (\`MISSING\`). Lo que está aquí es auténtico; lo demás pudo ocultarse o perderse.
   (\`acuse verify\` rechaza un archivo al que le falta una de sus partes.)
4. **${SPANISH.verified}**: todo está aquí y se cumplió, con la clave y la raíz que usted recibió.

- **La autoridad**, un tercero: ${tercero}
- **La clave del registro**, es decir, el operador, que después no puede negarlo: que el mensaje y los resultados están en el registro, en este orden; cuántos resultados
  hubo y cuándo se contaron.
- **Solo el operador:** la hora de aceptación, el sobre, las claves DKIM, qué respondieron otros servidores y qué reportes llegaron por correo.
- **Nadie:** que una persona leyó el mensaje.
`;
}

/** The last section of VERIFY.md: the verdict, and who vouches for what. */
import * as shell from './shell.ts';
import { VERDICT_TITLES } from './verdict-words.ts';
import { type BundleGuide, stampsOf } from './verify-md-guide.ts';

const { en: TITLES, es: SPANISH } = VERDICT_TITLES;

/** Reasons that keep a bundle below the first verdict under any keys. */
function lacking({ openings, count, history, leaf, deliveries }: BundleGuide): string[] {
  const { content, withheld = [] } = openings;
  const several = deliveries.some(({ leaf: { size } }) => size !== leaf.size);
  return [
    ...(count === undefined ? ['it does not say how many outcomes there were'] : []),
    ...(withheld.length > 0 ? ['outcomes are withheld'] : []),
    ...(several && history === undefined ? ['its trees are not shown to be one log'] : []),
    ...(content === 'complete' && deliveries.some(({ shown }) => shown === undefined)
      ? ['what opens one of its outcomes is not here']
      : []),
    ...(content === 'complete'
      ? []
      : [`its content is ${content === 'erased' ? 'erased' : 'shown in part'}`]),
  ];
}

/** The verdict out of the counts of `check`, `have` and `given`. */
function verdictCommand(development: boolean, lacks: readonly string[]): string {
  const say = (line: string) => `echo ${shell.quoted(line)}`;
  const unproven = `  ${say(`VERDICT 4: ${TITLES.unproven}`)}`;
  const whole = development
    ? ['else', unproven, 'fi']
    : [
        'elif [ "$unknown" -gt 0 ]; then',
        unproven,
        'else',
        `  ${say(`VERDICT 5: ${TITLES.verified}`)}`,
        'fi',
      ];
  const lacking = [
    'else',
    ...lacks.map((each) => `  ${say(`It is not the whole: ${each}.`)}`),
    `  ${say(`VERDICT 3: ${TITLES.incomplete}`)}`,
    'fi',
  ];
  return `: "\${times:?run all blocks before this one first}"
if [ "$failed" -gt 0 ]; then
  ${say(`VERDICT 1: ${TITLES.rejected}: see FAILED, CHANGED, UNEXPECTED`)}
elif [ "$other" -gt 0 ]; then
  ${say(`VERDICT 2: ${TITLES.unproven}: it is another's, see OTHER`)}
elif [ "$missing" -gt 0 ]; then
  ${say(`VERDICT 3: ${TITLES.incomplete}: see MISSING`)}
${(lacks.length > 0 ? lacking : whole).join('\n')}`;
}

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
  const change = constancia.development
    ? 'Without a real time-stamp only a witness or\n  a copy that somebody else has shows it if the operator signs all of it again in other words.'
    : 'The operator cannot change these words without leaving two signed versions that contradict each other, one of them stamped.';
  const whole = development
    ? `4. **${TITLES.unproven}**: nothing above applies. Under the right key the operator vouches for it, and nobody else does:
   a time-stamp is from a development authority, so no better verdict is possible.`
    : `4. **${TITLES.unproven}**: you have not compared the key of the log and the root with what you know from elsewhere.
5. **${TITLES.verified}**: everything held, and both are those that you were given.`;
  const entero = development
    ? `4. **${SPANISH.unproven}**: nada de lo anterior. Con la clave correcta lo respalda el operador y nadie más: un sello de
   tiempo es de una autoridad de desarrollo, y no hay un veredicto mejor.`
    : `4. **${SPANISH.unproven}**: usted no ha comparado la clave del registro y la raíz con lo que conoce de otra fuente.
5. **${SPANISH.verified}**: todo se cumplió, y ambas son las que usted recibió.`;
  return `## What it comes to, and on whose word
${shell.block(
  `echo ${shell.quoted(`key of the log: ${logKey}`)}`,
  `echo ${shell.quoted(`root of the authority: ${constancia.rootFingerprint}`)}`,
  verdictCommand(development, lacks),
)}
The first of these that is true is the verdict. What you compare by eye counts as set:

1. **${TITLES.rejected}**: two things contradict each other, or one is forged or changed.
2. **${TITLES.unproven}**: the key of the log or the root is not the one that you were given. It is another's.
3. **${TITLES.incomplete}**: ${lacks.length > 0 ? lacks.join('; ') : 'files or outcomes that were counted are missing'}. What is here is genuine if the key is right; the rest
   may be withheld or lost.
${lacks.length > 0 ? '' : `${whole}\n`}
Who vouches for what:

- **The authority**, a third party: ${third}
- **The log's key**, that is the operator, against the operator: that the leaves are in the log, in this order; how many outcomes there were, and when
  that was counted.
- **The operator alone:** the time of acceptance, the envelope, the DKIM keys in the manifest, what other mail servers answered, and which reports came
  by mail. ${change}
- **Nobody:** that a person read the message.
- **Not part of the proof:** this text and \`report.pdf\`. Neither is signed. \`acuse verify\` writes this text again from the evidence and says
  whether it is the same. It does not compare the report: where the two differ, believe the evidence.${issued}

The commands above do not check the following, but \`acuse verify\` does: that the parts, the header and the body to which the manifest commits are those of
\`message.eml\`; the cosignatures of witnesses, the key usages of a signer whose certificate is not for time-stamps only, the hash algorithms of the
certificates' signatures, and which certificate a revocation is about.

## Veredicto y quién responde de qué

El veredicto es el primero de estos que se cumpla:

1. **${SPANISH.rejected}**: dos cosas se contradicen, o algo es falso o se cambió (\`FAILED\`, \`CHANGED\`, \`UNEXPECTED\`).
2. **${SPANISH.unproven}**: la clave del registro o la raíz no es la que usted recibió (\`OTHER\`). Es de otro.
3. **${SPANISH.incomplete}**: faltan archivos o resultados (\`MISSING\`), o el archivo muestra solo una parte. Lo demás es auténtico si la clave es la correcta.
${lacks.length > 0 ? '' : `${entero}\n`}
- **La autoridad**, un tercero: que \`manifest.json\` existía cuando lo selló y no ha cambiado, si la raíz es la que ella misma publica. Si es de desarrollo, nada.
- **La clave del registro**, es decir, el operador contra sí mismo: que el mensaje y los resultados están en el registro, en este orden; cuántos resultados
  hubo y cuándo se contaron.
- **Solo el operador:** la hora de aceptación, el sobre, las claves DKIM, qué respondieron otros servidores y qué reportes llegaron por correo.
- **Nadie:** que una persona leyó el mensaje.
`;
}

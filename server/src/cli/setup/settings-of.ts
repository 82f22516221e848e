import { join } from 'node:path';
import { isLoopbackAddress } from '../../platform/network/public-address.ts';
import type { Answers } from './question.ts';
import { is, QUESTIONS } from './questions.ts';

type Changes = Record<string, string | null>;

const certificateFiles = (dataDir: string) => ({
  certFile: join(dataDir, 'tls', 'cert.pem'),
  keyFile: join(dataDir, 'tls', 'key.pem'),
});

/** The variables that the answers set; null: unset. Others stay as they are. Pure. */
export function settingsOf(answers: Answers, dataDir: string): Changes {
  const changes: Changes = {};
  for (const { id, variable, unset } of QUESTIONS) {
    const answer = answers[id];
    if (variable !== undefined && answer !== undefined) changes[variable] = answer === unset ? null : answer;
  }
  const ofAnchor = is('anchor', 'none')(answers) ? { ACUSE_LOG_MIRROR: null } : {};
  return {
    ...{ ...changes, ...ofAnchor, ...ofDelivery(answers), ...ofProxy(answers) },
    ...ofCertificate(answers, dataDir),
  };
}

function ofDelivery(answers: Answers): Changes {
  return is('delivery', 'direct')(answers) ? { ACUSE_SMARTHOST: null } : { ACUSE_SOURCE_POOLS: null };
}

/** A proxy elsewhere has to reach the API: it listens on all addresses. */
function ofProxy({ proxy = 'none' }: Answers): Changes {
  if (proxy === 'none') return { ACUSE_PUBLIC_URL: null, ACUSE_HOST: null };
  const here = proxy.split(',').every((each) => each === 'loopback' || isLoopbackAddress(each));
  return { ACUSE_HOST: here ? null : '::' };
}

function ofCertificate(answers: Answers, dataDir: string): Changes {
  if (is('certificate', 'acme')(answers)) {
    const { certFile, keyFile } = certificateFiles(dataDir);
    return { ACUSE_TLS_CERT_FILE: certFile, ACUSE_TLS_KEY_FILE: keyFile };
  }
  const noAcme = { ACUSE_ACME_DIRECTORY: null, ACUSE_ACME_PORT: null };
  if (is('certificate', 'files')(answers)) return noAcme;
  return { ...noAcme, ACUSE_TLS_CERT_FILE: null, ACUSE_TLS_KEY_FILE: null };
}

/**
 * Defaults from the settings and the answers of an earlier run. `earlier`: answers that are no settings.
 * Pure.
 */
export function standingAnswers(
  settings: Readonly<Record<string, string | undefined>>,
  earlier: Answers,
): Answers {
  const standing: Record<string, string> = {};
  const wasSetUp = Object.keys(earlier).length > 0;
  for (const { id, variable, unset } of QUESTIONS) {
    const value = variable === undefined ? earlier[id] : settings[variable];
    if (value !== undefined && value !== '') standing[id] = value;
    else if (unset !== undefined && wasSetUp) standing[id] = unset;
  }
  // Its questions must be asked before it counts.
  if (standing['delivery'] === 'sandbox') delete standing['delivery'];
  const certificate = certificateIn(settings);
  if (standing['certificate'] === undefined && certificate !== null) standing['certificate'] = certificate;
  return standing;
}

function certificateIn(settings: Readonly<Record<string, string | undefined>>): string | null {
  if (settings['ACUSE_ACME_DIRECTORY'] !== undefined) return 'acme';
  return settings['ACUSE_TLS_CERT_FILE'] === undefined ? null : 'files';
}

/** Answers kept for the next run besides the settings, without passwords. Pure. */
export function answersToKeep(answers: Answers): Answers {
  const kept = QUESTIONS.filter(({ id, variable }) => variable === undefined && answers[id] !== undefined);
  return Object.fromEntries(kept.map(({ id }) => [id, answers[id]!]));
}

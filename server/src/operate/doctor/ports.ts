import type { Config } from '../../config/config-type.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';
import { greetingOf, type Heard, hear, type Listener, listenersOf, tryToListen } from './listeners.ts';
import { addressOf } from './probes.ts';

export const ports: Group = async ({ config }, { connect }, signal) => {
  const listeners = listenersOf(config);
  const heard = await Promise.all(listeners.map((one) => hear(one, config.hostname, signal)));
  const findings = await Promise.all(listeners.map((one, at) => judgeListener(one, heard[at]!)));
  const outward = await checkOutward(config, connect, signal);
  return [...findings, ...outward];
};

async function judgeListener(listener: Listener, heard: Heard): Promise<Finding> {
  const { variable, host, port, role } = listener;
  const place = [`port.${role}`, `${host} port ${port}`] as const;
  if (heard.kind === 'answers') return ok(...place, `Answers: ${heard.said}`);
  if (heard.kind === 'foreign') {
    const fix = `stop that program, or set ${variable} to another port`;
    return fault('problem', place, `Another program answers: ${heard.said}`, fix);
  }
  const denied = await tryToListen(listener);
  switch (denied) {
    case null: {
      const detail = `Nothing answers (${heard.why}): no process with the role ${role} runs on this machine.`;
      return fault(
        'warning',
        place,
        detail,
        `start acuse serve here, or give this machine other ACUSE_ROLES`,
      );
    }
    case 'EACCES':
      return fault(
        'problem',
        place,
        `This login may not listen on ports below 1024.`,
        'run as a service with AmbientCapabilities=CAP_NET_BIND_SERVICE (systemd), or forward the port',
      );
    case 'EADDRNOTAVAIL':
      return fault(
        'problem',
        place,
        'This machine does not have that address.',
        'set the address to listen on to one of ip addr',
      );
    default:
      return fault(
        'problem',
        place,
        `Accepted, but not answered (${heard.why}, ${denied}).`,
        `find what holds it: ss -ltnp 'sport = :${port}'`,
      );
  }
}

/** Providers often block port 25. */
async function checkOutward(config: Config, connect: string | null, signal: AbortSignal): Promise<Finding[]> {
  if (config.delivery === 'sandbox') return [];
  const relay = config.smarthost;
  const target =
    relay === null
      ? connect === null
        ? null
        : { host: connect, port: config.smtpPort, tls: false }
      : { host: relay.host, port: relay.port, tls: relay.implicitTls };
  if (target === null) {
    const detail = 'Not tested: whether mail can leave this machine.';
    const fix = 'acuse doctor --connect <a mail server>, such as one that dig MX gmail.com names';
    return [fault('advice', ['port.outbound', `port ${config.smtpPort}`], detail, fix)];
  }
  const place = ['port.outbound', `${target.host} port ${target.port}`] as const;
  let host: string;
  try {
    host = await addressOf(target.host, config);
  } catch (error) {
    return [fault('problem', place, `${(error as Error).message}.`, nameFix(relay !== null))];
  }
  const heard = await greetingOf({ ...target, host }, signal);
  if (heard.kind === 'answers') return [ok(...place, `Greets: ${heard.said}`)];
  if (heard.kind === 'foreign')
    return [
      fault('problem', place, `Does not take our mail: ${heard.said}`, 'look for the reason in that answer'),
    ];
  const fix = NO_NAME.includes(heard.why)
    ? nameFix(relay !== null)
    : relay === null
      ? `have your provider open outbound port ${target.port}, or send through a relay (ACUSE_SMARTHOST)`
      : 'check host and port of ACUSE_SMARTHOST, and the firewall between here and there';
  return [fault('problem', place, `Cannot be reached: ${heard.why}.`, fix)];
}

const NO_NAME: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN'];

const nameFix = (isRelay: boolean) =>
  `check the name${isRelay ? ' in ACUSE_SMARTHOST' : ''}, and that the name servers of this machine (ACUSE_DNS_SERVERS) know it`;

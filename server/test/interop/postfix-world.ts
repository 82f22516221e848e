import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '@acuse/testkit/certificate';
import { freePort } from '@acuse/testkit/free-port';
import type { PostfixService } from '@acuse/testkit/postfix';
import {
  type Installation,
  type InstallationOptions,
  startInstallation,
  startWorld,
  type World,
} from './installation.ts';
import { type MailStore, NOBODY_ID, startMailStore } from './mail-store.ts';

/**
 * A world in which Postfix runs the mail hosts of every domain, and an installation of ours that sends to it.
 */
export interface PostfixWorld {
  readonly world: World;
  readonly store: MailStore;
  readonly acuse: Installation;
  stop(): Promise<void>;
}

/** A mail host beside the ordinary one: the domains that it serves, and how its Postfix differs. */
export interface SpecialHost extends PostfixService {
  readonly domain: string;
}

export const MX = 'mx.postfix.test';

export interface PostfixWorldOptions {
  readonly hosts?: readonly SpecialHost[];
  readonly main?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Settings of the installation. */
  readonly env?: InstallationOptions['env'];
  readonly before?: InstallationOptions['before'];
  /** Lines of the transport table. */
  readonly transports?: (port: number) => readonly string[];
}

/**
 * Domains of special hosts have these as MX; every other domain has the ordinary one. What returns comes back
 * to us.
 */
export async function startPostfixWorld(options: PostfixWorldOptions = {}): Promise<PostfixWorld> {
  const { hosts = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'acuse-mail-'));
  chmodSync(folder, 0o755);
  chownSync(folder, NOBODY_ID, NOBODY_ID);
  const cleanups: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  };
  try {
    const addresses = new Map([
      [MX, '127.0.0.1'],
      ...hosts.map((host) => [mxOf(host.domain), host.address] as const),
    ]);
    const world = await startWorld((name, type) => {
      const address = addresses.get(name);
      if (address !== undefined) return type === 'A' ? [{ type: 'A', value: address }] : [];
      const special = hosts.find((host) => host.domain === name);
      const exchange = special === undefined ? MX : mxOf(special.domain);
      return type === 'MX' ? [{ type: 'MX', preference: 10, exchange }] : [];
    });
    cleanups.push(world.close);
    const [port, returnPathPort] = [await freePort(), await freePort()];
    const transports = [
      `/^b\\+[^@]*@(bounce|mail)\\./ smtp:[127.0.0.1]:${returnPathPort}`,
      ...(options.transports?.(port) ?? []),
    ];
    const store = await startMailStore({
      hostname: MX,
      port,
      certificate: issueCertificate({ subject: MX, names: [MX] }),
      services: [{ address: '127.0.0.1' }, ...hosts],
      folder,
      main: { transport_maps: 'regexp:$config_directory/transports', ...options.main },
      files: { transports: `${transports.join('\n')}\n`, ...options.files },
    });
    cleanups.push(store.stop);
    const acuse = await startInstallation(world, {
      ...{ smtpPort: port, returnPathPort },
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.before === undefined ? {} : { before: options.before }),
    });
    cleanups.push(acuse.stop);
    return { world, store, acuse, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function mxOf(domain: string): string {
  return `mx.${domain}`;
}

import type { Config } from '../../config/config-type.ts';
import { openObjectStore } from '../../platform/s3/object-store.ts';
import type { StoreSettings } from '../../platform/s3/signed-request.ts';
import type { Anchor } from './anchor/anchor.ts';
import { openAnchorFolder } from './anchor/anchor-folder.ts';
import { openAnchorObjects } from './anchor/anchor-objects.ts';
import type { Mirror } from './mirror/mirror.ts';
import { openMirrorFolder } from './mirror/mirror-folder.ts';
import { openMirrorObjects } from './mirror/mirror-objects.ts';

export type OutsideConfig = Pick<
  Config,
  | 'logAnchor'
  | 'logMirror'
  | 's3Endpoint'
  | 's3Region'
  | 's3PathStyle'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 's3SessionToken'
>;

export const isBucket = (place: string): boolean => place.startsWith('s3://');

/** The fix for an unreachable place. */
export function howToReach(place: string): string {
  return isBucket(place) ? 'look at the store, its bucket and the credentials' : 'mount the folder';
}

/** Null: not configured. No request yet. */
export function openAnchor(config: OutsideConfig): Anchor | null {
  const { logAnchor: place } = config;
  if (place === null) return null;
  return isBucket(place)
    ? openAnchorObjects(openObjectStore(place, storeSettings(config)))
    : openAnchorFolder(place);
}

/** Null: not configured. No request yet. */
export function openMirror(config: OutsideConfig): Mirror | null {
  const { logMirror: place } = config;
  if (place === null) return null;
  return isBucket(place)
    ? openMirrorObjects(openObjectStore(place, storeSettings(config)))
    : openMirrorFolder(place);
}

export function storeSettings(config: OutsideConfig): StoreSettings {
  return {
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    pathStyle: config.s3PathStyle,
    // config.ts refuses a configuration without them.
    accessKeyId: config.s3AccessKeyId ?? '',
    secretAccessKey: config.s3SecretAccessKey ?? '',
    sessionToken: config.s3SessionToken,
  };
}

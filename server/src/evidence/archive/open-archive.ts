import type { Config } from '../../config/config-type.ts';
import { openObjectStore } from '../../platform/s3/object-store.ts';
import { isBucket, type OutsideConfig, storeSettings } from '../log/open-outside.ts';
import { openArchiveFolder } from './archive-folder.ts';
import { openArchiveObjects } from './archive-objects.ts';
import type { ArchivePlace } from './archive-place.ts';

export type ArchiveConfig = OutsideConfig & Pick<Config, 'archive'>;

/** An object has up to some 112 MiB (ms). */
const REQUEST_TIMEOUT_MS = 120_000;

export function openArchivePlace(config: OutsideConfig, place: string): ArchivePlace {
  return isBucket(place)
    ? openArchiveObjects(openObjectStore(place, storeSettings(config), REQUEST_TIMEOUT_MS))
    : openArchiveFolder(place);
}

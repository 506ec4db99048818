import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSealingKey, SEALING_KEY_FILE } from '../../../host/keys/sealing-key.ts';
import { fileTrustStore } from '../../../host/trust/trust-store.ts';
import { broken, type Check, type Finding, ok, type Surroundings } from './check.ts';

/** The trust that was given, and the key that seals ledgers: what nobody else may write to. */
export const checkOwnFiles: Check = async (surroundings) => [
  await trustFinding(surroundings),
  await keyFinding(surroundings),
];

async function trustFinding({ folders }: Surroundings): Promise<Finding> {
  const folder = join(folders.data, 'trust');
  if (!existsSync(folder)) return ok('trust', 'none given yet');
  try {
    const { length } = await fileTrustStore(folder).list();
    return ok('trust', `${length} ${length === 1 ? 'digest is' : 'digests are'} trusted (${folder})`);
  } catch (error) {
    return broken('trust', error);
  }
}

/** Loading makes a key where there is none; looking does not. */
async function keyFinding({ folders, io }: Surroundings): Promise<Finding> {
  const path = join(folders.data, SEALING_KEY_FILE);
  if (!existsSync(path)) return ok('sealing key', 'made when the first run is sealed');
  try {
    await loadSealingKey(folders, io.cwd);
    return ok('sealing key', path);
  } catch (error) {
    return broken('sealing key', error);
  }
}

import { dirname, join } from 'node:path';
import type { InstallClient } from './clients.ts';
import { editConfig } from './edit-config.ts';
import { readConfig } from './read-config.ts';

/**
 * The file to change, of those beside each other that the client reads: the one that has the server, else the one that is
 * there, else the usual one.
 */
export async function chooseFile(client: InstallClient, file: string, name: string): Promise<string> {
  if (client.otherName === undefined) return file;
  const other = join(dirname(file), client.otherName);
  const [usual, second] = await Promise.all([look(client, file, name), look(client, other, name)]);
  if (usual === 'has it' || second === 'missing') return file;
  return usual === 'missing' || second === 'has it' ? other : file;
}

async function look(
  client: InstallClient,
  file: string,
  name: string,
): Promise<'missing' | 'is there' | 'has it'> {
  try {
    const text = await readConfig(file);
    if (text === null) return 'missing';
    return editConfig(text, { client, file, name, start: null }) === text ? 'is there' : 'has it';
  } catch {
    // What is wrong with it is said when it is to be changed.
    return 'is there';
  }
}

import { KairosError } from '../../base/errors.ts';
import { embeddingFailed } from './failed.ts';

/**
 * Loads a package that kairos doesn't include. It is looked up where kairos is installed, never in the
 * working directory. Throws EMBEDDING_FAILED with the install command for a missing package.
 */
export async function importOptional<T>(provider: string, name: string, together: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    if (cause instanceof KairosError) throw cause;
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw embeddingFailed(
      provider,
      missing ? `needs the package ${name}, which is not installed` : `cannot load the package ${name}`,
      `Install it next to kairos: npm install ${together} (with -g for a global kairos).`,
      cause,
    );
  }
}

import { dirname, resolve } from 'node:path';
import { ignoreRules } from '../../../lint/files/ignore-rules.ts';
import { RULES } from '../../../lint/rules/index.ts';
import type { Output } from '../../output.ts';
import { finder } from './once.ts';
import type { LintOptions } from './options.ts';

/** Shows, as JSON, what is configured for a file, every rule included. */
export async function printConfig(
  name: string,
  options: LintOptions,
  cwd: string,
  output: Output,
): Promise<void> {
  const file = resolve(cwd, name);
  const configuration = await finder(options, cwd).forFolder(dirname(file));
  const isIgnored = (await ignoreRules([cwd]).isIgnored(file, false)) || configuration.ignores(file);
  const value = {
    configuration: configuration.file,
    ignored: isIgnored,
    lint: {
      rules: Object.fromEntries(
        RULES.map(({ id, severity }) => [id, configuration.severities.get(id) ?? severity]),
      ),
      ignore: configuration.ignorePatterns,
    },
  };
  if (output.json) output.object(value);
  else output.document(`${JSON.stringify(value, null, 2)}\n`, { json: true });
}

import type { AttestOutput } from '../../src/operations/attest.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type CliHome, type CliOptions, firstObject, kairosJson } from './cli.ts';
import type { Tools } from './walker.ts';

/** The walking tools by `begin`, `next` and `attest --json` of the command line; a walk error ends with 1, all else with 0. */
export function cliTools(home: CliHome, options: CliOptions = {}): Tools {
  const call = async (args: string[]): Promise<RunFields & AttestOutput> => {
    const result = await kairosJson(home, args, options);
    const answer = firstObject<RunFields & AttestOutput>(result);
    const expected = answer.error_code == null ? 0 : 1;
    if (result.code !== expected || result.stderr !== '' || result.objects.length !== 1) {
      throw new Error(`${args[0]} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    }
    return answer;
  };
  const run = (id: string | undefined) => (id === undefined ? [] : ['--run', id]);
  return {
    begin: ({ uri }) => call(['begin', uri]),
    next: ({ uri, solution, run_id }) =>
      call([
        'next',
        uri,
        ...(solution === undefined ? [] : ['--solution', JSON.stringify(solution)]),
        ...run(run_id),
      ]),
    attest: ({ uri, outcome, message, run_id }) => call(['attest', uri, outcome, message, ...run(run_id)]),
  };
}

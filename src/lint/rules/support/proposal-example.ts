import { ask, chain, shell, step } from './example.ts';

/** A proposal with which nothing is wrong; rules show theirs by changing it. */
const SOUND = {
  action_type: 'write',
  target: { resource_type: 'database', domain: 'db.example.org' },
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
  approval_class: 'single',
};

/**
 * A chain of a check, a question, and a gated command (line 24) whose proposal differs from a sound one as
 * given.
 */
export function guarded(
  proposal: Record<string, unknown>,
  cmd = 'make migrate',
  more: Record<string, unknown> = {},
): string {
  return chain(
    'Migrate',
    step('Test', 'Run the tests.', shell('make test')),
    step(
      'Ask',
      'Ask the owner.',
      ask('Do you want to migrate the database now?', { choices: ['migrate now'] }),
    ),
    step('Migrate', 'Migrate it.', { proposal: { ...SOUND, ...proposal }, ...shell(cmd, more) }),
  );
}

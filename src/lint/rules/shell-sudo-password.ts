import type { LintRule } from '../rule.ts';

/** `sudo` that may have to ask, and cannot. */
export const shellSudoPassword: LintRule = {
  id: 'shell-sudo-password',
  family: 'shell',
  severity: 'info',
  summary: '`sudo` gets an option for the case that it needs a password.',
  why: 'A command has no terminal, so sudo cannot ask. It then fails with an unclear message about a terminal; with -n it reports that a password is needed, and with "interactive": true it can ask.',
  fixable: false,
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      if (script.role === 'proof' && proof?.type === 'shell' && proof.shell.interactive === true) continue;
      for (const { name, args, pos } of script.parsed.commands) {
        if (
          name !== 'sudo' ||
          args.some((arg) => /^(?:-[a-zA-Z]*[nSA]|--non-interactive|--stdin|--askpass)$/.test(arg))
        )
          continue;
        context.report({
          place: script.place(pos, pos + 'sudo'.length),
          reason:
            'sudo cannot ask for a password here. Write sudo -n, so that it reports what is missing, or set "interactive": true.',
        });
      }
    }
  },
};

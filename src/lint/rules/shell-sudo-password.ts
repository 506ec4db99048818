import type { LintRule } from '../rule.ts';
import { howToInteract } from './support/written.ts';

/** Options with which sudo doesn't ask at a terminal. */
const ANSWERED = /^(?:-[a-zA-Z]*[nSA]|--non-interactive|--stdin|--askpass)$/;

/** The command that ssh runs elsewhere begins a part with a sudo that may ask; `-t` gives it no terminal here either. */
function asksRemotely(args: readonly string[]): boolean {
  const parts = args.join(' ').matchAll(/(?:^|[\s;&|(])sudo(?<rest>(?:\s+[^\s;&|)]+)*)/g);
  return [...parts].some(
    ({ groups }) => !(groups?.rest ?? '').split(/\s+/).some((arg) => ANSWERED.test(arg)),
  );
}

export const shellSudoPassword: LintRule = {
  id: 'shell-sudo-password',
  family: 'shell',
  severity: 'info',
  summary: '`sudo` gets an option for the case that it needs a password.',
  why: 'A command has no terminal, so sudo cannot ask. It then fails with an unclear message about a terminal. With -n it reports that a password is needed, and with "interactive": true it can ask.',
  check(context) {
    for (const script of context.scripts) {
      const proof = script.block.value.proof_of_work;
      if (script.role === 'proof' && proof?.type === 'shell' && proof.shell.interactive === true) continue;
      for (const { name, args, pos } of script.parsed.commands) {
        const asks =
          name === 'sudo' ? !args.some((arg) => ANSWERED.test(arg)) : name === 'ssh' && asksRemotely(args);
        if (!asks) continue;
        context.report({
          place: script.place(pos, pos + (name ?? '').length),
          reason: `sudo cannot ask for a password here. Write sudo -n, so that it reports what is missing, or ${howToInteract(script.block)}.`,
        });
      }
    }
  },
};

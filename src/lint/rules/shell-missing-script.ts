import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { existsAbove, scriptsBefore } from './support/written.ts';

export const shellMissingScript: LintRule = {
  id: 'shell-missing-script',
  family: 'shell',
  severity: 'info',
  summary: 'A script that a command runs exists next to the document or above it.',
  why: 'A renamed or removed script is found out in the middle of the procedure. The rule looks in the folder of the document and in those above it, up to the root of the repository, for scripts with a relative path. It skips build folders and scripts that an earlier command names.',
  check(context) {
    for (const script of context.scripts) {
      if (script.parsed.commands.some(({ name }) => name === 'cd' || name === 'pushd')) continue;
      for (const { name, args, pos, end } of script.parsed.commands) {
        const path = scriptOf(name, args, script.parsed.text.slice(pos, end));
        if (path === null || isMadeBefore(context, script, path) || existsAbove(context, script, path))
          continue;
        context.report({
          place: script.place(pos, end),
          reason: `${path} exists neither next to this document nor in a folder above it. Correct the path, or set workdir to the folder from which it exists.`,
        });
      }
    }
  },
};

const INTERPRETERS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh python python3 node deno bun ruby perl pwsh source .'.split(' '),
);
/** A relative path to a script, as written: no expansion, and in no folder that a build makes. */
const SCRIPT =
  /^(?!\/|~|(?:.*\/)?(?:\.?venv|node_modules|dist|build|out|target|vendor|tmp|bin)\/)[\w./-]+\.(?:sh|bash|zsh|py|rb|pl|ps1|mjs|cjs|js|ts)$/;

/** The script that a command is, or that it hands to an interpreter. */
function scriptOf(name: string | null, args: readonly string[], text: string): string | null {
  const [first = ''] = args;
  const [word = ''] = /^\S*/.exec(text)!;
  const path = name !== null && INTERPRETERS.has(name) ? first : word.includes('/') ? word : '';
  return SCRIPT.test(path) ? path : null;
}

/** Earlier commands, and this one, may make what they name. */
function isMadeBefore(context: RuleContext, script: StepScript, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const texts = scriptsBefore(context, script).map(({ text }) => text);
  const own = script.text.split(path);
  return texts.some((text) => text.includes(name)) || own.length > 2 || own[0]!.includes(name);
}

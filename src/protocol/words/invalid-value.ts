import { type Args, code, type ProblemWords, quoted } from './document.ts';

const EXAMPLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    proof_of_work: '{"type": "shell", "shell": {"cmd": "npm test"}}',
    shell: '{"cmd": "npm test", "timeout_seconds": 60}',
    mcp: '{"tool_name": "create_release"}',
    user_input: '{"prompt": "Release now?"}',
    comment: '{"min_length": 50}',
    cmd: '"npm test"',
    timeout_seconds: '60',
    workdir: '"packages/app"',
    expect_exit_code: '0',
    min_length: '50',
    choices: '["yes", "no"]',
    assurance: '"observed"',
    path: '"dist/index.js"',
    prompt: '"Release now?"',
    tool_name: '"create_release"',
    type: '"shell"',
    env: '["GITHUB_TOKEN"]',
    outputs: '[{"path": "dist/index.js", "exists": true}]',
  }),
);

/** Words for a value of a step block that is missing, of the wrong kind, or cannot be kept as written. */
export function invalidWords(args: Args): ProblemWords {
  const { issue, path } = args;
  const where = path === '' || path === undefined ? 'The step block' : code(String(path));
  switch (issue) {
    case 'missing':
      return { reason: `${where} is missing.`, hint: missingHint(args) };
    case 'type':
      return {
        reason: `${where} is ${args.actual}, but must be ${kind(args.expected)}.`,
        hint: example(path),
      };
    case 'too-small':
    case 'too-big':
      return { reason: `${where} is ${args.actual}, but must ${bound(args)}.`, hint: example(path) };
    case 'format':
      return {
        reason: `${where} is ${args.actual}, which does not have the form that is needed.`,
        hint: formatHint(path),
      };
    case 'value':
      return {
        reason: `${where} is ${args.actual}${args.expected === undefined ? ', which cannot be used' : `, but must be one of: ${args.expected}`}.`,
        hint: example(path),
      };
    default:
      return special(args, where);
  }
}

function special({ issue, path, found }: Args, where: string): ProblemWords {
  switch (issue) {
    case 'schema':
      return {
        reason: `${where} isn't a usable JSON Schema: ${found}.`,
        hint: 'Write JSON Schema 2020-12 with references only into the schema itself and RE2 patterns.',
      };
    case 'both':
      return {
        reason:
          'The block has both `proof_of_work` and `challenge`, which are two names for the same demand.',
        hint: 'Keep `proof_of_work`.',
      };
    case 'array':
      return {
        reason: 'A step block is one object, but this is a list.',
        hint: 'Write one step for each demand. Remove the brackets to keep the first one here.',
      };
    case 'duplicate-key':
      return {
        reason: `The key ${quoted(path)} occurs twice in one object, and only one of them would be read.`,
        hint: 'Remove one of them.',
      };
    case 'number':
      return {
        reason: `${where} is a number that cannot be kept exactly.`,
        hint: 'Numbers are doubles: integers up to 9007199254740991, about 17 digits. Write another one as text.',
      };
    case 'surrogate':
      return {
        reason: `${where} contains half of a surrogate pair, which isn't a character.`,
        hint: 'Write the whole character.',
      };
    case 'nul':
      return {
        reason: `${where} contains a NUL character, which commands and files can't contain.`,
        hint: 'Remove it.',
      };
    case 'proto':
      return { reason: 'The key `__proto__` is not allowed in a step block.', hint: 'Choose another name.' };
    case 'shorthand-twice':
      return { reason: `${where} occurs twice in this fence.`, hint: 'Remove one of them.' };
    case 'shorthand-timeout':
      return {
        reason: `The timeout ${quoted(found)} can't be read.`,
        hint: 'Write a whole number with s, m, h or d, such as timeout=10m.',
      };
    case 'shorthand-exit':
      return {
        reason: `The exit code ${quoted(found)} can't be read.`,
        hint: 'Write a number from 0 to 255.',
      };
    case 'shorthand-workdir':
      return { reason: 'The workdir is empty.', hint: 'Write for example workdir=packages/app.' };
    case 'shorthand-env':
      return {
        reason: `The list of variables ${quoted(found)} can't be read.`,
        hint: 'Write names with commas and without spaces, such as env=HOME,GITHUB_TOKEN.',
      };
    case 'line-empty':
      return {
        reason: 'This proof line demands nothing: there is no command after the colon.',
        hint: 'Write for example `PROOF OF WORK: npm test`, or better a step block.',
      };
    case 'line-continued':
      return {
        reason:
          'A proof line is one line, but the next one looks like the rest of its command, which would be lost.',
        hint: 'Write all of it on one line or in a step block; leave a blank line before other text.',
      };
    case 'line-comment':
      return {
        reason: 'A proof line that asks for a comment accepts only `min_length`.',
        hint: 'Write for example `PROOF OF WORK: comment min_length=50`. If a program named comment is meant, write a step block.',
      };
    case 'line-tool':
      return {
        reason: 'This proof line names no MCP tool.',
        hint: 'Write for example `PROOF OF WORK: mcp create_release tag=v1`.',
      };
    case 'line-arguments':
      return {
        reason:
          'The arguments of this MCP tool cannot be read: each must be key=value, every key once, and quotes and brackets closed.',
        hint: 'Write for example `PROOF OF WORK: mcp create_release tag=v1 draft=true`.',
      };
    default:
      return { reason: `${where} cannot be used.`, hint: '' };
  }
}

function missingHint({ path, expected }: Args): string {
  const key = lastKey(path);
  if (key === 'type') return 'Add "type": shell, mcp, user_input or comment.';
  const sample = EXAMPLES.get(key) ?? (expected === 'string' ? '"…"' : undefined);
  return sample === undefined ? `Add it.` : `Add ${JSON.stringify(key)}: ${sample}.`;
}

function kind(expected: Args[string]): string {
  switch (expected) {
    case 'string':
      return 'a text in quotes';
    case 'int':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object in braces';
    default:
      return `of type ${expected}`;
  }
}

function bound({ issue, origin, expected }: Args): string {
  const limit = issue === 'too-small' ? 'at least' : 'at most';
  if (origin === 'string') return expected === 1 ? 'not be empty' : `have ${limit} ${expected} characters`;
  if (origin === 'array')
    return expected === 1 ? 'have at least one item' : `have ${limit} ${expected} items`;
  return `be ${limit} ${expected}`;
}

function formatHint(path: Args[string]): string {
  switch (lastKey(path)) {
    case 'env':
      return 'List names of environment variables, such as GITHUB_TOKEN, without values.';
    case 'sha256':
      return 'Write 64 hexadecimal digits in lower case.';
    case 'json_pointer':
      return 'Write a JSON Pointer such as /version; the empty text means the whole document.';
    case 'cmd':
      return 'Write the command that proves the step, or remove the proof.';
    default:
      return '';
  }
}

function example(path: Args[string]): string {
  const sample = EXAMPLES.get(lastKey(path));
  return sample === undefined ? '' : `Write for example ${JSON.stringify(lastKey(path))}: ${sample}.`;
}

function lastKey(path: Args[string]): string {
  return String(path)
    .replace(/\[\d+\]$/, '')
    .split('.')
    .at(-1)!;
}

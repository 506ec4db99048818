import { fixText } from '../../../../src/lint/fix.ts';
import { lintSource } from '../../../../src/lint/lint-source.ts';
import type { LintMessage } from '../../../../src/lint/message.ts';
import { parseProtocol } from '../../../../src/protocol/parse.ts';

const MAX_ROUNDS = 100;

/** What is found in a document that stands nowhere, so that nothing is said of its links. */
export const findings = async (text: string): Promise<LintMessage[]> => (await lintSource(text)).messages;

/** Errors and warnings. */
export const faults = async (text: string): Promise<LintMessage[]> =>
  (await findings(text)).filter(({ severity }) => severity !== 'info');

/** A document after all that lint mends by itself and, for the rest, the plainest thing that a person would do about it. */
export async function decideAll(source: string): Promise<string> {
  let text = source;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    text = (await fixText(text, findings, { unsafe: false })).text;
    const [first] = (await faults(text)).toSorted((a, b) => rank(a) - rank(b));
    if (first === undefined) return text;
    text = await decide(text, first);
  }
  throw new Error('nobody could decide');
}

/** Fences first, since they make other things look wrong; what is missing last. */
function rank({ ruleId }: LintMessage): number {
  if (ruleId === 'block-pseudo-fence' || ruleId === 'fence-inline') return 0;
  return ruleId === 'chain-without-proof' ? 2 : 1;
}

async function decide(text: string, { ruleId, place, reason, fix }: LintMessage): Promise<string> {
  const [start, end] = [place.start.offset, place.end.offset];
  const written = text.slice(start, end);
  const put = (replacement: string) => text.slice(0, start) + replacement + text.slice(end);
  switch (ruleId) {
    case 'block-pseudo-fence':
    case 'fence-inline':
      return put(`\n\n${written}`);
    // The fence around it was to close one that is none, since it does not begin its line.
    case 'block-nested': {
      const outer = Number(/fence of line (\d+)/.exec(reason)![1]);
      return text
        .split('\n')
        .filter((_, at) => at !== outer - 1)
        .join('\n');
    }
    // A block or a line that was an example, or a sentence.
    case 'block-duplicate':
    case 'legacy-proof-line':
      return put(/^[`~]/.test(written) ? `\`\`\`\`markdown\n${written}\n\`\`\`\`` : `(${written})`);
    case 'shell-variable-not-passed':
      return text.slice(0, fix!.range[0]) + fix!.replacement + text.slice(fix!.range[1]);
    case 'shell-placeholder':
      return put('latest');
    case 'shell-cannot-fail':
      return put('test -d .');
    case 'vague-prompt':
      return put('"Shall the notes of this run be sent to the team now?"');
    case 'approval-after-command':
      return put('"Does the page show what the last command did?"');
    case 'step-empty':
      return put(`${written}\n\nIt has two parts.`);
    case 'text-before-h1':
      return put('');
    case 'no-h1': {
      const { frontmatter } = (await parseProtocol(text)).document;
      const at = frontmatter?.place.end.offset ?? 0;
      return `${text.slice(0, at)}\n\n# A title\n\n${text.slice(at)}`;
    }
    case 'frontmatter-misplaced':
      return text.slice(0, start) + text.slice(start).replace(/^---[\s\S]*?\n---[ \t]*\n/, '');
    case 'chain-without-proof': {
      const { chains } = (await parseProtocol(text)).document;
      const at = chains.find(({ titlePlace }) => titlePlace.start.offset === start)!.place.end.offset;
      return `${text.slice(0, at)}\n\n## Tell of it\n\n${TELL}\n\n${text.slice(at)}`;
    }
    default:
      throw new Error(`nobody has said what to do about ${ruleId} in line ${place.start.line}: ${reason}`);
  }
}

const TELL =
  'Say what was done.\n\n```json\n{"proof_of_work": {"type": "comment", "comment": {"min_length": 40}}}\n```';

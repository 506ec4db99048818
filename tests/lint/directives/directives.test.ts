import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixText } from '../../../src/lint/fix.ts';
import { lintSource } from '../../../src/lint/lint-source.ts';
import { LINT_RULES } from '../../../src/lint/rules/index.ts';
import { runs } from '../../support/thorough.ts';

/** Something that a rule finds wherever it stands. */
const BAD = '\u202e';
const WATCHED = ['hidden-character', 'directive-unknown', 'directive-unused', 'directive-without-reason'];
const rules = LINT_RULES.filter(({ id }) => WATCHED.includes(id));

async function lint(source: string, settings = {}) {
  const { messages, suppressed } = await lintSource(source, { settings: { rules, ...settings } });
  return {
    found: messages.map(({ ruleId, place: { start } }) => `${start.line} ${ruleId}`),
    held: suppressed.map(({ message, reason }) => `${message.place.start.line} ${reason}`),
  };
}

const document = (...lines: string[]) => ['# T', '', '## S', '', ...lines, ''].join('\n');

describe('directives', () => {
  it.each([
    [
      'for the next line',
      document('<!-- kairos-disable-next-line hidden-character -- why -->', BAD, '', BAD),
      ['8 hidden-character'],
      ['6 why'],
    ],
    [
      'for the next line that is not blank',
      document('<!-- kairos-disable-next-line hidden-character -- why -->', '', '', BAD),
      [],
      ['8 why'],
    ],
    [
      'for the whole block when the next line opens a fence',
      document(
        '<!-- kairos-disable-next-line hidden-character -- why -->',
        '````json',
        BAD,
        '```',
        BAD,
        '````',
        BAD,
      ),
      ['11 hidden-character'],
      ['7 why', '9 why'],
    ],
    [
      'from here on',
      document(BAD, '', '<!-- kairos-disable hidden-character -- why -->', '', BAD),
      ['5 hidden-character'],
      ['9 why'],
    ],
    [
      'until it is enabled again',
      document(
        '<!-- kairos-disable hidden-character -- why -->',
        BAD,
        '',
        '<!-- kairos-enable hidden-character -->',
        '',
        BAD,
      ),
      ['10 hidden-character'],
      ['6 why'],
    ],
    [
      'until everything is enabled again',
      document('<!-- kairos-disable hidden-character -- why -->', BAD, '', '<!-- kairos-enable -->', '', BAD),
      ['10 hidden-character'],
      ['6 why'],
    ],
    [
      'for the whole file, wherever it stands',
      document(BAD, '', '<!-- kairos-disable-file hidden-character -- why -->'),
      [],
      ['5 why'],
    ],
    ['in running text', document(`A <!-- kairos-disable hidden-character -- why --> ${BAD}`), [], ['5 why']],
    [
      'with several rules and without a reason',
      document('<!-- kairos-disable-next-line hidden-character,step-without-proof -->', BAD),
      ['5 directive-without-reason', '5 directive-unused'],
      ['6 undefined'],
    ],
  ])('suppress %s', async (_, source, found, held) => {
    expect(await lint(source)).toEqual({ found, held });
  });

  it.each([
    ['in a fence', document('```html', '<!-- kairos-disable-file hidden-character -->', '```', BAD)],
    ['in a code span', document(`\`<!-- kairos-disable-file hidden-character -->\` ${BAD}`)],
    ['in an indented block', document('    <!-- kairos-disable-file hidden-character -->', '', BAD)],
    ['that is escaped', document(`\\<!-- kairos-disable-file hidden-character --> ${BAD}`)],
    ['that is about something else', document(`<!-- Use kairos-disable-file hidden-character -->`, '', BAD)],
  ])('do not count %s', async (_, source) => {
    const { found, held } = await lint(source);
    expect([found.map((line) => line.slice(2)), held]).toEqual([['hidden-character'], []]);
  });

  it('do nothing where inline configuration is off', async () => {
    const source = document('<!-- kairos-disable-file hidden-charakter, no-h1 -->', BAD);
    expect(await lint(source, { inlineConfig: false })).toEqual({ found: ['6 hidden-character'], held: [] });
  });

  it('never turn on what the configuration turned off', async () => {
    const source = document('<!-- kairos-enable hidden-character -->', BAD);
    const severities = new Map([['hidden-character', 'off' as const]]);
    expect(await lint(source, { severities })).toEqual({ found: [], held: [] });
  });

  it('cannot suppress findings about themselves', async () => {
    const source = document('<!-- kairos-disable-file directive-unused, directive-unknown -- why -->');
    expect((await lint(source)).found).toEqual(['5 directive-unknown', '5 directive-unknown']);
  });

  it('do not touch safety rules where those are enforced', async () => {
    const source = document('<!-- kairos-disable-file hidden-character -- why -->', BAD);
    const severities = new Map([['hidden-character', 'off' as const]]);
    const { found, held } = await lint(source, { enforceSafety: true, severities });
    expect([found, held]).toEqual([['5 directive-unused', '6 hidden-character'], []]);
  });

  it('count once: the most specific one is of use, the others are not', async () => {
    const source = document(
      '<!-- kairos-disable-file hidden-character -- file -->',
      '<!-- kairos-disable hidden-character -- block -->',
      '<!-- kairos-disable-next-line hidden-character -- line -->',
      BAD,
    );
    expect(await lint(source)).toEqual({
      found: ['5 directive-unused', '6 directive-unused'],
      held: ['8 line'],
    });
  });
});

describe('directives, fixed', () => {
  const mend = async (source: string) => {
    const messages = async (text: string) =>
      (await lintSource(text, { settings: { rules } })).messages.filter(({ ruleId }) =>
        ruleId.startsWith('directive'),
      );
    return (await fixText(source, messages, { unsafe: false })).text;
  };

  it.each([
    [
      'alone on its line',
      ['a', '', '<!-- kairos-disable hidden-character -- x -->', '', 'b'],
      ['a', '', 'b'],
    ],
    [
      'between two lines of text',
      ['a', '<!-- kairos-disable hidden-character -- x -->', 'b'],
      ['a', '', 'b'],
    ],
    ['behind a list', ['- a', '<!-- kairos-disable hidden-character -- x -->', '', 'b'], ['- a', '', 'b']],
    ['over several lines', ['<!-- kairos-disable', 'hidden-character -- x', '-->', 'b'], ['b']],
    ['in running text', ['a <!-- kairos-disable hidden-character -- x --> b'], ['a b']],
    ['at the end of a line', ['a <!-- kairos-disable hidden-character -- x -->', 'b'], ['a', 'b']],
    [
      'where it keeps a heading from being one',
      ['<!-- kairos-disable hidden-character -- x --> ## H'],
      ['<!-- --> ## H'],
    ],
    [
      'one rule of two',
      ['<!-- kairos-disable-next-line no-h1, hidden-character -- x -->', BAD],
      ['<!-- kairos-disable-next-line hidden-character -- x -->', BAD],
    ],
  ])('remove what is unused %s', async (_, before, after) => {
    expect(await mend(document(...before))).toBe(document(...after));
  });

  const line = fc.oneof(
    fc.constantFrom('', '', 'text', '- item', '> quote', '```', `bad ${BAD}`, '### H3', '***'),
    fc
      .tuple(
        fc.constantFrom('disable', 'enable', 'disable-next-line', 'disable-file'),
        fc.subarray(['hidden-character', 'step-without-proof', 'no-h1', 'no-such-rule'], { minLength: 1 }),
        fc.constantFrom('', ' -- why'),
        fc.constantFrom('', 'a ', '- ', '> '),
        fc.constantFrom('', ' b', ' # h', ' ```'),
      )
      .map(
        ([kind, ids, reason, before, after]) =>
          `${before}<!-- kairos-${kind} ${ids.join(', ')}${reason} -->${after}`,
      ),
  );

  it('reach a text without unused directives, and find in it what they found before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const before = document(...lines);
        const after = await mend(before);
        expect(await mend(after)).toBe(after);
        const found = async (text: string) => (await lint(text)).found.map((row) => row.replace(/^\d+ /, ''));
        const isSafetyFinding = (id: string) => id === 'hidden-character';
        expect((await found(after)).filter((id) => id === 'directive-unused')).toEqual([]);
        expect((await found(after)).filter(isSafetyFinding)).toEqual(
          (await found(before)).filter(isSafetyFinding),
        );
      }),
      { numRuns: runs(100) },
    );
  });

  it('do not make other steps or headings of a document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const before = document(...lines);
        expect(await outline(await mend(before))).toEqual(await outline(before));
      }),
      { numRuns: runs(100) },
    );
  });
});

async function outline(source: string): Promise<unknown> {
  const { scan } = await import('../../../src/protocol/scan/scan.ts');
  const { lineIndex } = await import('../../../src/protocol/position.ts');
  const { blocks } = await scan(source, lineIndex(source));
  return blocks.flatMap((block) => (block.type === 'heading' || block.type === 'code' ? [block.type] : []));
}

import { describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../../src/base/escape.ts';
import { reportPath } from '../../../src/lint/report.ts';
import { type Format, REPORTERS } from '../../../src/lint/reporters/index.ts';
import { githubSummary } from '../../../src/lint/reporters/xml.ts';
import { runs } from '../../support/thorough.ts';
import { EMPTY, HOSTILE, HOSTILE_PATH, HOSTILE_REASON, message, optionsFor } from './hostile.ts';

const hostile = (format: Format) => REPORTERS[format](optionsFor(HOSTILE));
/** More than a call has arguments. */
const MANY = [
  { path: 'a.md', messages: Array.from({ length: runs(130_000) }, () => message()), suppressed: [] },
];
const lines = (text: string) => text.replace(/\n$/, '').split('\n');

describe.each(Object.keys(REPORTERS) as Format[])('%s', (format) => {
  it('stays what it is on hostile names and texts', () => {
    expect(hostile(format)).toMatchSnapshot();
  });

  it('prints no findings in its format', () => {
    expect(REPORTERS[format](optionsFor(EMPTY))).toMatchSnapshot();
  });

  it('reports as many findings of one document as there are', () => {
    expect(REPORTERS[format](optionsFor({ ...EMPTY, results: MANY }))).toContain('The step has no proof.');
  });

  it('is whole lines', () => {
    expect(hostile(format)).toMatch(/\n$/);
  });
});

describe('formats for people', () => {
  it.each(['stylish', 'compact'] as const)('%s lets nothing through that a terminal would obey', (format) => {
    for (const line of lines(hostile(format))) expect(escapeForTerminal(line)).toBe(line);
  });

  it('compact has one line a finding', () => {
    expect(lines(hostile('compact'))).toHaveLength(6);
  });
});

describe('formats for programs', () => {
  it('json contains everything', () => {
    const { results, failures, summary } = JSON.parse(hostile('json'));
    expect(results[2].path).toBe(HOSTILE_PATH);
    expect(results[2].messages[0].reason).toBe(HOSTILE_REASON);
    expect(results.map(({ messages }: { messages: unknown }) => messages)).toEqual(
      HOSTILE.results.map(({ messages }) => messages),
    );
    expect(failures).toEqual(HOSTILE.failures);
    expect(summary).toEqual({
      documents: 4,
      prose: 2,
      ignored: 1,
      errors: 1,
      warnings: 3,
      infos: 1,
      fixable: 1,
      unsafelyFixable: 1,
      suppressed: 2,
      failures: 1,
    });
    expect(lines(hostile('json'))).toHaveLength(1);
  });

  it('jsonl has one object a line', () => {
    const objects = lines(hostile('jsonl')).map((line) => JSON.parse(line));
    expect(objects.map(({ path, ruleId }) => [path, ruleId])).toEqual([
      [null, 'step-without-proof'],
      [HOSTILE_PATH, 'hidden-character'],
      [HOSTILE_PATH, 'step-without-proof'],
      [HOSTILE_PATH, 'step-without-proof'],
      ['/abs/ümlaut #1.md', 'step-without-proof'],
      ['gone\u001b.md', undefined],
    ]);
  });

  it('gitlab gets different fingerprints for different findings', () => {
    const issues = JSON.parse(hostile('gitlab')) as { fingerprint: string }[];
    expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length);
  });

  it.each(['junit', 'checkstyle'] as const)('%s is well-formed XML 1.0', (format) => {
    expect(wellFormed(hostile(format))).toBe(true);
  });

  it('github prints only its own commands', () => {
    const commands = lines(hostile('github'));
    expect(commands).toHaveLength(6);
    for (const command of commands) {
      expect(command).toMatch(/^::(?:error|warning|notice) file=[^,]*(?:,[a-zA-Z]+=[^,:]*)*::[^\r\n]*$/);
    }
  });

  it('github names place and rule in the text of each annotation', () => {
    expect(lines(hostile('github')).at(0)).toMatch(/::<stdin>:3:1 .* \[step-without-proof\]$/);
  });

  it('the summary of GitHub puts errors first and stays within its bytes', () => {
    const many = Array.from({ length: 400 }, () =>
      message({ severity: 'info', fatal: null, reason: 'ü'.repeat(300) }),
    );
    const report = {
      ...EMPTY,
      results: [
        { path: 'a.md', messages: many, suppressed: [] },
        {
          path: 'z.md',
          messages: [message({ severity: 'error', fatal: true, reason: 'Broken.' })],
          suppressed: [],
        },
      ],
    };
    const text = githubSummary(optionsFor(report), 50_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50_000);
    expect(text.split('\n').find((line) => /^\| \w/.test(line))).toContain('Broken.');
    expect(text).toMatch(/\n\d+ more are in the log\.\n/);
    const whole = githubSummary(optionsFor(report));
    expect(whole.split('\n').filter((line) => /^\| \w/.test(line))).toHaveLength(401);
  });

  it.each(['json', 'jsonl', 'sarif', 'gitlab', 'junit', 'checkstyle', 'github'] as const)(
    '%s escapes characters that a terminal would obey or hide',
    (format) => {
      const odd = {
        path: 'a\u202e\u009b\u007f.md',
        messages: [message({ reason: 'x \u202e \u009b31m \u007f \ud800' })],
        suppressed: [],
      };
      const text = REPORTERS[format](optionsFor({ ...EMPTY, results: [odd] }));
      for (const line of text.split('\n')) expect(escapeForTerminal(line)).toBe(line);
    },
  );

  it('the summary of GitHub is a table that no text breaks', () => {
    const rows = githubSummary(optionsFor(HOSTILE))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(8);
    for (const row of rows) expect(row.split('|')).toHaveLength(row.startsWith('|---') ? 6 : 6);
    expect(githubSummary(optionsFor(HOSTILE))).toMatchSnapshot();
    expect(githubSummary(optionsFor(EMPTY))).toBe(
      '### kairos lint\n\n0 errors, 0 warnings, 0 info in 0 protocols.\n\n',
    );
  });
});

/** Tags in pairs, no stray markup, and nothing that XML 1.0 forbids. */
function wellFormed(text: string): boolean {
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text)) return false;
  const open: string[] = [];
  const rest = text
    .replace(/^<\?xml [^?]*\?>\n/, '')
    .replace(
      /<(\/?)(\w+)((?: [\w-]+="[^"<&]*(?:&[#\w]+;[^"<&]*)*")*)(\/?)>/g,
      (_, close, name, _attributes, empty) => {
        if (close) return open.pop() === name ? '' : '<';
        if (!empty) open.push(name);
        return '';
      },
    );
  return open.length === 0 && !/[<>]|&(?![#\w]+;)/.test(rest);
}

it('a path has slashes where backslashes separate, and only there', () => {
  expect(reportPath('a\\b.md', '\\')).toBe('a/b.md');
  expect(reportPath('a\\b/c.md', '/')).toBe('a\\b/c.md');
  expect(reportPath(undefined)).toBe('<stdin>');
});

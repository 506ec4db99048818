import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/base/command-line.ts';
import { nextCommands } from '../../../src/cli/views/next-command.ts';
import type { Challenge, RunFields } from '../../../src/run/walk-fields.ts';
import { NEXT, withRun } from '../../../src/run/wording.ts';

const URI = 'kairos://mem/11111111-2222-5333-8444-555555555555';
const HERE = 'kairos://mem/99999999-2222-5333-8444-555555555555';
const RUN = '0b7e1c9c-7f0f-4f57-9a53-0d7e9d2a0001';
const challenge = (type: Challenge['type'], parts: Partial<Challenge> = {}): Challenge => ({
  type,
  description: 'Do it.',
  nonce: 'ab'.repeat(16),
  proof_hash: 'cd'.repeat(32),
  ...parts,
});
const answer = (action: string, parts: Partial<RunFields> = {}): RunFields => ({
  must_obey: true,
  next_action: withRun(action, RUN),
  run_id: RUN,
  current_step: { uri: HERE, content: '', mimeType: 'text/markdown' },
  ...parts,
});
const lines = (fields: RunFields, carried?: string[]) =>
  nextCommands(fields, commandLine(carried)).map(({ line }) => line);
const bound = `"nonce":"${'ab'.repeat(16)}","proof_hash":"${'cd'.repeat(32)}"`;

describe('nextCommands', () => {
  it.each([
    ['asks for a proposal', NEXT.propose(URI)],
    ['denies one', NEXT.retryPropose(URI)],
  ])('makes a document where the gate %s, and hands it in', (_, action) => {
    expect(nextCommands(answer(action), commandLine(['--space', 'ops']))).toEqual([
      { purpose: 'For a draft to complete:', line: `kairos proposal new ${RUN} --space ops > proposal.json` },
      { purpose: 'Then:', line: `kairos proposal submit ${RUN} proposal.json --space ops` },
    ]);
  });

  it('names the approvers that a proposal on hold waits for, and what follows', () => {
    expect(nextCommands(answer(NEXT.hold(URI), { error_code: 'PROPOSAL_ON_HOLD' }))).toEqual([
      { purpose: 'For another person, to approve:', line: `kairos proposal approve ${RUN}` },
      { purpose: 'Then:', line: `kairos proposal submit ${RUN}` },
    ]);
  });

  it('names the one call to make once a permit is valid', () => {
    expect(nextCommands(answer(NEXT.waitForPermit(URI), { error_code: 'PROPOSAL_ON_HOLD' }))).toEqual([
      { purpose: 'Then:', line: `kairos next ${URI} --run ${RUN}` },
    ]);
  });

  it('shows no next command for a sealed run', () => {
    expect(nextCommands({ must_obey: false, next_action: null, run_id: RUN })).toEqual([]);
  });

  it('advances where nothing is asked for, with the options of the call', () => {
    expect(lines(answer(NEXT.advance(URI)), ['--store', '/tmp/my store.db'])).toEqual([
      `kairos next ${URI} --run ${RUN} --store '/tmp/my store.db'`,
    ]);
  });

  it.each<[Challenge['type'], Partial<Challenge>, string]>([
    ['shell', {}, '"shell":{"exit_code":<EXIT CODE>}'],
    [
      'shell',
      { shell: { cmd: 'x', timeout_seconds: 1, expect_exit_code: 0, stdout_matches: 'ok' } },
      '"shell":{"exit_code":<EXIT CODE>,"stdout":<RESULT>}',
    ],
    [
      'mcp',
      { mcp: { tool_name: 'look' } },
      '"mcp":{"tool_name":"look","result":<RESULT>,"success":<true OR false>}',
    ],
    [
      'mcp',
      { mcp: { tool_name: 'look\u202e', arguments: { at: 'x' } } },
      '"mcp":{"tool_name":"look\\u202e","arguments":{"at":"x"},"result":<RESULT>,"success":<true OR false>}',
    ],
    ['user_input', {}, '"user_input":{"confirmation":"<ANSWER>"}'],
    ['comment', {}, '"comment":{"text":"<ACCOUNT>"}'],
    ['sampling', {}, '"sampling":{"result":<RESULT>}'],
  ])('gives the form of a %s solution', (type, parts, payload) => {
    expect(lines(answer(NEXT.solve(URI), { challenge: challenge(type, parts) }))).toEqual([
      `kairos next ${URI} --run ${RUN} --solution '{"type":"${type}",${bound},${payload}}'`,
    ]);
  });

  it('quotes what an author put into a tool name', () => {
    const [line] = lines(
      answer(NEXT.solve(URI), { challenge: challenge('mcp', { mcp: { tool_name: "x';rm -rf ~;'" } }) }),
    );
    expect(line).toContain(String.raw`"x'\'';rm -rf ~;'\''"`);
  });

  it('gives no form for a proposal, which is not typed', () => {
    expect(lines(answer(NEXT.solve(URI), { challenge: challenge('proposal') }))).toEqual([
      `kairos next ${URI} --run ${RUN}`,
    ]);
  });

  it('attests when that is next, and again when it failed', () => {
    const line = `kairos attest ${URI} success '<ACCOUNT>' --run ${RUN}`;
    expect(lines(answer(NEXT.attest(URI), { challenge: challenge('comment') }))).toEqual([line]);
    expect(
      lines(answer(NEXT.retryAttest(URI, 'a longer text'), { error_code: 'COMMENT_TOO_SHORT' })),
    ).toEqual([line]);
  });

  it('begins where there is no run', () => {
    expect(lines({ must_obey: true, next_action: NEXT.begin(URI), error_code: 'RUN_NOT_FOUND' })).toEqual([
      `kairos begin ${URI}`,
    ]);
  });

  it('names the runs to choose from', () => {
    const candidates = [RUN, RUN.replace('1', '2')];
    const fields = { must_obey: true, next_action: NEXT.chooseRun('kairos_next', URI), candidates };
    expect(lines(fields)).toEqual(candidates.map((run) => `--run ${run}`));
  });

  it("guides a human to a step that can't be proven by hand", () => {
    expect(
      lines(answer(NEXT.unmetAssurance(URI, `kairos resume ${RUN}`), { challenge: challenge('shell') })),
    ).toEqual([`kairos resume ${RUN}`, `kairos attest ${URI} failure '<REASON>' --run ${RUN}`]);
  });

  it.each([NEXT.exhausted(URI), NEXT.declined(URI)])(
    'leaves the choice to try again or to give up: %s',
    (action) => {
      expect(lines(answer(action, { challenge: challenge('user_input') }))).toEqual([
        `kairos next ${HERE} --run ${RUN} --solution '{"type":"user_input",${bound},"user_input":{"confirmation":"<ANSWER>"}}'`,
        `kairos attest ${URI} failure '<REASON>' --run ${RUN}`,
      ]);
    },
  );
});

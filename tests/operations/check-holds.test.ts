import { describe, expect, it } from 'vitest';
import type { AgentCall } from '../../src/gate/holds.ts';
import type { HoldList } from '../../src/host/hold-files.ts';
import { checkHolds } from '../../src/operations/hold.ts';
import { HOLD } from '../../src/run/wording.ts';

const LIST: HoldList = { holds: [], unreadable: [], files: ['/home/u/.config/kairos/hold.yaml'] };
const FOLDERS = { data: '/home/u/.local/share/kairos', home: '/home/u' };
const FREE = { kind: 'free' };
const DENIED = { kind: 'denied', text: HOLD.ownFiles() };

const check = (call: AgentCall) => checkHolds(LIST, FOLDERS, call);
const checkCommand = (command: string) => check({ kind: 'command', command, folder: '/w', scripts: [] });

describe('a call that changes what kairos keeps', () => {
  it.each([
    ['npm rm -g kairos-protocols', DENIED],
    ['yarn global remove kairos-protocols', DENIED],
    ['npm install -g kairos-protocols@1.0.0', DENIED],
    ['npm install -g kairos-protocols', FREE],
    ['npm view kairos-protocols; rm x', FREE],
    ['echo XDG_CONFIG_HOME=/x | tee -a .env', DENIED],
    ['echo XDG_CONFIG_HOME=/x > sub/.env', DENIED],
    ['echo XDG_CONFIG_HOME; cat .env', FREE],
    ['cd ~/.config/kairos && truncate -s 0 hold.yaml', DENIED],
    ['rm -r ~/.local/share/kairos/sess*', DENIED],
    ['cd a && rm b', FREE],
  ])('%s', (command, result) => {
    expect(checkCommand(command)).toEqual(result);
  });

  it.each([
    [{ path: '/home/u/.env', text: 'KAIROS_CONFIG_DIR=/x' }, DENIED],
    [{ path: '/home/u/x', text: 'KAIROS_CONFIG_DIR=/x' }, FREE],
    [{ path: '$KAIROS_DATA_DIR/sessions/x' }, DENIED],
    [{ path: '$KAIROS_DATA_DIR/other/x' }, FREE],
    [{ path: '$A/sessions/$B' }, DENIED],
    [{ path: '$A/$B' }, FREE],
  ])('%j', (given, result) => {
    expect(check({ kind: 'tool', tool: 'write_file', server: null, arguments: given })).toEqual(result);
  });

  it.each([
    ['a package manager', `${'npm i '.repeat(3000)} xkairos-protocolsx`, FREE],
    ['a program that changes files', `${'rm '.repeat(3000)} xkairos/sessionsx`, DENIED],
    ['a write of variables', `XDG_CONFIG_HOME ${'sed '.repeat(3000)}`, FREE],
    ['a folder', `${'kairos '.repeat(3000)} xhold.yamlx`, FREE],
    ['another folder', `${'cd a;'.repeat(1000)}${'rm x;'.repeat(1000)}`, DENIED],
    ['a program with the words of xargs', `xargs ${'mv x;'.repeat(3000)}`, DENIED],
  ])('returns a result when %s is repeated', (_, command, result) => {
    expect(checkCommand(command)).toEqual(result);
  });
});

describe('a list that cannot be used', () => {
  const checked = (text: string, call: AgentCall) =>
    checkHolds({ ...LIST, unreadable: [{ path: '/x', reason: 'why', text }] }, FOLDERS, call).kind;
  const ls = { kind: 'command' as const, command: 'ls', folder: '/w', scripts: [] };
  const tool = (name: string) => ({ kind: 'tool' as const, tool: name, server: null, arguments: {} });

  it.each([
    'holds:\n - match: {command: "git push", }\n',
    '- match: {command: Git Push}',
    "- match: {command: 'git push'}",
    '- match: {command: git.exe push --help}',
    '- match: {command: /usr/bin/git push; a}',
  ])('covers the program that it names, in any spelling: %s', (text) => {
    const commands = ['git status', '/bin/GIT push', 'gi"t" push', 'ls'];
    const kinds = commands.map((command) => checked(text, { ...ls, command }));
    expect(kinds).toEqual(['denied', 'denied', 'denied', 'free']);
  });

  it.each([
    '- match: [tool: merge_pr]',
    '- match: {tool: mcp__gh__Merge_PR}',
    '- match: {tool: "gh/merge_pr "}',
  ])('covers the tool that it names: %s', (text) => {
    expect([checked(text, tool('merge_pr')), checked(text, tool('Read'))]).toEqual(['denied', 'free']);
  });
});

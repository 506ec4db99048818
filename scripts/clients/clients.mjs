/** Real clients from npm: how each is installed, set up and started with a scripted model. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const KAIROS = join(ROOT, 'bin/kairos.js');
/** KAIROS_CLIENTS names another folder for the clients. */
const FOLDER = process.env.KAIROS_CLIENTS ?? join(tmpdir(), 'kairos-clients');
const LIMIT_MS = 180_000;
const isLogged = process.argv.includes('--log');
export const log = (text) => isLogged && console.error(text);

/** The clients that the command line names, or all of these. */
export function chosenClients(ids) {
  const chosen = process.argv.slice(2).filter((arg) => arg !== '--log');
  const unknown = chosen.filter((id) => !ids.includes(id));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${ids.join(', ')}`);
  return chosen.length === 0 ? ids : chosen;
}

/** How each client is installed, set up and started. `files` are written into its home. */
export const CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    bin: 'claude',
    args: (prompt) => ['-p', prompt, '--allowedTools', 'mcp__kairos'],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  codex: {
    title: 'Codex',
    package: '@openai/codex',
    bin: 'codex',
    args: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', prompt],
    env: () => ({ SCRIPTED_KEY: 'scripted' }),
    files: (url) => ({
      '.codex/config.toml': [
        'model = "gpt-5"',
        'model_provider = "scripted"',
        '',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'env_key = "SCRIPTED_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    }),
  },
  gemini: {
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    bin: 'gemini',
    args: (prompt) => ['-p', prompt, '--approval-mode', 'yolo', '--skip-trust', '-m', 'gemini-2.5-flash'],
    env: (url) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
  },
  opencode: {
    title: 'opencode',
    package: 'opencode-ai',
    bin: 'opencode',
    args: (prompt) => ['run', '-m', 'anthropic/claude-sonnet-4-5', prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    files: (url) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'scripted' } } },
        autoupdate: false,
        share: 'disabled',
      }),
    }),
  },
  copilot: {
    title: 'Copilot CLI',
    package: '@github/copilot',
    bin: 'copilot',
    args: (prompt) => ['-p', prompt, '--allow-all-tools', '--no-auto-update'],
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'gpt-4.1',
    }),
  },
  qwen: {
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    bin: 'qwen',
    args: (prompt) => ['-p', prompt, '--yolo', '--auth-type', 'openai'],
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted', OPENAI_MODEL: 'scripted' }),
  },
  cline: {
    title: 'Cline CLI',
    package: 'cline',
    bin: 'cline',
    args: (prompt) => ['--auto-approve', 'true', prompt],
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted' }),
    before: (url) => [
      [
        'auth',
        '--provider',
        'openai',
        '--apikey',
        'scripted',
        '--modelid',
        'gpt-4.1',
        '--baseurl',
        `${url}/v1`,
      ],
    ],
  },
};

/** Installs a client, unless it is there. Returns its program. */
export async function install({ package: name, bin }) {
  const folder = join(FOLDER, name.replaceAll(/[@/]/g, '_'));
  const program = join(folder, 'node_modules/.bin', bin);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
    await run('npm', ['install', name, '--no-audit', '--no-fund'], { cwd: folder });
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  return { program, version };
}

/** A new home in which nothing but this client is set up. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'kairos-client-'));
  const work = join(home, 'work');
  mkdirSync(work);
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb', NO_COLOR: '1', LANG: 'C.UTF-8', CI: '1' };
  return { home, work, env };
}

/** Writes the files that a client needs before it starts. */
export function setUp(client, home, url) {
  for (const [name, text] of Object.entries(client.files?.(url) ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

/** The record of a run. */
export async function entriesOf(kairos, runId) {
  const { stdout } = await kairos('runs', 'export', runId);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Runs a client to its end, or ends it. */
export function start(program, args, { cwd, env }) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
    child.once('close', (code) => {
      clearTimeout(timer);
      done({ code, output: output.slice(-3000) });
    });
  });
}

/** Ends what a client leaves running in its home, where the system lists processes as files. */
export function endLeftovers(home) {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  for (const id of ids) {
    try {
      const isOurs = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      if (isOurs) process.kill(Number(id), 'SIGKILL');
    } catch {
      // Another user's, or ended in the meantime.
    }
  }
}

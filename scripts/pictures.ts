// `npm run pictures`: draws the session of README.md as docs/images/terminal.svg and the report of its run as docs/images/report.png.
// Needs a build, and Chromium (Debian's, or KAIROS_TEST_CHROMIUM) for the report.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { replayPage } from './sessions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
const CHROMIUM = process.env.KAIROS_TEST_CHROMIUM ?? '/usr/bin/chromium';
/** The answers of the session, and what it needs. Tests use them too. */
export const README_WORLD = {
  'app.log': 'GET / 200\n'.repeat(40),
  'answers.yaml':
    'answers:\n  2: delete it\n  closing: The old log is compressed, and the owner of the service agreed.\n',
};

const CELL = { width: 8.4, height: 19, size: 14 };
const COLUMNS = 106;
const COLORS: Record<number, string> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
};

/** A text with the colours of a terminal as a picture. */
export function terminalSvg(text: string, title: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const width = Math.ceil(COLUMNS * CELL.width + 32);
  const height = lines.length * CELL.height + 56;
  const rows = lines.map(
    (line, at) =>
      `<text style="white-space:pre" x="16" y="${48 + (at + 0.8) * CELL.height}">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/><circle cx="40" cy="20" r="6" fill="#febc2e"/><circle cx="60" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${CELL.size}" fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`;
}

function spans(line: string): string {
  let style = { bold: false, dim: false, color: '' };
  let result = '';
  let at = 0;
  const put = (text: string) => {
    if (text === '') return;
    const attributes = [
      ...(style.bold ? ['font-weight="bold"'] : []),
      ...(style.dim ? ['fill-opacity="0.65"'] : []),
      ...(style.color === '' ? [] : [`fill="${style.color}"`]),
    ].join(' ');
    result += attributes === '' ? escapeXml(text) : `<tspan ${attributes}>${escapeXml(text)}</tspan>`;
  };
  for (const code of line.matchAll(/\x1b\[([\d;]*)m/g)) {
    put(line.slice(at, code.index));
    at = code.index + code[0].length;
    for (const part of (code[1] || '0').split(';').map(Number)) {
      if (part === 0) style = { bold: false, dim: false, color: '' };
      else if (part === 1) style = { ...style, bold: true };
      else if (part === 2) style = { ...style, dim: true };
      else if (part === 22) style = { ...style, bold: false, dim: false };
      else if (part === 39) style = { ...style, color: '' };
      else style = { ...style, color: COLORS[part] ?? style.color };
    }
  }
  put(line.slice(at));
  return result;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Replays the session of README.md in an empty folder, with colours. */
async function drawReadme(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'kairos-pictures-'));
  const [work, bin] = ['work', 'bin'].map((name) => join(root, name)) as [string, string];
  for (const folder of [work, bin, IMAGES]) mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, 'bin/kairos.js'), join(bin, 'kairos'));
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: root,
    KAIROS_DATA_DIR: join(root, 'data'),
    KAIROS_CONFIG_DIR: join(root, 'config'),
    FORCE_COLOR: '1',
  };
  const shell = (line: string) =>
    execFileSync('sh', ['-c', `${line} 2>&1`], { cwd: work, env, encoding: 'utf8' });
  try {
    for (const [name, text] of Object.entries(README_WORLD)) writeFileSync(join(work, name), text);
    let shown = '';
    await replayPage(readFileSync(join(ROOT, 'README.md'), 'utf8'), work, async (line) => {
      if (!/^kairos (?:run rotate|verify)/.test(line)) return { code: 0, output: '' };
      const [digest] = /[0-9a-f]{64}/.exec(shell('FORCE_COLOR=0 kairos show rotate-logs.md')) ?? [];
      shell(`kairos trust rotate-logs.md --digest ${digest}`);
      const output = shell(line);
      shown += `\x1b[1m$ ${line}\x1b[22m\n${output.replaceAll(work, '~/logs')}\n`;
      return { code: 0, output };
    });
    writeFileSync(
      join(IMAGES, 'terminal.svg'),
      terminalSvg(shown, 'A run in a terminal, and its verification'),
    );
    shell('kairos report latest --out report.html');
    if (!existsSync(CHROMIUM)) return console.error('No Chromium: docs/images/report.png is unchanged.');
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: 900, height: 760 } });
    await page.goto(`file://${join(work, 'report.html')}`);
    await page.locator('.check', { hasNotText: 'Checking the record' }).waitFor();
    await page.screenshot({ path: join(IMAGES, 'report.png') });
    await browser.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await drawReadme();

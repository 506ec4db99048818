import { html, raw } from 'hono/html';
import { sha256Base64 } from '../base/canonical.ts';
import { formatDuration } from '../base/duration.ts';
import { escapeForTerminal } from '../base/escape.ts';
import { isObject } from '../base/json.ts';
import type { Json } from '../ledger/entry.ts';
import type { RunReport, Stretch } from './model.ts';
import type { ReportStep } from './steps.ts';
import { valueInOneLine } from './timeline-text.ts';
import { durationsOf, formatInstant, runDurationText, verdictOf, worth } from './words.ts';

/** A piece of a page; everything that is put into one is escaped. */
export type Html = ReturnType<typeof html>;

/** The style and the script of every page. */
export interface PageAssets {
  css: string;
  script: string;
  /** What a served page runs besides. */
  viewScript: string;
}

/** Text of authors, commands and agents: what would not show, or would show otherwise than it is, becomes visible. */
export function visibleText(text: string): string {
  return escapeForTerminal(text, { keepNewlines: true, keepTabs: true });
}

/** A value as people look at it; what is longer than a screen is folded. */
export function valueView(text: string, mark?: string): Html {
  if (text.length <= 120 && !text.includes('\n'))
    return mark === undefined ? html`${visibleText(text)}` : inline(text, mark);
  const whole = preformatted(text, mark);
  if (text.length < FOLDED) return whole;
  return html`<details><summary>${visibleText(text.slice(0, 60).replace(/\s+/g, ' '))}… (${text.length} characters)</summary>${whole}</details>`;
}

/** Characters from which a text is folded. */
export const FOLDED = 2000;

/**
 * A whole page in one file, that loads nothing and runs no script but its own. `live`: it is served by `kairos view`, which it
 * may ask what has changed and send answers to.
 */
export async function pageOf(
  title: string,
  body: Html,
  { css, script: check, viewScript }: PageAssets,
  live = false,
): Promise<string> {
  const script = live ? `${check}\n${viewScript}` : check;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256Base64(css)}'`,
    `script-src 'sha256-${sha256Base64(script)}'`,
    "base-uri 'none'",
    live ? "form-action 'self'" : "form-action 'none'",
    ...(live ? ["connect-src 'self'"] : []),
  ].join('; ');
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="${live ? 'same-origin' : 'no-referrer'}">
<title>${visibleText(title)}</title>
<style>${raw(css)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
${body}
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
  return String(page);
}

/** A duration that is never broken between number and unit. */
export function durationView(milliseconds: number): Html {
  return html`<span class="whole">${formatDuration(milliseconds)}</span>`;
}

/** What a step block asks for, without the punctuation of JSON. */
export function demandView(block: Json): Html {
  return html`<details><summary>What it asks for</summary><pre tabindex="0">${visibleText(outline(block).join('\n'))}</pre></details>`;
}

/** One line for each value, indented; a list has a dash for each item. */
function outline(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => nested('-', item));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, item]) => nested(`${keyWords(name)}:`, item));
  return [valueInOneLine(value)];
}

function nested(name: string, value: Json): string[] {
  const lines = outline(value).flatMap((line) => line.split('\n'));
  const isShort = lines.length === 1 && !isObject(value) && !Array.isArray(value);
  return isShort || name === '-'
    ? lines.map((line, at) => `${at === 0 ? `${name} ` : '  '}${line}`)
    : [name, ...lines.map((line) => `  ${line}`)];
}

/** The name of a key as people read it. */
export function keyWords(name: string): string {
  return name.replaceAll('_', ' ').replace(/ json$/, '');
}

/** A row of facts. `mark` names the value of the record that it shows, for the page's check. */
export type Fact = readonly [name: string, value: string, mark?: string];

export function facts(rows: readonly Fact[]): Html {
  return html`<dl>${rows.map(
    ([name, value, mark]) => html`<dt>${visibleText(name)}</dt><dd>${valueView(value, mark)}</dd>`,
  )}</dl>`;
}

/** A text in lines. A browser drops the line feed after the tag, so that the text keeps its own first one. */
export function preformatted(text: string, mark?: string): Html {
  return html`<pre tabindex="0"${marked(mark)}>\n${visibleText(text)}</pre>`;
}

/** A text in a line. */
export function inline(text: string, mark: string): Html {
  return html`<span${marked(mark)}>${visibleText(text)}</span>`;
}

function marked(mark: string | undefined): Html | '' {
  return mark === undefined ? '' : html` data-value="${mark}"`;
}

const WIDTH = 880;
const LABEL = 210;
const ROW = 26;
/** For the duration after the longest bar. */
const TAIL = 100;
/** Steps in one chart; what comes after them is in the list of steps. */
const MAX_ROWS = 60;

const NAMES: Record<Stretch['kind'], string> = {
  command: 'command running',
  person: 'waiting for an answer',
  approval: 'waiting for approval',
  walker: 'agent or user at work',
};

/** Returns the timeline: one bar for each step, with work and waiting times. */
export function timelineChart(report: RunReport): Html {
  const { stretches, steps } = report;
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return html`<p>No step has a duration yet.</p>`;
  const rows = steps.slice(0, MAX_ROWS).filter(({ number }) => stretches.some(({ step }) => step === number));
  const scale = (WIDTH - LABEL - TAIL) / Math.max(1, last.to - first.from);
  const height = rows.length * ROW + 26;
  const kinds = [...new Set(stretches.map(({ kind }) => kind))];
  const said = `Timeline of ${rows.length} steps over ${runDurationText(report)}.`;
  return html`<svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${said}">
${rows.map(({ number, label, workingMs, waitingMs }, at) => {
  const y = at * ROW;
  const bars = stretches.filter(({ step }) => step === number);
  const end = LABEL + ((bars.at(-1)?.to ?? 0) - first.from) * scale;
  return html`<text x="0" y="${y + 17}">${visibleText(`${number} ${cut(label)}`)}</text>${bars.map(
    ({ from, to, kind }) =>
      html`<rect class="${kind}" x="${(LABEL + (from - first.from) * scale).toFixed(1)}" y="${y + 6}" width="${Math.max(2, (to - from) * scale).toFixed(1)}" height="14" rx="2"><title>${NAMES[kind]}, ${formatDuration(to - from)}</title></rect>`,
  )}<text class="axis" x="${(Math.max(end, LABEL + 2) + 6).toFixed(1)}" y="${y + 17}">${formatDuration(workingMs + waitingMs)}</text>`;
})}
<text class="axis" x="${LABEL}" y="${height - 6}">0</text><text class="axis" x="${WIDTH - TAIL}" y="${height - 6}" text-anchor="end">${formatDuration(last.to - first.from)}</text>
</svg>
<ul class="key">${kinds.map((kind) => html`<li><i class="${kind}"></i>${NAMES[kind]}</li>`)}</ul>`;
}

function cut(label: string): string {
  const letters = [...label];
  return letters.length <= 26 ? label : `${letters.slice(0, 25).join('')}…`;
}

/** The table that compares several runs. */
export function comparison(reports: readonly RunReport[]): Html {
  const row = (name: string, of: (report: RunReport) => string | Html) =>
    html`<tr><th scope="row">${visibleText(name)}</th>${reports.map((report) => {
      const said = of(report);
      return html`<td>${typeof said === 'string' ? visibleText(said) : said}</td>`;
    })}</tr>`;
  const inputs = new Set(reports.flatMap((report) => report.inputs.map(([name]) => name)));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Comparison"><table class="compare">
<thead><tr><th scope="col">Run</th>${reports.map(({ runId }) => html`<th scope="col">${runId.slice(0, 8)}</th>`)}</tr></thead>
<tbody>
${row('Verdict', verdictOf)}
${row('Protocol', ({ slug }) => slug)}
${row('Revision', ({ digest }) => digest.slice(0, 12))}
${row('By', ({ actor }) => actor)}
${row('Begun', ({ begunAt }) => formatInstant(begunAt))}
${row('Took', (report) => durationView(durationsOf(report).total))}
${row('Waited', (report) => durationView(durationsOf(report).waiting))}
${row('Proofs', worth)}
${[...inputs].map((name) => row(name, ({ inputs: given }) => valueView(new Map(given).get(name) ?? 'none')))}
${Array.from({ length: Math.max(...reports.map(({ steps }) => steps.length)) }, (_, at) => {
  const labels = new Set(reports.flatMap(({ steps }) => steps[at]?.label ?? []));
  const [shared = ''] = labels.size === 1 ? labels : [];
  return row(`${shared === '' ? 'Step ' : ''}${at + 1} ${shared}`.trim(), ({ steps }) =>
    steps[at] === undefined ? 'none' : stepView(steps[at], shared === ''),
  );
})}
</tbody></table></div>`;
}

function stepView({ label, state, workingMs, waitingMs }: ReportStep, isNamed: boolean): Html {
  const time = workingMs + waitingMs;
  return html`${isNamed ? `${visibleText(label)}: ` : ''}${state}${time === 0 ? '' : html`, ${durationView(time)}`}`;
}

import stringWidth from 'string-width';
import { formatDuration } from '../base/duration.ts';
import { escapeXml } from '../base/escape.ts';
import type { ChainContent } from '../protocol/model.ts';
import { visibleText } from './page.ts';
import type { ReportStep, StepState } from './steps.ts';
import { waitWords } from './words.ts';

type Step = ChainContent['steps'][number];
/** What a run made of a step. */
export type StepResult = Pick<ReportStep, 'state' | 'waits' | 'doubt' | 'waitingMs' | 'rollbacks'>;

/** A step as a box of the graph. */
interface Box {
  number: number;
  label: string;
  /** What it asks for, in a few words. */
  asks: string[];
  gated: boolean;
  rollback: string | null;
  state: StepState | null;
  /** What else became of it in the run. */
  results: string[];
}

/** A protocol as Mermaid's flowchart; with the results of a run, what became of each step. */
export function graphMermaid(content: ChainContent, results: readonly StepResult[] | null = null): string {
  const boxes = boxesOf(content, results);
  const lines = ['flowchart TD', `  start(["${label(content.title)}"])`];
  let before = 'start';
  for (const { number, label: name, asks, gated, rollback, state, results: said } of boxes) {
    const node = `s${number}`;
    const result = state === null ? [] : [[state, ...said].join(', ')];
    const text = [`${number}. ${label(name)}`, ...[...asks, ...result].map(label)].join('<br>');
    if (gated) {
      lines.push(
        `  g${number}{"gate"}`,
        `  ${before} --> g${number}`,
        `  g${number} -->|permit| ${node}["${text}"]`,
      );
    } else lines.push(`  ${before} --> ${node}["${text}"]`);
    if (rollback !== null) {
      lines.push(`  r${number}[/"rollback: ${label(rollback)}"/]`, `  ${node} -.->|fails| r${number}`);
    }
    if (state !== null) lines.push(`  class ${node} ${state.replace(' ', '-')}`);
    before = node;
  }
  lines.push('  done(["attest"])', `  ${before} --> done`);
  if (results !== null) {
    lines.push(
      '  classDef proven fill:#e3f3e9,stroke:#17703f,color:#1d2025',
      '  classDef shown fill:#fbfaf8,stroke:#17703f,color:#1d2025',
      '  classDef failed fill:#fbe7e5,stroke:#b3261e,color:#1d2025',
      '  classDef pending fill:#fdf0d5,stroke:#8a5a00,color:#1d2025',
      '  classDef skipped fill:#f3f1ed,stroke:#5b6270,color:#1d2025,stroke-dasharray:4',
      '  classDef waived fill:#f3f1ed,stroke:#8a5a00,color:#1d2025,stroke-dasharray:4',
      '  classDef not-reached fill:#ffffff,stroke:#dcdad5,color:#5b6270',
    );
  }
  return `${lines.join('\n')}\n`;
}

const BOX_X = 20;
const BOX_WIDTH = 320;
const MIDDLE = BOX_X + BOX_WIDTH / 2;
/** Where the results of a run and the rollbacks are. */
const SIDE_X = BOX_X + BOX_WIDTH + 40;
const WIDTH = SIDE_X + 200;
const LINE = 18;
const GAP = 34;

/** The same as a separate picture. Its classes let a page choose other colours. */
export function graphSvg(content: ChainContent, results: readonly StepResult[] | null = null): string {
  const boxes = boxesOf(content, results);
  const title = visibleText(content.title);
  const titleLines = inTwo(title, 42);
  const parts: string[] = titleLines.map((line, at) =>
    text(MIDDLE, 30 + LINE * at, line, 'ink', 'text-anchor="middle" font-weight="700"'),
  );
  const hasSide = boxes.some(({ state, rollback }) => state !== null || rollback !== null);
  let y = 26 + LINE * titleLines.length;
  for (const { number, label: name, asks, gated, rollback, state, results: said } of boxes) {
    const side = [...(state === null ? [] : [state]), ...said];
    const lines = inTwo(`${number}. ${visibleText(name)}`, 38);
    const height =
      16 + LINE * Math.max(lines.length + asks.length, side.length + (rollback === null ? 0 : 2));
    parts.push(arrow(y, y + GAP));
    y += GAP;
    if (gated) {
      const half = 24;
      parts.push(
        `<path class="gate" d="M${MIDDLE} ${y} l${half * 2} ${half} l${-half * 2} ${half} l${-half * 2} ${-half} z" fill="#f1e6fa" stroke="#7a3ea8"/>`,
        text(MIDDLE, y + half + 5, 'gate', 'ink', 'text-anchor="middle"'),
        arrow(y + half * 2, y + half * 2 + GAP),
        text(MIDDLE + 8, y + half * 2 + 21, 'permit', 'soft'),
      );
      y += half * 2 + GAP;
    }
    const { fill, stroke, dash } = COLOURS[state ?? 'none'];
    parts.push(
      `<rect class="box ${(state ?? 'none').replace(' ', '-')}" x="${BOX_X}" y="${y}" width="${BOX_WIDTH}" height="${height}" rx="7" fill="${fill}" stroke="${stroke}"${dash ? ' stroke-dasharray="5 3"' : ''}/>`,
      ...lines.map((line, at) => text(BOX_X + 14, y + 23 + LINE * at, line, 'ink', 'font-weight="600"')),
      ...asks.map((ask, at) =>
        text(BOX_X + 14, y + 23 + LINE * (lines.length + at), cut(visibleText(ask), 44), 'soft'),
      ),
      ...side.map((line, at) =>
        text(
          SIDE_X,
          y + 23 + LINE * at,
          line,
          at === 0 ? 'ink' : 'soft',
          at === 0 ? 'font-weight="600"' : '',
        ),
      ),
    );
    if (rollback !== null) {
      const top = y + 8 + LINE * side.length + (side.length > 0 ? 6 : 0);
      const right = BOX_X + BOX_WIDTH;
      parts.push(
        `<path class="line" d="M${right} ${top + 12} H${SIDE_X - 6}" stroke="#5b6270" stroke-dasharray="4 3" fill="none"/>`,
        `<path class="line" d="M${SIDE_X - 10} ${top + 8} L${SIDE_X - 4} ${top + 12} L${SIDE_X - 10} ${top + 16}" stroke="#5b6270" fill="none"/>`,
        `<rect class="rollback" x="${SIDE_X}" y="${top}" width="190" height="24" rx="4" fill="#f3f1ed" stroke="#5b6270"/>`,
        text(SIDE_X + 10, top + 17, `rollback: ${cut(visibleText(rollback), 20)}`, 'ink'),
      );
    }
    y += height;
  }
  parts.push(
    arrow(y, y + GAP),
    text(MIDDLE, y + GAP + 18, 'attest', 'ink', 'text-anchor="middle" font-weight="600"'),
  );
  const [width, height] = [hasSide ? WIDTH : BOX_X * 2 + BOX_WIDTH, y + GAP + 30];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(`Steps of ${title}`)}" font-family="system-ui, sans-serif" font-size="13"><rect class="paper" width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>\n`;
}

const COLOURS: Record<StepState | 'none', { fill: string; stroke: string; dash: boolean }> = {
  none: { fill: '#fbfaf8', stroke: '#5b6270', dash: false },
  proven: { fill: '#e3f3e9', stroke: '#17703f', dash: false },
  shown: { fill: '#fbfaf8', stroke: '#17703f', dash: false },
  failed: { fill: '#fbe7e5', stroke: '#b3261e', dash: false },
  pending: { fill: '#fdf0d5', stroke: '#8a5a00', dash: false },
  skipped: { fill: '#f3f1ed', stroke: '#5b6270', dash: true },
  waived: { fill: '#f3f1ed', stroke: '#8a5a00', dash: true },
  'not reached': { fill: '#ffffff', stroke: '#8c95a3', dash: false },
};

function boxesOf(content: ChainContent, results: readonly StepResult[] | null): Box[] {
  return content.steps.map((step, at) => ({
    number: at + 1,
    label: step.label,
    asks: asksOf(step),
    gated: step.block?.proposal !== undefined,
    rollback: rollbackOf(step),
    state: results === null ? null : (results[at]?.state ?? 'not reached'),
    results: resultsOf(results?.[at]),
  }));
}

function resultsOf(result: StepResult | undefined): string[] {
  if (result === undefined) return [];
  const last = result.rollbacks.at(-1);
  return [
    ...waitWords(result),
    ...(result.waitingMs === 0 ? [] : [`waited ${formatDuration(result.waitingMs)}`]),
    ...(last === undefined ? [] : [`${last.succeeded ? '' : 'not '}rolled back`]),
  ];
}

const PROOFS: Record<string, string> = {
  shell: 'command',
  mcp: 'tool call',
  user_input: "a person's answer",
  comment: 'comment',
};

function asksOf({ block }: Step): string[] {
  if (block === null) return [];
  const { proof_of_work: proof, outputs, sampling } = block;
  const captures = block.captures ?? [];
  return [
    ...(sampling === undefined ? [] : ["a model's answer"]),
    ...(proof === undefined ? [] : [`${proofWords(proof)}${proof.required === false ? ' (optional)' : ''}`]),
    ...(outputs === undefined ? [] : [outputs.length === 1 ? 'one file' : `${outputs.length} files`]),
    ...(captures.length === 0 ? [] : [`keeps ${captures.map(({ name }) => name).join(', ')}`]),
  ];
}

function proofWords(proof: NonNullable<NonNullable<Step['block']>['proof_of_work']>): string {
  const { interpreter = 'sh' } = proof.type === 'shell' ? proof.shell : {};
  return `${interpreter === 'sh' ? '' : `${interpreter} `}${PROOFS[proof.type] ?? proof.type}`;
}

function rollbackOf({ block }: Step): string | null {
  const semantics = block?.proposal?.rollback_semantics;
  return semantics === undefined || semantics.strategy === 'none' ? null : (semantics.strategy ?? null);
}

const FILLS = { ink: '#1d2025', soft: '#5b6270' };

function text(x: number, y: number, said: string, color: keyof typeof FILLS, more = ''): string {
  return `<text class="${color}" x="${x}" y="${y}" fill="${FILLS[color]}" ${more}>${escapeXml(said)}</text>`;
}

function arrow(from: number, to: number): string {
  return `<path class="line" d="M${MIDDLE} ${from + 4} V${to - 6} M${MIDDLE - 4} ${to - 10} L${MIDDLE} ${to - 4} L${MIDDLE + 4} ${to - 10}" stroke="#5b6270" fill="none"/>`;
}

/** A text of at most this width, in Latin letters: others can be two wide. */
function cut(said: string, most: number): string {
  return stringWidth(said) <= most ? said : `${beginning(said, most - 1)}…`;
}

/** The same in up to two lines, broken at a space where one is near. */
function inTwo(said: string, most: number): string[] {
  if (stringWidth(said) <= most) return [said];
  const fits = beginning(said, most);
  const space = said.startsWith(' ', fits.length) ? fits.length : fits.lastIndexOf(' ');
  const first = space > fits.length / 2 ? said.slice(0, space) : fits;
  return [first, cut(said.slice(first.length).trim(), most)];
}

function beginning(said: string, most: number): string {
  let text = '';
  for (const letter of said) {
    if (stringWidth(text + letter) > most) break;
    text += letter;
  }
  return text;
}

/** Mermaid reads entities, and ends a text at a quote. */
function label(said: string): string {
  return visibleText(said)
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{N} .,:()/'_-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

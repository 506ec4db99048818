import type { ChainContent } from '../protocol/model.ts';
import { visibleText } from './page.ts';
import type { StepState } from './steps.ts';

type Step = ChainContent['steps'][number];

/** A step as a box of the graph. */
interface Box {
  number: number;
  label: string;
  /** What it asks for, in a few words. */
  asks: string[];
  gated: boolean;
  rollback: string | null;
  state: StepState | null;
}

/** A protocol as Mermaid's flowchart; with the states of a run, what became of each step. */
export function graphMermaid(content: ChainContent, states: readonly StepState[] | null = null): string {
  const boxes = boxesOf(content, states);
  const lines = ['flowchart TD', `  start(["${label(content.title)}"])`];
  let before = 'start';
  for (const { number, label: name, asks, gated, rollback, state } of boxes) {
    const node = `s${number}`;
    const text = [`${number}. ${label(name)}`, ...asks.map(label)].join('<br>');
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
  if (states !== null) {
    lines.push(
      '  classDef proven fill:#e3f3e9,stroke:#17703f,color:#1d2025',
      '  classDef failed fill:#fbe7e5,stroke:#b3261e,color:#1d2025',
      '  classDef pending fill:#fdf0d5,stroke:#8a5a00,color:#1d2025',
      '  classDef skipped fill:#f3f1ed,stroke:#5b6270,color:#1d2025,stroke-dasharray:4',
      '  classDef waived fill:#f3f1ed,stroke:#8a5a00,color:#1d2025,stroke-dasharray:4',
      '  classDef not-reached fill:#ffffff,stroke:#dcdad5,color:#5b6270',
    );
  }
  return `${lines.join('\n')}\n`;
}

const WIDTH = 460;
const BOX_X = 90;
const BOX_WIDTH = 280;
const LINE = 18;
const GAP = 34;

/** The same as a separate picture. */
export function graphSvg(content: ChainContent, states: readonly StepState[] | null = null): string {
  const boxes = boxesOf(content, states);
  const parts: string[] = [];
  const middle = BOX_X + BOX_WIDTH / 2;
  let y = 14;
  const title = visibleText(content.title);
  parts.push(text(middle, y + 16, cut(title, 46), 'middle', 'font-weight="700"'));
  y += 30;
  for (const { number, label: name, asks, gated, rollback, state } of boxes) {
    const height = 16 + LINE * (1 + asks.length);
    parts.push(arrow(middle, y, y + GAP));
    y += GAP;
    if (gated) {
      const half = 24;
      parts.push(
        `<path d="M${middle} ${y} l${half * 2} ${half} l${-half * 2} ${half} l${-half * 2} ${-half} z" fill="#f1e6fa" stroke="#7a3ea8"/>`,
        text(middle, y + half + 5, 'gate', 'middle'),
        arrow(middle, y + half * 2, y + half * 2 + GAP),
      );
      y += half * 2 + GAP;
    }
    const { fill, stroke, dash } = COLOURS[state ?? 'none'];
    parts.push(
      `<rect x="${BOX_X}" y="${y}" width="${BOX_WIDTH}" height="${height}" rx="7" fill="${fill}" stroke="${stroke}"${dash ? ' stroke-dasharray="5 3"' : ''}/>`,
      text(BOX_X + 14, y + 23, cut(`${number}. ${visibleText(name)}`, 38), 'start', 'font-weight="600"'),
      ...asks.map((ask, at) =>
        text(BOX_X + 14, y + 23 + LINE * (at + 1), cut(visibleText(ask), 42), 'start', 'fill="#5b6270"'),
      ),
    );
    if (state !== null) parts.push(text(BOX_X + BOX_WIDTH + 10, y + 23, state, 'start', `fill="${stroke}"`));
    if (rollback !== null)
      parts.push(text(BOX_X - 10, y + 23, '↩', 'end'), `<title>rollback: ${escaped(rollback)}</title>`);
    y += height;
  }
  parts.push(arrow(middle, y, y + GAP), text(middle, y + GAP + 18, 'attest', 'middle', 'font-weight="600"'));
  const height = y + GAP + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(`Steps of ${title}`)}" font-family="system-ui, sans-serif" font-size="13"><rect width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>\n`;
}

const COLOURS: Record<StepState | 'none', { fill: string; stroke: string; dash: boolean }> = {
  none: { fill: '#fbfaf8', stroke: '#5b6270', dash: false },
  proven: { fill: '#e3f3e9', stroke: '#17703f', dash: false },
  failed: { fill: '#fbe7e5', stroke: '#b3261e', dash: false },
  pending: { fill: '#fdf0d5', stroke: '#8a5a00', dash: false },
  skipped: { fill: '#f3f1ed', stroke: '#5b6270', dash: true },
  waived: { fill: '#f3f1ed', stroke: '#8a5a00', dash: true },
  'not reached': { fill: '#ffffff', stroke: '#8c95a3', dash: false },
};

function boxesOf(content: ChainContent, states: readonly StepState[] | null): Box[] {
  return content.steps.map((step, at) => ({
    number: at + 1,
    label: step.label,
    asks: asksOf(step),
    gated: step.block?.proposal !== undefined,
    rollback: rollbackOf(step),
    state: states === null ? null : (states[at] ?? 'not reached'),
  }));
}

const PROOFS: Record<string, string> = {
  shell: 'command',
  mcp: 'tool call',
  user_input: "a person's answer",
  comment: 'account',
};

function asksOf({ block }: Step): string[] {
  if (block === null) return [];
  const { proof_of_work: proof, outputs, sampling } = block;
  const captures = (block as { captures?: { name: string }[] }).captures ?? [];
  return [
    ...(sampling === undefined ? [] : ["a model's answer"]),
    ...(proof === undefined
      ? []
      : [proof.required === false ? `${PROOFS[proof.type]} (optional)` : (PROOFS[proof.type] ?? proof.type)]),
    ...(outputs === undefined ? [] : [outputs.length === 1 ? 'one file' : `${outputs.length} files`]),
    ...(captures.length === 0 ? [] : [`keeps ${captures.map(({ name }) => name).join(', ')}`]),
  ];
}

function rollbackOf({ block }: Step): string | null {
  const semantics = block?.proposal?.rollback_semantics;
  return semantics === undefined || semantics.strategy === 'none' ? null : (semantics.strategy ?? null);
}

function text(x: number, y: number, said: string, anchor: string, more = ''): string {
  const fill = more.includes('fill=') ? '' : ' fill="#1d2025"';
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${fill} ${more}>${escaped(said)}</text>`;
}

function arrow(x: number, from: number, to: number): string {
  return `<path d="M${x} ${from + 4} V${to - 6}" stroke="#5b6270" fill="none"/><path d="M${x - 4} ${to - 10} L${x} ${to - 4} L${x + 4} ${to - 10}" stroke="#5b6270" fill="none"/>`;
}

function cut(said: string, most: number): string {
  const letters = [...said];
  return letters.length <= most ? said : `${letters.slice(0, most - 1).join('')}…`;
}

function escaped(said: string): string {
  return said.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign,
  );
}

/** Mermaid reads entities, and ends a text at a quote. */
function label(said: string): string {
  return visibleText(said)
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{N} .,:()/'_-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

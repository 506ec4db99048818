import { BLOCK_SHAPE } from './block/block-shape.ts';
import { timeoutText } from './block/fence.ts';
import { readShape } from './block/shape.ts';
import type { ChainContent, StepContent } from './model.ts';
import { headingSource } from './outline.ts';
import type { StepBlock } from './schema.ts';

/**
 * The canonical markdown of a chain. Parsed again it has the same digest. The slug is always written, because
 * it may differ from the title's.
 */
export function renderChain(content: ChainContent): string {
  const parts = [
    renderFrontmatter(content),
    headingSource(1, content.title),
    content.description,
    ...renderSection('Natural Language Triggers', content.triggers),
    ...content.steps.flatMap(stepParts),
    ...renderSection('Completion Rule', content.completion_rule),
  ];
  return joined(parts);
}

/** A step in a document: heading, text, block. */
export function renderStep(step: StepContent): string {
  return joined(stepParts(step));
}

/**
 * A step block in its fence, in the shortest form: shorthand where it has room for everything, else JSON with keys in the order of the
 * schema. Defaults are left out, but not the time limit, which lint asks for.
 */
export function renderBlock(block: StepBlock): string {
  const ordered = (readShape(BLOCK_SHAPE, block) as StepBlock | undefined) ?? block;
  const short = shorthandOf(ordered);
  if (short !== null) return fenced(short.info, short.text);
  return fenced('json', JSON.stringify(withoutDefaults(ordered), null, 2));
}

/** A fenced code block that no line of its text can end. */
export function fenced(info: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}

/** Characters that a JSON text escapes, and that a fence would show or lose. */
const ESCAPED = /[^\P{Cc}\t\n]|[\u2028\u2029\ufeff]|\p{Cs}/u;

/** The info string and the text of a block in shorthand; null where only the full form has room for everything. */
export function shorthandOf(block: StepBlock): { info: string; text: string } | null {
  const { proof_of_work: proof, ...others } = block;
  if (proof?.type !== 'shell' || !proof.required || proof.assurance !== undefined) return null;
  if (Object.values(others).some((value) => value !== undefined)) return null;
  const { cmd, timeout_seconds, expect_exit_code, workdir, env, interpreter = 'sh', ...more } = proof.shell;
  if (Object.values(more).some((value) => value !== undefined) || ESCAPED.test(cmd)) return null;
  if (workdir !== undefined && !/^[\w./@+~-]+$/.test(workdir)) return null;
  if (env?.length === 0) return null;
  const words = [
    interpreter,
    'proof',
    `timeout=${timeoutText(timeout_seconds)}`,
    ...(expect_exit_code === 0 ? [] : [`exit=${expect_exit_code}`]),
    ...(workdir === undefined ? [] : [`workdir=${workdir}`]),
    ...(env === undefined ? [] : [`env=${env.join(',')}`]),
  ];
  return { info: words.join(' '), text: cmd };
}

function withoutDefaults(block: StepBlock): object {
  const proof = block.proof_of_work;
  if (proof === undefined) return block;
  const { required, ...rest } = proof;
  const short: Record<string, unknown> = required ? rest : proof;
  if (proof.type === 'shell' && proof.shell.expect_exit_code === 0) {
    const { expect_exit_code: _, ...shell } = proof.shell;
    // In its place, to keep the order of the keys.
    return { ...block, proof_of_work: { ...short, shell } };
  }
  return { ...block, proof_of_work: short };
}

function stepParts({ label, body, block }: StepContent): string[] {
  return [headingSource(2, label), body, block === null ? '' : renderBlock(block)];
}

function renderSection(label: string, markdown: string | null): string[] {
  return markdown === null ? [] : [headingSource(2, label), markdown];
}

function renderFrontmatter({ slug, version, tags, inputs = {}, holds = [] }: ChainContent): string {
  const lines = [`slug: ${yamlText(slug)}`];
  if (version !== null) lines.push(`version: ${yamlText(version)}`);
  if (tags.length > 0) lines.push(`tags: [${tags.map(yamlText).join(', ')}]`);
  const names = Object.entries(inputs);
  if (names.length > 0) {
    // JSON is valid YAML, so each definition is one line of escaped JSON.
    lines.push('inputs:', ...names.map(([name, input]) => `  ${name}: ${escaped(JSON.stringify(input))}`));
  }
  if (holds.length > 0) lines.push('holds:', ...holds.map((hold) => `  - ${escaped(JSON.stringify(hold))}`));
  return `---\n${lines.join('\n')}\n---`;
}

/** Text that YAML reads as text without quotes: a word that begins with a letter, or a version. */
const PLAIN = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+\.\d+\.\d+[0-9A-Za-z.+-]*)$/;
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar; if unsure in double quotes, as JSON writes it. */
function yamlText(text: string): string {
  if (PLAIN.test(text) && !NOT_TEXT.test(text)) return text;
  return escaped(JSON.stringify(text));
}

function escaped(json: string): string {
  return json.replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function joined(parts: string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

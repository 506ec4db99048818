import type { ChainContent, StepContent } from './model.ts';
import { headingSource } from './outline.ts';
import { type StepBlock, stepBlockSchema } from './schema.ts';

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

/** A step block in its fence: defaults written out, keys in the order of the schema. */
export function renderBlock(block: StepBlock): string {
  const ordered = stepBlockSchema.safeParse(block);
  const json = JSON.stringify(ordered.success ? ordered.data : block, null, 2);
  const longest = Math.max(2, ...[...json.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${json}\n${fence}`;
}

function stepParts({ label, body, block }: StepContent): string[] {
  return [headingSource(2, label), body, block === null ? '' : renderBlock(block)];
}

function renderSection(label: string, markdown: string | null): string[] {
  return markdown === null ? [] : [headingSource(2, label), markdown];
}

function renderFrontmatter({ slug, version, tags, inputs = {} }: ChainContent): string {
  const lines = [`slug: ${yamlText(slug)}`];
  if (version !== null) lines.push(`version: ${yamlText(version)}`);
  if (tags.length > 0) lines.push(`tags: [${tags.map(yamlText).join(', ')}]`);
  const names = Object.entries(inputs);
  if (names.length > 0) {
    // JSON is YAML: a definition on one line, its texts escaped as they are elsewhere.
    lines.push('inputs:', ...names.map(([name, input]) => `  ${name}: ${escaped(JSON.stringify(input))}`));
  }
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

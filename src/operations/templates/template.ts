import { KairosError } from '../../base/errors.ts';
import { formatSource } from '../../lint/rewrite/format-source.ts';
import { hiddenIn, misplacedHiddenIn, type Use } from '../../protocol/hidden.ts';
import { headingSource, inlineSource } from '../../protocol/outline.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { renderBlock } from '../../protocol/render.ts';
import { collapseSpace } from '../../protocol/scan/blocks.ts';
import type { ProofOfWork } from '../../protocol/schema.ts';

export interface TemplateStep {
  label: string;
  body: string;
  proof?: ProofOfWork;
}

/** What an author has provided about the new protocol. */
export interface TemplateInput {
  title: string;
  slug: string;
  /** Labels of steps that replace the template's. */
  steps: readonly string[];
  /** The command that checks the work. */
  check: string;
}

/** A kind of new protocol. */
export interface Template {
  kind: string;
  /** One line for the list of kinds. */
  summary: string;
  /** The command to offer when none is given; null for a template without a command. */
  check: string | null;
  description: string;
  /**
   * Phrases for search, made from the title in lower case, which is itself one of them. Every phrase contains
   * the title, because a phrase shared by two protocols finds neither.
   */
  triggers(title: string): readonly string[];
  completionRule: string;
  steps(input: TemplateInput): TemplateStep[];
}

/** The markdown of a new protocol, in canonical form. */
export async function renderTemplate(template: Template, input: TemplateInput): Promise<string> {
  const steps = input.steps.length > 0 ? input.steps.map(ownStep) : template.steps(input);
  const parts = [
    `---\nslug: ${yamlSlug(input.slug)}\nversion: 0.1.0\ntags: [${template.kind}]\n---\n${headingSource(1, input.title)}`,
    template.description,
    headingSource(2, 'Natural Language Triggers'),
    triggersOf(template, input.title),
    ...steps.flatMap(stepParts),
    headingSource(2, 'Completion Rule'),
    template.completionRule,
  ];
  return formatSource(await parseProtocol(`${parts.join('\n\n')}\n`));
}

/** A phrase ends at a quote, so the title's own quotes are removed. */
function triggersOf(template: Template, title: string): string {
  const words = collapseSpace(title.toLowerCase()).replaceAll('"', '');
  return [words, ...template.triggers(words)].map((phrase) => `- "${inlineSource(phrase)}"`).join('\n');
}

/** Quoted if YAML would not read it as text: a number, or a word with a special meaning. */
function yamlSlug(slug: string): string {
  return /^[a-z]/.test(slug) && !/^(?:true|false|null)$/.test(slug) ? slug : JSON.stringify(slug);
}

function stepParts({ label, body, proof }: TemplateStep): string[] {
  return [
    headingSource(2, label),
    body,
    ...(proof === undefined ? [] : [renderBlock({ proof_of_work: proof })]),
  ];
}

/** A step that only its author can describe. */
function ownStep(label: string): TemplateStep {
  return {
    label,
    body: 'Describe here what to do, and how to see that it worked. If a command can show it, make the command the proof.',
    proof: commentProof(40),
  };
}

export function commentProof(min_length: number): ProofOfWork {
  return { type: 'comment', comment: { min_length }, required: true };
}

export function shellProof(cmd: string, timeout_seconds: number): ProofOfWork {
  return { type: 'shell', shell: { cmd, timeout_seconds, expect_exit_code: 0 }, required: true };
}

export function question(prompt: string, choices: string[]): ProofOfWork {
  return { type: 'user_input', user_input: { prompt, choices }, required: true };
}

/** Rejects labels that make no steps, or steps that look alike. Throws USAGE. */
export function checkSteps(labels: readonly string[]): void {
  const seen = new Set<string>();
  for (const label of labels) {
    if (label.trim() === '') throw refusal('a --step is empty', 'Write in a few words what to do.');
    const fault = unseen(`--step ${JSON.stringify(label)}`, label, 'prose');
    if (fault !== null) throw refusal(fault, 'Remove it.');
    const folded = collapseSpace(label).toLowerCase();
    if (seen.has(folded)) {
      throw refusal(
        `two steps are called ${JSON.stringify(label)}`,
        'Write in each what is different about it.',
      );
    }
    seen.add(folded);
  }
}

/** Which hidden character a text has; null for none. */
export function unseen(what: string, text: string, use: Use): string | null {
  const [found] = [...hiddenIn(text), ...misplacedHiddenIn(text, use)];
  return found === undefined ? null : `${what} contains the hidden character ${found.codePoint}`;
}

export function refusal(message: string, hint: string): KairosError {
  return new KairosError('USAGE', message, { hint });
}

import { headingSource, inlineSource } from '../../protocol/heading-source.ts';
import { renderBlock } from '../../protocol/render.ts';
import { collapseSpace } from '../../protocol/scan/blocks.ts';
import type { ProofOfWork } from '../../protocol/schema.ts';

export interface TemplateStep {
  label: string;
  body: string;
  proof?: ProofOfWork;
}

/** What an author has said about the protocol that is to be. */
export interface TemplateInput {
  title: string;
  slug: string;
  /** Labels of steps in place of the template's own. */
  steps: readonly string[];
  /** The command that shows that the work is right. */
  check: string;
}

/** A kind of protocol to begin with. */
export interface Template {
  kind: string;
  /** One line for the list of kinds. */
  summary: string;
  /** The command to offer when none is given; null when the template has no command. */
  check: string | null;
  description: string;
  /**
   * Phrases that people would search with, made from the title in lower case, which stands among them anyway. None is without
   * it: a phrase of two protocols leads to neither.
   */
  triggers(title: string): readonly string[];
  completionRule: string;
  steps(input: TemplateInput): TemplateStep[];
}

/** The markdown of a new protocol. */
export function renderTemplate(template: Template, input: TemplateInput): string {
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
  return `${parts.join('\n\n')}\n`;
}

/** A phrase ends at a quote, so that the title's own are left out. */
function triggersOf(template: Template, title: string): string {
  const words = collapseSpace(title.toLowerCase()).replaceAll('"', '');
  return [words, ...template.triggers(words)].map((phrase) => `- "${inlineSource(phrase)}"`).join('\n');
}

/** Quoted where YAML would not take it for text: a number, or a word with a meaning of its own. */
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

/** A step that only its author can say more about. */
function ownStep(label: string): TemplateStep {
  return {
    label,
    body: 'Say here what is to be done, and how somebody who does it sees that it worked. Where a command can show it, let the command be the proof.',
    proof: comment(40),
  };
}

export function comment(min_length: number): ProofOfWork {
  return { type: 'comment', comment: { min_length }, required: true };
}

export function shell(cmd: string, timeout_seconds: number): ProofOfWork {
  return { type: 'shell', shell: { cmd, timeout_seconds, expect_exit_code: 0 }, required: true };
}

export function question(prompt: string, choices: string[]): ProofOfWork {
  return { type: 'user_input', user_input: { prompt, choices }, required: true };
}

import type { InputDefinition, ProposedHold, StepBlock } from './schema.ts';

/** By name, in the order of the document. */
export type Inputs = Record<string, InputDefinition>;

/** A position in a source text. `line` and `column` are 1-based, `column` and `offset` in UTF-16 code units. */
export interface Point {
  line: number;
  column: number;
  offset: number;
}

/** A half-open range of a source text. */
export interface Place {
  start: Point;
  end: Point;
}

/** The outcome of parsing: the document, and what is wrong or outdated in it. Problems are data, never words. */
export interface ParseResult {
  document: ProtocolDocument;
  messages: Problem[];
}

export interface ProtocolDocument {
  path: string | undefined;
  /** The original text, BOM included. All offsets refer to it. */
  source: string;
  frontmatter: FrontmatterNode | null;
  chains: ChainNode[];
}

export interface FrontmatterNode {
  /** The whole YAML mapping, unknown keys included; empty when it could not be read. */
  data: Record<string, unknown>;
  slug: string | undefined;
  version: string | undefined;
  tags: string[];
  inputs: Inputs;
  holds: ProposedHold[];
  place: Place;
}

export interface ChainNode {
  title: string;
  titlePlace: Place;
  slug: string;
  slugSource: 'frontmatter' | 'title';
  version: string | undefined;
  tags: string[];
  /** Of the document: with several chains they belong to each. */
  inputs: Inputs;
  /** Of the document, as the inputs. */
  holds: ProposedHold[];
  /** Markdown between the H1 and the first H2, trimmed. */
  description: string;
  triggers: SectionNode | null;
  completionRule: SectionNode | null;
  steps: StepNode[];
  place: Place;
}

/** An H2 that is metadata of its chain: *Natural Language Triggers* or *Completion Rule*. */
export interface SectionNode {
  label: string;
  markdown: string;
  place: Place;
}

export interface StepNode {
  /** 1-based among the steps of its chain; metadata sections do not count. */
  index: number;
  label: string;
  labelPlace: Place;
  /** What the agent or user sees: the section's markdown without its step block, trimmed. */
  body: string;
  block: BlockNode | null;
  place: Place;
}

/** How a step block was written; everything but `proof_of_work` in a fence is an older spelling. */
export type BlockSpelling = 'proof_of_work' | 'challenge' | 'proof_line';

export interface BlockNode {
  /** Normalised: defaults filled in, older spellings translated. */
  value: StepBlock;
  /** As written, before normalising: what lint rules about absent keys look at. */
  raw: unknown;
  format: 'json' | 'yaml' | 'line' | 'shorthand';
  spelling: BlockSpelling;
  /** The fence, or the line, unchanged from the source. */
  place: Place;
  /** The text inside the fence. */
  valuePlace: Place;
}

export type Severity = 'error' | 'warning' | 'info';

/** One finding of the parser. `describeProblem` turns it into words. */
export interface Problem {
  code: ProblemCode;
  severity: Severity;
  place: Place;
  args: Record<string, string | number | boolean | undefined>;
}

export type ProblemCode =
  // document
  | 'document-too-large'
  | 'document-too-deep'
  | 'document-invalid-text'
  | 'no-h1'
  | 'text-before-h1'
  | 'no-steps'
  | 'slug-with-several-chains'
  | 'duplicate-slug'
  | 'duplicate-section'
  | 'heading-too-long'
  | 'fence-unclosed'
  | 'fence-nested'
  | 'fence-inline'
  | 'html-unclosed'
  | 'heading-without-space'
  // inputs and captures
  | 'reference-unknown'
  | 'reference-in-command'
  | 'capture-unusable'
  // frontmatter
  | 'frontmatter-unreadable'
  | 'frontmatter-unterminated'
  | 'frontmatter-misplaced'
  | 'frontmatter-bad-slug'
  | 'frontmatter-bad-version'
  | 'frontmatter-bad-tags'
  | 'frontmatter-bad-inputs'
  | 'frontmatter-bad-holds'
  // step block
  | 'block-unreadable'
  | 'block-invalid'
  | 'block-unknown-key'
  | 'block-wrong-language'
  | 'block-not-last'
  | 'block-duplicate'
  | 'block-nested'
  | 'block-outside-step'
  | 'block-pseudo-fence'
  | 'block-unfenced'
  | 'block-unclosed-fence'
  | 'block-bad-pattern'
  // older spellings: accepted, reported, fixable
  | 'legacy-challenge-key'
  | 'legacy-proof-line'
  | 'legacy-missing-type'
  | 'legacy-flat-shell'
  | 'legacy-interpreter-flags';

/**
 * The content of a chain without places in a file: this is stored, hashed and run. Its digest is the SHA-256
 * over its canonical JSON.
 */
export interface ChainContent {
  slug: string;
  title: string;
  version: string | null;
  tags: string[];
  /** Absent without inputs, so that the digest of older protocols stays the same. */
  inputs?: Inputs;
  /** Absent without a hold, as the inputs. */
  holds?: ProposedHold[];
  description: string;
  triggers: string | null;
  completion_rule: string | null;
  steps: StepContent[];
}

export interface StepContent {
  label: string;
  body: string;
  block: StepBlock | null;
}

import type {
  ChainNode,
  ParseResult,
  Place,
  ProtocolDocument,
  Severity,
  StepNode,
} from '../protocol/model.ts';

/** The families of SPEC 9; the documentation is grouped by them. */
export type Family =
  | 'document'
  | 'block'
  | 'proof'
  | 'shell'
  | 'safety'
  | 'frontmatter'
  | 'reference'
  | 'proposal';

/** A rule is one file: what it is called, what it finds, how that is mended, and examples that are its test and its page. */
export interface Rule {
  /** Stable, kebab-case; what people write in configuration and directives. */
  id: string;
  family: Family;
  /** Severity when the configuration says nothing. */
  severity: Severity;
  /** One line, shown by `--explain` and on the rule's page. */
  summary: string;
  /** Why it matters, a short paragraph. */
  why: string;
  /** Whether it can mend what it finds: `safe` never changes what a protocol means, `unsafe` may. */
  fixable: 'safe' | 'unsafe' | false;
  /** Safety rules that no inline directive may disable where a document is minted. */
  alwaysOn?: boolean;
  examples: RuleExample[];
  check(context: RuleContext): void;
}

export interface RuleExample {
  title: string;
  /** A whole document. */
  source: string;
  /** What the rule reports, in order; empty: a good example. `line` is 1-based. */
  findings: { line: number; column?: number; reason?: string }[];
  /** The document after the rule's fixes, where it has any. */
  fixed?: string;
}

/** What a rule is given. Everything is read-only. */
export interface RuleContext {
  source: string;
  path: string | undefined;
  document: ProtocolDocument;
  /** The parser's own findings; rules of the block and document families turn them into messages. */
  problems: ParseResult['messages'];
  /** Every step of every chain, in order. */
  steps: { chain: ChainNode; step: StepNode }[];
  report(finding: Finding): void;
}

/** What a rule reports; the engine adds rule id, severity and URL. */
export interface Finding {
  place: Place;
  /** What is wrong and what to write instead, one or two sentences. */
  reason: string;
  /** Why it matters here, when that is more than the rule's own `why`. */
  note?: string;
  expected?: string[];
  actual?: string;
  fix?: Fix;
}

/** A minimal text edit on the source as handed in. Offsets in UTF-16 units, half-open. */
export interface Fix {
  range: [start: number, end: number];
  replacement: string;
  safe: boolean;
}

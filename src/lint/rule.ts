import type {
  BlockNode,
  ChainNode,
  ParseResult,
  Place,
  Problem,
  ProblemCode,
  ProtocolDocument,
  Severity,
  StepNode,
} from '../protocol/model.ts';
import { describeProblem } from '../protocol/problems.ts';
import type { ParsedScript } from '../shell/commands.ts';
import type { Directive } from './directives/directive.ts';
import type { Fix, Level } from './message.ts';

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

/** What a document contains. */
export type RuleSubject = 'problems' | 'proposals';

/**
 * A rule is one file: its name, what it finds and how to fix it. Its examples (`rules/examples`) are its tests and its page.
 */
export interface LintRule {
  /** Stable, kebab-case; what people write in configuration and directives. */
  id: string;
  family: Family;
  /** Default severity. */
  severity: Severity;
  /** One line, shown by `--explain` and on the rule's page. */
  summary: string;
  /** Why it matters, a short paragraph. */
  why: string;
  /** Whether it can fix its findings: `safe` never changes what a protocol means, `unsafe` may. Absent: it can't. */
  fixable?: 'safe' | 'unsafe';
  /** Safety rules that no inline directive may disable where a document is minted. */
  alwaysOn?: boolean;
  /**
   * What a document must contain for `check` to find anything: it isn't called for others. Absent: for every
   * document.
   */
  about?: RuleSubject;
  check(context: RuleContext): void;
  /** Runs after everything else, when it is known which directives were of use. For rules about directives. */
  last?: boolean;
  /** What can only be judged over all documents of a call. It runs after every document's `check`. */
  across?: AcrossDocuments;
}

/**
 * The second phase of a rule that compares documents. Facts are small and contain no part of a source text.
 */
export interface AcrossDocuments<Facts = unknown> {
  /** The facts of one document; null for none. */
  collect(context: RuleContext): Facts | null;
  /** Looks at the facts of all documents, sorted by path, and reports on any of them. */
  check(
    documents: DocumentFacts<Facts>[],
    report: (path: string | undefined, finding: RuleFinding) => void,
  ): void;
}

export interface DocumentFacts<Facts> {
  path: string | undefined;
  facts: Facts;
}

/** What a rule is given. Everything is read-only; what costs something is found on first use and shared by all rules. */
export interface RuleContext {
  readonly source: string;
  readonly path: string | undefined;
  readonly document: ProtocolDocument;
  /** The parser's own findings; rules of the block and document families turn them into messages. */
  readonly problems: ParseResult['messages'];
  /** Every step of every chain, in order. */
  readonly steps: readonly { chain: ChainNode; step: StepNode }[];
  /** The HTML comments of the text, in order, without those inside code. */
  readonly comments: readonly HtmlComment[];
  /**
   * The links and images to a path relative to the document, in order; empty for a document without a place
   * on disk.
   */
  readonly links: readonly RelativeLink[];
  /** The commands of all steps, in order, parsed: what a shell proof runs, and what a proposal's rollback would run. */
  readonly scripts: readonly StepScript[];
  /** Directives, in order; empty when inline configuration is off. */
  readonly directives: readonly Directive[];
  /** Every rule there is, run or not. */
  readonly rules: readonly LintRule[];
  /** The severity that the configuration gives a rule here. */
  level(rule: LintRule): Level;
  report(finding: RuleFinding): void;
  /** The half-open range between two offsets of the source. */
  place(start: number, end: number): Place;
  /**
   * Where a value of a step block is written; the path leads through `block.raw`. Null when there is no such value,
   * or when the block is a proof line.
   */
  locate(block: BlockNode, path: readonly (string | number)[]): Located | null;
  /** Whether a path relative to the document's folder exists; null when the document has no place on disk. */
  exists(path: string): boolean | null;
}

export interface HtmlComment {
  /** The text between `<!--` and `-->`. */
  text: string;
  /** With its delimiters. */
  place: Place;
}

/** A link or image whose target is a path relative to its document. Offsets in UTF-16 units, half-open. */
export interface RelativeLink {
  /** Decoded, without query, fragment and line number. */
  path: string;
  start: number;
  end: number;
}

export interface StepScript {
  chain: ChainNode;
  step: StepNode;
  block: BlockNode;
  /** `verify`: the command that shows that a rollback worked. */
  role: 'proof' | 'rollback' | 'verify';
  /** The command as it would run. */
  text: string;
  parsed: ParsedScript;
  /** The place in the source of a range of `text`, escapes and quotes of the block accounted for. */
  place(start: number, end: number): Place;
}

/** A value inside a step block. */
export interface Located {
  /** The key of the value, quotes included; null for items of lists and for the whole block. */
  key: Place | null;
  /** The value, quotes included. */
  value: Place;
  /** For a string: the place of a range of its characters (UTF-16 units of the decoded text). */
  inside(start: number, end: number): Place;
}

/** What a rule reports; the engine adds rule id, severity and URL. */
export interface RuleFinding {
  place: Place;
  /** What is wrong and what to write instead, one or two sentences. */
  reason: string;
  /** Why it matters here, when that is more than the rule's own `why`. */
  note?: string;
  expected?: string[];
  actual?: string;
  fix?: Fix;
}

/** The page of a rule, relative to the root of the package: it is shipped with it. */
export function ruleUrl(id: string): string {
  return `docs/rules/${id}.md`;
}

interface ProblemRule extends Omit<LintRule, 'id' | 'about' | 'check'> {
  /** The edit that fixes one problem; absent if only a person can. */
  fix?(problem: Problem, context: RuleContext): Fix | undefined;
}

/**
 * A rule that reports one kind of the parser's problems. Its id is the problem's code, its text comes from
 * `describeProblem`.
 */
export function problemRule(code: ProblemCode, { fix, ...rule }: ProblemRule): LintRule {
  return {
    id: code,
    ...rule,
    about: 'problems',
    check(context) {
      for (const problem of context.problems) {
        if (problem.code !== code) continue;
        const { reason, hint } = describeProblem(problem);
        const mended = fix?.(problem, context);
        context.report({
          place: problem.place,
          reason: hint === '' ? reason : `${reason} ${hint}`,
          ...(mended === undefined ? {} : { fix: mended }),
        });
      }
    },
  };
}

/** Whether a parser problem overlaps a place. Then something that seems to be missing may only be unreadable. */
export function hasProblem({ problems }: RuleContext, { start, end }: Place): boolean {
  return problems.some(
    ({ place, severity }) =>
      severity === 'error' && place.start.offset < end.offset && place.end.offset >= start.offset,
  );
}

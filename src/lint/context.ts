import type { BlockNode, ParseResult } from '../protocol/model.ts';
import { lineIndex, placeBetween } from '../protocol/position.ts';
import type { Directive } from './directives/directive.ts';
import { parseDirective } from './directives/parse.ts';
import type { LocateValue } from './facts/block-value.ts';
import { locateInJson } from './facts/json-places.ts';
import { findScripts } from './facts/scripts.ts';
import type { HtmlComment, Located, RuleContext, StepScript } from './rule.ts';

export interface ContextOptions {
  rules: RuleContext['rules'];
  level: RuleContext['level'];
  report: RuleContext['report'];
  inlineConfig: boolean;
  comments: readonly HtmlComment[];
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
  /** Given when the document holds YAML blocks. */
  locateInYaml: LocateValue | null;
}

/** What rules are given of a parsed document: facts that cost something are found once, for whoever asks first. */
export function ruleContext({ document, messages }: ParseResult, options: ContextOptions): RuleContext {
  const { source, path } = document;
  const lines = lazy(() => lineIndex(source));
  const place = (start: number, end: number) => placeBetween(lines(), start, end);
  const locate = (block: BlockNode, keys: readonly (string | number)[]): Located | null => {
    const find = block.format === 'json' ? locateInJson : options.locateInYaml;
    if (block.format === 'line' || find === null) return null;
    const base = block.valuePlace.start.offset;
    const moved = ([start, end]: [number, number]) => place(base + start, base + end);
    const found = find(source.slice(base, block.valuePlace.end.offset), keys);
    if (found === null) return null;
    return {
      key: found.key === null ? null : moved(found.key),
      value: moved(found.value),
      inside: (start, end) => moved(found.inside(start, end)),
    };
  };
  const steps = document.chains.flatMap((chain) => chain.steps.map((step) => ({ chain, step })));
  const scripts = lazy((): readonly StepScript[] => findScripts(steps, { source, locate, place }));
  const directives = lazy(() => (options.inlineConfig ? findDirectives(options.comments, place) : []));
  const { exists, rules, level, report } = options;
  return {
    source,
    path,
    document,
    problems: messages,
    steps,
    comments: options.comments,
    get scripts() {
      return scripts();
    },
    get directives() {
      return directives();
    },
    rules,
    level,
    report,
    place,
    locate,
    exists: (file) => (exists === undefined ? null : exists(file)),
  };
}

function findDirectives(comments: readonly HtmlComment[], place: RuleContext['place']): Directive[] {
  return comments.flatMap((comment) => parseDirective(comment, place) ?? []);
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

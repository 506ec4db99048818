import { type LocateValue, locateJsonValue } from '../formats/json/places.ts';
import type { BlockNode, ParseResult, Place } from '../protocol/model.ts';
import { type LineIndex, lineIndex, placeBetween } from '../protocol/position.ts';
import { parseScript } from '../shell/commands.ts';
import { parseDirective } from './directives/apply.ts';
import type { Directive } from './directives/directive.ts';
import type { HtmlComment, Located, RelativeLink, RuleContext, StepScript } from './rule.ts';

export interface RuleContextOptions {
  rules: RuleContext['rules'];
  level: RuleContext['level'];
  report: RuleContext['report'];
  inlineConfig: boolean;
  comments: readonly HtmlComment[];
  links: readonly RelativeLink[];
  /** Whether a path relative to the document's folder exists; absent when the document has no place on disk. */
  exists?: (path: string) => boolean;
  locateInYaml: LocateValue;
}

/** What rules get of a parsed document: expensive facts are computed once, on first use. */
export function ruleContext(parsed: ParseResult, options: RuleContextOptions): RuleContext {
  return new DocumentContext(parsed, options);
}

/** A class, because getters in an object literal would give every document its own hidden class. */
class DocumentContext implements RuleContext {
  readonly source: string;
  readonly path: string | undefined;
  readonly document: RuleContext['document'];
  readonly problems: RuleContext['problems'];
  readonly steps: RuleContext['steps'];
  readonly comments: readonly HtmlComment[];
  readonly links: readonly RelativeLink[];
  readonly rules: RuleContext['rules'];
  readonly level: RuleContext['level'];
  readonly report: RuleContext['report'];
  readonly #options: RuleContextOptions;
  #lines: LineIndex | undefined;
  #scripts: readonly StepScript[] | undefined;
  #directives: readonly Directive[] | undefined;

  constructor({ document, messages }: ParseResult, options: RuleContextOptions) {
    this.source = document.source;
    this.path = document.path;
    this.document = document;
    this.problems = messages;
    this.steps = document.chains.flatMap((chain) => chain.steps.map((step) => ({ chain, step })));
    this.comments = options.comments;
    this.links = options.links;
    this.rules = options.rules;
    this.level = options.level;
    this.report = options.report;
    this.#options = options;
  }

  get scripts(): readonly StepScript[] {
    this.#scripts ??= findScripts(this);
    return this.#scripts;
  }

  get directives(): readonly Directive[] {
    const { inlineConfig, comments } = this.#options;
    this.#directives ??= inlineConfig ? findDirectives(comments, this.place) : [];
    return this.#directives;
  }

  readonly place = (start: number, end: number): Place => {
    this.#lines ??= lineIndex(this.source);
    return placeBetween(this.#lines, start, end);
  };

  readonly locate = (block: BlockNode, path: readonly (string | number)[]): Located | null => {
    const find = block.format === 'json' ? locateJsonValue : this.#options.locateInYaml;
    if (block.format === 'line') return null;
    if (block.format === 'shorthand') return this.#inShorthand(block, path);
    const base = block.valuePlace.start.offset;
    const moved = ([start, end]: [number, number]) => this.place(base + start, base + end);
    // The YAML reader doesn't accept a lone CR as a line break.
    const text = this.source.slice(base, block.valuePlace.end.offset).replace(/\r(?!\n)/g, '\n');
    const found = find(text, path);
    if (found === null) return null;
    return {
      key: found.key === null ? null : moved(found.key),
      value: moved(found.value),
      inside: (start, end) => moved(found.inside(start, end)),
    };
  };

  /** Places in a shorthand fence: its text is the command, and its info string contains the other keys. */
  #inShorthand({ place, valuePlace }: BlockNode, path: readonly (string | number)[]): Located | null {
    const [, , key] = path;
    if (key === 'cmd') {
      const { start, end } = valuePlace;
      const isVerbatim =
        !this.source.slice(start.offset, end.offset).includes('\r') && place.start.column === 1;
      const inside = (from: number, to: number) => this.place(start.offset + from, start.offset + to);
      return { key: null, value: valuePlace, inside: isVerbatim ? inside : () => valuePlace };
    }
    const opening = /^.*/.exec(this.source.slice(place.start.offset))![0];
    const word = SHORTHAND_WORDS[String(key)];
    const at = word === undefined ? -1 : opening.search(new RegExp(`[ \\t]${word}=`));
    const end = at === -1 ? opening.length : opening.slice(at + 1).search(/[ \t]|$/) + at + 1;
    const found = this.place(place.start.offset + Math.max(at + 1, 0), place.start.offset + end);
    return { key: null, value: found, inside: () => found };
  }

  readonly exists = (path: string): boolean | null => this.#options.exists?.(path) ?? null;
}

const SHORTHAND_WORDS: Readonly<Record<string, string>> = {
  timeout_seconds: 'timeout',
  expect_exit_code: 'exit',
  workdir: 'workdir',
  env: 'env',
};

function findDirectives(comments: readonly HtmlComment[], place: RuleContext['place']): Directive[] {
  return comments.flatMap((comment) => parseDirective(comment, place) ?? []);
}

/** What is needed to find the place of a command. */
type Places = Pick<RuleContext, 'source' | 'locate' | 'place'>;

/** The commands that a document's steps would run, parsed. */
function findScripts(context: Places & Pick<RuleContext, 'steps'>): StepScript[] {
  return context.steps.flatMap(({ chain, step }) => {
    const { block } = step;
    if (block === null) return [];
    return commandsOf(block).map(({ role, text }): StepScript => {
      let inside: Located['inside'] | undefined;
      return {
        chain,
        step,
        block,
        role,
        text,
        parsed: parseScript(text),
        place: (start, end) => {
          inside ??= insideCommand(block, role, text, context);
          return inside(start, end);
        },
      };
    });
  });
}

/** Other interpreters' scripts aren't shell, so no rule about commands looks at them. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh']);

function commandsOf({ value }: BlockNode): Pick<StepScript, 'role' | 'text'>[] {
  const commands: Pick<StepScript, 'role' | 'text'>[] = [];
  const proof = value.proof_of_work;
  const { interpreter = 'sh' } = proof?.type === 'shell' ? proof.shell : {};
  if (proof?.type === 'shell' && SHELLS.has(interpreter))
    commands.push({ role: 'proof', text: proof.shell.cmd });
  const { command, verify } = value.proposal?.rollback_semantics ?? {};
  if (command !== undefined) commands.push({ role: 'rollback', text: command });
  if (verify !== undefined) commands.push({ role: 'verify', text: verify });
  return commands;
}

/** Older spellings keep the command under other keys. */
const PATHS = {
  proof: ['proof_of_work', 'challenge'].flatMap((key) => [
    [key, 'shell', 'cmd'],
    [key, 'cmd'],
  ]),
  rollback: [['proposal', 'rollback_semantics', 'command']],
  verify: [['proposal', 'rollback_semantics', 'verify']],
};

/** Falls back on the whole block where the command is not written letter by letter. */
function insideCommand(
  block: BlockNode,
  role: StepScript['role'],
  text: string,
  { source, locate, place }: Places,
): Located['inside'] {
  const path = PATHS[role].find((keys) => valueAt(block.raw, keys) === text);
  const located = path === undefined ? null : locate(block, path);
  if (located !== null) return located.inside;
  const at = block.format === 'line' ? source.indexOf(text, block.place.start.offset) : -1;
  if (at === -1 || at + text.length > block.place.end.offset) return () => block.place;
  return (start, end) => place(at + start, at + end);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
}

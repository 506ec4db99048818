import { fencesOf } from '../block/fence.ts';
import { lineIndex } from '../position.ts';
import { scan } from '../scan/scan.ts';
import type { ImportDecision, ImportOptions } from './demands.ts';
import { rawOf } from './frontmatter.ts';
import { labelOf, WARNS } from './parameters.ts';
import { hasRole } from './sections.ts';
import { type Step, trimBlank } from './steps.ts';

/** Words of a fence with which runme and others need a terminal, continue without it, or leave it out. */
const NOT_TO_RUN =
  /["']?\b(?:interactive|background|tty|promptEnv|excludeFromRunAll|skip|ignore|no-?run|no-?eval)\b(?!["']?\s*[:=]\s*["']?(?:false|no|0)\b)(?:["']?\s*[:=]\s*["']?\w+["']?)?/i;

/** Text that forbids to run something, in the languages of `CONDITION` too. */
const FORBIDS = new RegExp(
  [
    String.raw`(?:\b(?:never|avoid|cannot)\b|\b(?:do|does|must|should|s[h]all|may|can|is|are)(?:\s+not|n['’]t)\b|\bdon['’]?t\b|\bnot\s+to\b|\binstead of\b|\brather than\b)[^.!?\n]{0,60}?\b(?:run|runs|running|execute[ds]?|executing|use|using|type|call|invoke|do|try|following|command|this|below)\b`,
    String.raw`\b(?:forbidden|prohibited|not allowed|irreversible|(?:cannot|can['’]?t) be un[d]one|data loss|destroys|wipes|verboten|untersagt|unwiderruflich|Datenverlust|interdit\w*|irréversible|perte de données|prohibido|pérdida de datos|proibido)(?!\p{L})`,
    String.raw`\b(?:niemals|keinesfalls|auf keinen Fall|jamais|nunca|jamás)(?!\p{L})`,
    String.raw`\bnicht\b[^.!?\n]{0,40}\b(?:ausführ\w*|ausgeführt|benutz\w*|verwend\w*|start\w*|lauf\w*)|\b(?:führen|führe|benutzen|verwenden|starten)\b[^.!?\n]{0,60}\bnicht\b`,
    String.raw`\bn(?:e |['’])(?:pas )?(?:(?:exécut|lanc|utilis)\p{L}*)`,
    String.raw`\b(?:no|não|non)\s+(?:se\s+)?(?:debe\s+|deve\s+)?(?:(?:ejecut|execut|lanc|lanz|esegu|usa|utiliz|corr)\p{L}*)`,
    `не (?:запускай|выполняй|используй)|禁止|请勿|不要|しないで|してはいけ`,
  ].join('|'),
  'iu',
);

/** Text that lets something run in one case only, or after a person agreed. */
const CONDITION =
  /(?<!\p{L})(?:only\s+(?:if|when|after|once|with|by|during|upon|as a last)|approv(?:al|ed)|sign(?:ed)?[ -]?off|(?:nur|erst)\s+(?:wenn|falls|nach|mit|bei|im)|freigabe|freigegeben|genehmigung|seulement\s+(?:si|après|en|avec)|uniquement|approbation|autorisation|s[oó]lo\s+(?:si|despu[eé]s|con|en|cuando)|[uú]nicamente|aprobaci[oó]n|autorizaci[oó]n|somente|apenas\s+(?:se|após|com)|aprovação|soltanto|solo\s+(?:se|dopo)|approvazione|только\s+(?:если|после)|仅在|承認)(?!\p{L})[^.!?\n]*/iu;

/** The beginning of the sentence before a command that is for one case. */
const CASE =
  /^[\s>*_\d.)-]*(?:if|unless|in case|should|optional(?:ly)?|alternatively|otherwise|as a last resort|falls|wenn|sofern|optional|andernfalls|alternativ|si|sauf si|en cas|sinon|facultatif|en caso|opcional(?:mente)?|de lo contrario|se|caso|altrimenti|если|如果|もし)(?!\p{L})[^.!?\n]*/iu;

/** The end of a text that announces output. */
const ANNOUNCES_OUTPUT =
  /\b(?:(?:output|log|logs|result|response|screen|console|terminal|prompt|it|this|that|you|which|command)\b[^.!?]{0,60}\b(?:show|shows|see|print|prints|return|returns|read|reads|say|says|contain|contains|display|displays|be|is|look|looks|get|appear|appears)|(?:expected|sample|example|typical|similar)\b[^.!?]{0,40}|(?:output|prints|returns|displays|responds|like(?:\s+this)?))\s*(?:like(?:\s+this)?|similar to|as follows|something like)?\s*[*_]*:[*_]*\s*$/i;

/** A question that the command answers: "Check how full it is:". */
const ASKS_WHAT =
  /^[\s>*_\d.)-]*(?:\w+,?\s+)?(?:check|verify|see|find out|look|confirm|inspect|determine|measure|learn|show|list|print|get)\b[^.!?]*\b(?:how|what|whether|which|where|who|when|why|if)\b/i;

/** A row that restricts what follows to a case: "Only if it is down:". */
const RESTRICTS = /(?<![a-z])only (?:if|when|on|in|for)\b[^.!?\n]*:[*_]*[ \t]*$/im;

/**
 * Why the text around a command is against running it: a warning anywhere in the step; a condition, or the announcement of output,
 * before it.
 */
function warningIn(step: Step, { open, close }: { open: number; close: number }): string | undefined {
  const before = step.body.slice(0, open).join('\n').trimEnd();
  const text = [step.label, before, '', ...step.body.slice(close + 1)].join('\n');
  const parts = before.split(/\n[ \t]*\n|(?<=[.!?])\s/);
  const last = parts.at(-1)!;
  return (
    FORBIDS.exec(text)?.[0] ??
    WARNS.exec(text)?.[0] ??
    CONDITION.exec(`${step.label}\n${before}`)?.[0] ??
    RESTRICTS.exec(before)?.[0] ??
    CASE.exec(last)?.[0] ??
    CASE.exec(step.label)?.[0] ??
    (ASKS_WHAT.test(last) ? undefined : ANNOUNCES_OUTPUT.exec(last.replace(/\s+/g, ' '))?.[0])
  );
}

/** Proposes a proof for each step, in order: a step that moves elsewhere keeps commands after it from being one. Returns the steps with one. */
export function proposeProofs(
  preface: readonly string[],
  steps: readonly Step[],
  options: ImportOptions,
  decisions: ImportDecision[],
): Set<Step> {
  const proven = new Set<Step>();
  let earlier = leftOpen(preface);
  // A warning of the description is about every step.
  const warned = WARNS.exec(preface.join('\n'))?.[0];
  for (const step of steps) {
    // Read before a proof is proposed: a proof of a step leaves nothing open for the next.
    const open = leftOpen(step.body);
    if (proposeProof(step, options, decisions, { earlier, warned })) proven.add(step);
    earlier ??= open;
  }
  return proven;
}

/** Marks the one fenced command of a step as its proof unless something is against it. Reports why not. */
function proposeProof(
  step: Step,
  { commandFault }: ImportOptions,
  decisions: ImportDecision[],
  { earlier, warned }: { earlier: string | null; warned: string | undefined },
): boolean {
  const fences = fencesOf(step.body);
  const shells = fences.filter(({ shell }) => shell !== null);
  const [only] = shells;
  if (only === undefined) return false;
  const note = (what: string) => decisions.push({ line: step.line, what: `${step.label}: ${what}` });
  const keep = (what: string) => {
    note(what);
    return false;
  };
  if (shells.length > 1)
    return keep(`${shells.length} command blocks kept as text, because a step has one proof`);
  if (only !== fences.at(-1)) return keep('command kept as text, because other code follows it');
  if (only.depth > 1) return keep('command kept as text, because it is in a list inside of a list');
  const { language, words } = only;
  if (/^console$/i.test(language))
    return keep('kept as text, because a console block shows a terminal with its output');
  const told = NOT_TO_RUN.exec(words)?.[0] ?? warningIn(step, only) ?? warned;
  if (told !== undefined)
    return keep(`command kept as text, because it is not to be run unseen: ${told.trim()}`);
  // The block of an item of a list becomes the step's own.
  const indent = ' '.repeat(only.lead);
  const dedented = step.body
    .slice(only.open + 1, only.close + 1)
    .map((row) => (row.startsWith(indent) ? row.slice(only.lead) : row.trimStart()));
  const command = dedented.slice(0, only.close - only.open - 1).join('\n');
  const before = step.body.slice(0, only.open).join('\n');
  const elsewhere = elsewhereIn({ label: step.label, before, earlier });
  const fault = commandFault(command) ?? (elsewhere === null ? null : `it belongs elsewhere (${elsewhere})`);
  if (fault !== null) return keep(`command kept as text, because ${fault}`);
  step.body.splice(only.open, dedented.length + 1, `${only.mark}${only.shell} proof`, ...dedented);
  note('its command is the proof, because it is the only one and has no gap');
  if (words !== '')
    note(`the words ${JSON.stringify(words)} of its fence are left out, because kairos has others there`);
  return true;
}

/** The text around a command that may become a proof. */
interface CommandText {
  /** The name of its step, and the text of the step before it. */
  label: string;
  before: string;
  /** What an earlier step left open, as words (`leftOpen`). */
  earlier: string | null;
}

/** Commands after which others are about another machine, account, folder or environment. */
const MOVES =
  /(?:^|[\n;&|`])[ \t]*(?:[$#>%][ \t]+)?(?:sudo[ \t]+)?((?:cd|pushd|source|\.|export|setenv|workon|chroot)[ \t]+[^\s`;&|]+|ssh[ \t]+(?:-[A-Za-z]*[bcDEeFIiJLlmOopRSWw][ \t]+\S+[ \t]+|-\S+[ \t]+)*[^\s`;&|-][^\s`;&|]*(?=[ \t]*(?:[\n`;&]|$))|(?<=sudo[ \t]+)(?:-[isE]+|su)\b|(?:sudo[ \t]+)?-[is](?=[ \t]*[\n`]|$)|su(?:[ \t]+-?[ \t]*\w*)?(?=[ \t]*[\n`]|$)|(?:conda|mamba|micromamba)[ \t]+activate\b|nvm[ \t]+use\b|(?:poetry|pipenv|nix)[ \t]+(?:shell|develop)\b|(?:docker|podman|kubectl|oc)\b[^\n`]*[ \t]exec\b[^\n`]*[ \t]-(?:it|ti|t)\b|vagrant[ \t]+ssh\b|eval[ \t]+["']?\$\()/;
/** The shell code of a text, and its code spans. */
const SHELL_CODE =
  /^[ \t]*(`{3,}|~{3,})[ \t]*(?:(?:sh|bash|zsh|shell|console|terminal)[^\n`]*)?\n[\s\S]*?^[ \t]*\1|`[^`\n]+`/gim;
/** The same in words. */
const SAYS_MOVE =
  /\b(?:ssh (?:in)?to|log ?(?:in|on)(?: ?to| onto)\s+(?:the|a|an|your|each|one)\b(?:\s+[\w-]+){0,3}|(?:connect|shell in|remote in|jump) ?(?:to|into|onto) (?:the|a|an|your|each) (?:[\w-]+ ){0,3}(?:server|host|machine|node|box|instance|vm|bastion|container|pod|primary|replica)|(?:change|switch|go|move|navigate) (?:in)?to (?:the|a|your) (?:[\w`./-]+ ){0,3}(?:folder|directory|repo(?:sitory)?|checkout|root|user|account)|activate (?:the|your|a) (?:[\w-]+ ){0,2}(?:environment|venv|virtualenv)|become (?:root|the)|switch to root)\b/i;
/** A place, a person or a choice that the words before a command name: "On the database server, run:", "As root:", "(Optional)". */
const PLACES = 'servers?|hosts?|machines?|box(?:es)?|vms?|bastion|jump ?host|laptop|workstation';
const PLACE = new RegExp(
  [
    String.raw`(?:^|[.!?:;,]\s+|\n)[\s>*_\d.)-]*((?:on|from|in|inside|within)\s+(?:the|an?|each|every|all|one|your|any|both)\s+(?:[\w\`'’.-]+\s+){0,4}?(?:${PLACES}|nodes?|instances?|containers?|pods?|primary|replicas?|standby|master|slave|leader|followers?|shell|console|folder|directory|checkout|repo(?:sitory)?|environment|venv|side)\b)`,
    String.raw`((?<![a-z])(?:on|from)\s+(?:the|an?|each|every|all|one|your|any|both)\s+(?:[\w\`'’.-]+\s+){0,4}?(?:${PLACES})\b)`,
    String.raw`((?<![a-z])on\s+(?:[a-z]+\d+|[a-z]\w*[-.][\w.-]+|\`[^\`]+\`)(?=[\s,]*(?:run|execute|do|use|type|:|,|$)))`,
    String.raw`((?<![a-z])(?:as\s+(?:the\s+)?(?:[\w\`-]+\s+user|\`?(?:root|postgres|admin\w*|oracle|superuser)\`?)|with\s+(?:root|sudo|admin\w*)\b|requires?\s+root))`,
    String.raw`(?:^|\n)[\s>*_\d.)-]*(\(?optional(?:ly)?\b\)?)`,
  ].join('|'),
  'i',
);

/** What text and code of a step leave open for the steps after it, as words; null for nothing. */
export function leftOpen(rows: readonly string[]): string | null {
  const text = rows.join('\n');
  const code = text.match(SHELL_CODE)?.join('\n') ?? '';
  return (
    MOVES.exec(code)?.[0]
      .replace(/^[\s`;&|$#>%]+/, '')
      .trim() ??
    SAYS_MOVE.exec(text)?.[0] ??
    null
  );
}

/** Where a command belongs by the words around it or an earlier step: another place, account or folder. Null: unknown. */
export function elsewhereIn({ label, before, earlier }: CommandText): string | null {
  const [, ...named] = PLACE.exec(before) ?? PLACE.exec(label) ?? [];
  const place = named.find((each) => each !== undefined);
  return place?.trim().replace(/\s+/g, ' ') ?? leftOpen([label, before]) ?? earlier;
}

const MUST = /^[ \t]*[-*+][ \t]+(.*\bMUST\b(?!\s+NOT\b).*)$/;
const ASKS =
  /\bMUST\s+(?:\w+\s+)?(?:ask|confirm|get|obtain|request|wait for)\b.*\b(?:users?|human|person|approval|confirmation|permission)\b|\bMUST\b[^.]*\b(?:wait for|obtain|get|ask for)\s+(?:\w+\s+){0,3}(?:approval|confirmation|permission)\b/i;
/** A question for one case would stop each run for a person. */
const IN_ONE_CASE = /\b(?:if|unless|when|whenever|in case|where needed)\b/i;

/** In an agent SOP, a step with MUST constraints asks for an account of them, or a person where a constraint names one. */
export function demandConstraints(step: Step, decisions: ImportDecision[]): boolean {
  const constraints = step.body.flatMap((row) => MUST.exec(row)?.[1] ?? []);
  const question = constraints.find((text) => ASKS.test(text) && !IN_ONE_CASE.test(text));
  if (constraints.length === 0) return false;
  const proof =
    question === undefined
      ? { type: 'comment', comment: { min_length: 20 } }
      : { type: 'user_input', user_input: { prompt: question.trim() } };
  step.body.push('', '```json', JSON.stringify({ proof_of_work: proof }), '```');
  const what =
    question === undefined ? 'its MUST constraints ask for a comment' : 'a MUST constraint is its prompt';
  decisions.push({ line: step.line, what: `${step.label}: ${what}` });
  return true;
}

/** Diagnosis and Mitigation of an alert's runbook: a step for each heading below, else for each command. */
export function splitAlert(step: Step): Step[] {
  if (!hasRole(step.label, 'diagnosis', 'mitigation', 'resolution', 'trouble')) return [step];
  const { body } = step;
  const fences = fencesOf(body);
  const shells = fences.filter(({ shell }) => shell !== null);
  const headings = body.flatMap((row, at) =>
    /^#{3,6}[ \t]/.test(row) && !fences.some(({ open, close }) => open < at && at < close) ? [at] : [],
  );
  const nextHeading = (from: number) => headings.find((at) => at > from) ?? body.length;
  // A heading begins a step, and so does the text after a command if another command follows below the same heading.
  const starts = [
    0,
    ...headings,
    ...shells.flatMap(({ close }) =>
      shells.some(({ open }) => open > close && open < nextHeading(close)) ? [close + 1] : [],
    ),
  ].sort((a, b) => a - b);
  const parts = starts.map((start, index) => {
    const heading = headings.findLast((at) => at <= start);
    const name = heading === undefined ? '' : `: ${body[heading]!.replace(/^#+[ \t]+/, '')}`;
    const rows = body.slice(start, starts[index + 1] ?? body.length);
    return {
      ...step,
      label: `${step.label}${name}`,
      line: step.line + start,
      body: start === heading ? rows.slice(1) : rows,
    };
  });
  const filled = parts.filter(({ label, body: rows }) => label !== step.label || trimBlank(rows).length > 0);
  if (filled.length < 2) return [step];
  for (const part of filled) {
    const command = fencesOf(part.body).find(({ shell }) => shell !== null)?.open ?? 0;
    const before = part.body.slice(0, command).findLast((row) => row.trim() !== '');
    if (part.label === step.label && before?.trimEnd().endsWith(':'))
      part.label = `${step.label}: ${labelOf(before.replace(/^[\s>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*|:\s*$/g, ''))}`;
  }
  return filled;
}

/** Closes a code block without an end, above the next heading with a blank row before it, and returns its line (1-based); null without one. */
export function closeLast(lines: string[], decisions: ImportDecision[]): number | null {
  const last = fencesOf(lines).at(-1);
  if (last?.close !== lines.length) return null;
  const { open, lead, mark } = last;
  const heading = lines.findIndex(
    (row, at) => at > open + 1 && /^#{2,6}[ \t]/.test(row) && lines[at - 1]!.trim() === '',
  );
  const isText = heading === -1 || /\b(?:markdown|md)\b/.test(lines[open]!);
  const end = isText ? lines.length - (lines.at(-1) === '' ? 1 : 0) : heading - 1;
  // The blank row becomes the end, so that the lines below keep their numbers.
  lines.splice(end, isText ? 0 : 1, ' '.repeat(lead) + mark);
  const where = isText ? 'all text below it is code' : `it is closed above ${lines[heading]!.trim()}`;
  decisions.push({ line: open + 1, what: `the code block has no end, so ${where}` });
  return open + 1;
}

/** A heading inside of a step or of the description, for example in an item of a list, would begin a step. */
export async function demoteHeadings(rows: string[]): Promise<void> {
  // A blank row before the text, where no row of dashes is frontmatter.
  const text = `\n${rows.join('\n')}`;
  const { blocks } = await scan(text, lineIndex(text));
  for (const block of blocks.toReversed()) {
    if (block.type !== 'heading' || block.depth > 2) continue;
    const { first, last } = block;
    rows.splice(first - 1, last - first + 1, `### ${rawOf(rows, first - 1, last - 1)}`.trimEnd());
  }
}

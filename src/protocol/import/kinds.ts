import { fencesOf } from '../block/fence.ts';
import { type Carrier, type ImportBody, itemsOf, NUMBERED, TASK_MARK } from './carriers.ts';
import { beginsWithRole, hasRole, type SectionRole } from './sections.ts';
import type { Step } from './steps.ts';

/** Verbs with which instructions begin. */
const VERBS: ReadonlySet<string> = new Set(
  `
    accept access acknowledge activate add address adjust agree allow alert analyze announce answer append apply approve archive arrange ask assemble assess assign attach authenticate authorize avoid back backup bake balance begin block boil bootstrap browse build bump call calculate cancel capture change charge check choose clarify clean clear click clone close collect commit communicate compare compile complete compose
    compute configure confirm connect consider consult contact contain continue convert cook copy cordon count cover create cut deactivate debug decide declare decommission define delete deliver deploy describe destroy detach determine diagnose disable disconnect discuss dismiss distribute divide document download draft drain drop dry edit eject email empty enable encrypt end engage ensure enter escalate establish
    estimate evaluate examine exchange execute exit expand explain export extract fail fetch file fill filter find finish fix flash flush fold follow force format forward freeze gather generate get give go grant grep group guide halt hand handle have heat help hold identify ignore implement import include increase inform ingest initialize initiate insert inspect install integrate investigate invite invoke isolate issue
    join keep kill label launch leave let limit link list load locate lock log login look lower maintain make manage map mark measure meet merge migrate mint mix modify monitor mount move name navigate note notify obtain offboard onboard open order organize page park pass paste patch pause pay perform pick pin ping place plan plug point post pour power prepare press prevent print prioritize process promote propose
    protect provide provision publish pull purge push put quarantine query raise read reattach reboot rebuild recalculate receive record recover recreate redeploy reduce refer refresh register reinstall reject release reload remind remove rename renew reopen repair repeat replace replay reply report request rerun reschedule reset resize resolve restart restore restrict resume retrieve retry return revert review revoke
    rewrite rinse rollback roll rotate route run save scale scan schedule scrub search secure see select send separate serve set setup share shift ship show shut sign simmer simulate skip snapshot sort speak specify spin split sprinkle stage start state stay stir stop store strip submit subscribe summarize suspend swap switch sync synchronize tag take talk tell terminate test throttle tighten track train transfer triage
    trigger try turn type unblock uncordon undo uninstall unlock unmount unplug unsubscribe update upgrade upload use validate verify view visit wait walk wash watch wipe work wrap write yank`
    .trim()
    .split(/\s+/),
);

/** Words before the verb: "Then open it", "As root, open it", "Step 2: open it". */
const LEAD =
  /^[\s*_`"'([]*(?:(?:step|schritt|étape|paso|passo)?\s*\d+[.):]?\s+|(?:first|then|next|now|finally|please|always|once|when|if|after|before|as|in|on|at|to|for|with|from|optional(?:ly)?|do not|don['’]t|never|only|also|again|immediately|carefully|manually)(?:\b[^,:]{0,50}[,:])?\s+)*/i;

const FOREIGN =
  /(?<!\p{L})(?:der|die|das|den|dem|und|oder|mit|auf|für|ein|eine|einen|im|zum|zur|le|la|les|des|du|et|une?|pour|el|los|las|y|en|con|por|una|il|lo|di|e|per|o|os|do|da|para|em|het|een|van|de|og|att|och)(?!\p{L})/giu;
const ENGLISH = /\b(?:the|of|and|to|is|are|in|for|with|you|your|it|on|at|by|from|this|that|an?)\b/gi;

/** Whether instructions are in a language whose verbs aren't known here. */
function isForeign(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return (
    /[^\p{Script=Latin}\P{L}]/u.test(text) || count(FOREIGN) > count(ENGLISH) || /[äöüßéèàçñãõ]/i.test(text)
  );
}

/** Whether a text names something to do. */
export function isAction(text: string): boolean {
  const words =
    text
      .replace(LEAD, '')
      .toLowerCase()
      .match(/[\p{L}'’]+/gu) ?? [];
  const [first = ''] = words;
  return [
    first,
    ...(/(?<!^(?:dai|week|month|quarter|year|hour|night))ly$/.test(first) ? words.slice(1, 2) : []),
  ].some((word) =>
    [word, word.replace(/ing$/, ''), word.replace(/ing$/, 'e'), word.replace(/(.)\1ing$/, '$1')].some(
      (form) => VERBS.has(form.replace(/^(?:re|un|de|over)-/, '')),
    ),
  );
}

/** An infinitive, as German has it at the end and Romance languages have it first, or an imperative. */
export function isForeignAction(text: string): boolean {
  const words = text.match(/\p{L}+/gu) ?? [];
  return (
    /^\p{Ll}+(?:en|ern|eln)$/u.test(words.at(-1) ?? '') ||
    /\p{L}(?:en Sie\b)/u.test(text) ||
    /^\p{L}{2,}(?:er|ir|re|ez|ar|are|ere|ire|arlo|erlo)$/iu.test(words[0] ?? '')
  );
}

/** Titles of procedures. */
export const PROCEDURE_NAME =
  /\bhow (?:to|do i)\b|\b(?:procedures?|runbook|playbook|checklist|sop|scenario)\b|^steps (?:for|to)\b|anleitung|checkliste|procédure|procedimiento|procedimento/i;

interface Contents {
  title: string;
  headings: readonly string[];
  /** Words before a colon at the start of a row: "Present: Ana, Bo". */
  labels: readonly string[];
  /** The items of its lists. */
  items: readonly string[];
  steps: readonly Step[];
  isOrdered: boolean;
  /** Whether the steps are items. */
  isList: boolean;
  /** Whether sections are numbered: then a title shows another kind only if it is sure, or if no section names an action. */
  isNumbered: boolean;
  /** Whether there are tasks among them: then only meeting notes aren't a checklist. */
  isTasks: boolean;
}

interface Kind {
  name: string;
  /** Titles of documents of the kind, or the section that has such a title too. */
  title?: RegExp;
  /** Titles that are the kind's too if a date is in them. */
  titleOfDay?: RegExp;
  role?: SectionRole;
  /** Texts of which most in such a document are. */
  shape?: RegExp;
  what?: string;
  /** What shows the kind: its title where few steps begin with a verb, also with other steps, only with the shape, or the shape alone too. */
  by: 'title' | 'title and shape' | 'title or shape';
  /** Whether such a title shows the kind with any steps, unless it names a task; `alone`: without more words. */
  isSure?: true | 'alone';
  /** Whether headings have the shape too, not only items. */
  isOfHeadings?: true;
}

const DATE = String.raw`(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:\d{1,2}\.? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? \d{1,4}(?:, \d{4})?)`;
const DAY = new RegExp(DATE, 'i');

const KINDS: readonly Kind[] = [
  {
    name: 'a list of questions',
    role: 'questions',
    shape: /^(?:\**Q\d*[:.)]|.*[?？]\W*$)/u,
    what: 'are questions',
    isOfHeadings: true,
    by: 'title or shape',
  },
  {
    name: 'a changelog',
    title: /^releases\b/i,
    role: 'history',
    shape: new RegExp(
      String.raw`^\W*(?:v(?:ersion)? ?)?\d+\.\d+(?:\.\d+)?\b(?!\s+(?:${'[a-z]'}))|^\W*(?:added|changed|fixed|removed|deprecated|security|bug ?fixes|new features|breaking changes|improvements|unreleased|behoben|hinzugefügt|geändert|ajouté|corrigé|añadido|corregido)\b|^\W*${DATE}\W*$|\(#\d+\)|^[0-9a-f]{7,40} `,
      'iu',
    ),
    what: 'are versions or changes',
    isOfHeadings: true,
    by: 'title or shape',
    isSure: 'alone',
  },
  {
    name: 'meeting notes',
    title:
      /\b(?:meeting (?:notes|minutes)|minutes(?: of|$)|(?:stand-?up|retro(?:spective)?|sync|1:1|all hands|call) notes|notes (?:of|from)|besprechungs?(?:notizen|protokoll)|sitzungsprotokoll|protokoll der|compte[- ]rendu|acta de|notas de (?:la )?reuni[oó]n|ata d[ae]|verbale|議事録|会议纪要)/iu,
    titleOfDay:
      /(?:\b(?:meeting|stand-?up|retro(?:spective)?|sync|1:1|one-on-one|all[- ]hands|(?:team|wochen|projekt|jahres)?(?:besprechung|sitzung|treffen)|jour fixe|réunion|reunión|reunião|riunione|vergadering|overleg|spotkanie|zebranie)\b|会議|ミーティング|会议|例会|совещание|собрание)/iu,
    by: 'title',
  },
  {
    name: 'a glossary',
    role: 'glossary',
    isSure: true,
    shape:
      /^\W*[\p{L}\d][\p{L}\d/&.' -]{0,40}?(?:\([^)]*\))?[*_`]*(?: ?:| [–—=-]) ?[*_]* ?(?:an?|the|one|any|ein|eine|der|die|das|une?|les?|la|el|los|las|um|uma|un|il|lo|what|when|how|short for|stands for|abbreviation)\s/iu,
    what: 'define a term',
    by: 'title or shape',
  },
  {
    name: 'a set of rules',
    title:
      /^(?:(?:the |our )?(?:(?:house|office|club|ground|building|community) )?rules(?: of (?:the |our |this )?\p{L}+| for \p{L}+)|(?:house|office|club|ground|community) rules|(?:haus|bade|benutzungs|nutzungs|platz|lauf|betriebs)ordnung|(?:haus|spiel|büro)regeln|règlement (?:intérieur|de .*)|règles (?:de .*|du .*)|(?:normas|reglas) (?:de .*|del .*)|reglamento(?: .*)?|(?:regras|regulamento)(?: .*)?|regole (?:della|del|di) .*|regolamento(?: .*)?|huisregels|huishoudelijk reglement|regulamin(?: .*)?|就業規則|利用規則|社内規則|.*守则|.*规章制度|правила (?:внутреннего|дома|проживания|поведения).*)$/iu,
    by: 'title',
    isSure: true,
  },
  {
    name: 'a privacy notice or terms',
    title:
      /^(?:(?:\p{L}+ )?(?:privacy|cookie) (?:policy|notice|statement)|(?:general )?terms (?:of (?:service|use)|and conditions)|imprint|datenschutz(?:erklärung|hinweise?|richtlinie|ordnung|information(?:en)?)|impressum|(?:allgemeine )?(?:geschäfts|nutzungs)bedingungen|agb|politique (?:de confidentialité|de protection .*)|mentions légales|conditions générales(?: .*)?|(?:aviso|política) (?:de (?:privacidade?|cookies)|legal)|términos y condiciones|termos (?:de uso|e condições)|informativa (?:sulla|privacy).*|termini e condizioni|privacy(?:verklaring|beleid)|algemene voorwaarden|polityka prywatności|プライバシーポリシー|個人情報保護方針|利用規約|隐私(?:政策|声明)|服务条款|用户协议|политика конфиденциальности|пользовательское соглашение)(?![\p{L}])/iu,
    by: 'title',
    isSure: true,
  },
  {
    name: 'a policy',
    title:
      /\b(?:polic(?:y|ies)|code of conduct|terms of (?:service|use)|standards?|principles|values|richtlinien?|leitlinien?|verhaltenskodex|politique|règlement|charte|política|normas|código de conducta|regolamento|guidelines)$/iu,
    shape:
      /^\W*(?:all|every|each|any|no|the|our|we|employees?|users?|staff|members?|contractors?|managers?|visitors?|passwords?|data|access|personal|confidential|\p{Lu}?\p{L}+s)\b[^.:]{0,80}\b(?:must|shall|should|may|can|will|is|are|has to|have to|do not|value|believe)\b/iu,
    what: 'are rules',
    by: 'title',
  },
  {
    name: 'a record of what happened',
    title:
      /^(?:timeline|incident (?:of|on)\b.*|diary|journal|log(?:book)?|history|weekly report|status report|post-?mortem\b.*|incident report\b.*)$/iu,
    shape: new RegExp(
      String.raw`^\W*(?:(?:(?:${DATE})|\d{1,2}:\d\d)\W*)?(?:\p{L}+ ){0,3}(?!(?:need|embed|feed|seed|speed|proceed|exceed|shed|red|unused|required)\b)(?:\p{L}{2,}ed|was|were|began|went|sent|made|met|got|saw|took|wrote|found|built|ran|had|did|left|came|gave)\b`,
      'iu',
    ),
    what: 'report what was done',
    by: 'title and shape',
  },
  {
    name: 'a list of things',
    title:
      /\b(?:play ?lists?|set ?lists?|track ?lists?|songs?|albums?|discography|features?|road ?map|reading list|books|movies|films|awesome.*|links|resources|bookmarks|team(?: members)?|members|contributors|top \d+.*|best .* of .*|wish ?list|ideas|funktionen|fonctionnalités|funcionalidades|características|lieder|chansons|canciones)$/iu,
    shape:
      /^\W*(?:\[[^\]]+\]\([^)]*\)\W*$|\[[^\]]+\]\([^)]*\)\s*[-–—:]|["“„«][^"”“»]+["”“»]\W*(?:by|von|de|[-–—(])|[^.;!?]{2,60}\((?:19|20)\d\d\)\W*$)/u,
    what: 'are names',
    by: 'title or shape',
  },
];

/** What a document is if its steps don't look like instructions, with the evidence. Null if unsure: importing is the smaller mistake. */
function otherKind({
  title,
  headings,
  labels,
  items,
  steps,
  isOrdered,
  isList,
  isNumbered,
  isTasks,
}: Contents): string | null {
  const texts = steps.map(({ label, body, isMade }) =>
    isMade ? (body.find((row) => row.trim() !== '' && !/^#/.test(row)) ?? label) : label,
  );
  const all = `${title}\n${texts.join('\n')}`;
  const foreign = isForeign(all);
  const actsIn = (rows: readonly string[]) =>
    rows.filter((text) => isAction(text) || (foreign && isForeignAction(text))).length / (rows.length || 1);
  const acts = actsIn(texts);
  const sections = [...headings, ...(acts < 0.5 ? labels : [])].filter((raw) =>
    hasRole(raw, 'meeting', 'attendance'),
  );
  if (
    sections.length >= 2 &&
    sections.some((raw) => hasRole(raw, 'attendance')) &&
    !/checklist|how to|template/i.test(title)
  )
    return `it is meeting notes (${sections.slice(0, 3).join(', ')})`;
  if (isTasks) return null;
  for (const { name, title: named, titleOfDay, role, shape, what, by, isSure, isOfHeadings } of KINDS) {
    const found =
      shape === undefined || !(isList || isOfHeadings)
        ? []
        : texts.filter((text) => shape.test(text) && !isAction(text));
    const isTask =
      PROCEDURE_NAME.test(title) ||
      (isAction(title) && !/^\p{L}+ing\b/iu.test(title)) ||
      /^\p{Lu}\p{L}+ \p{Ll}+en$/u.test(title.trim());
    const isNamed =
      !isTask &&
      (named?.test(title.trim()) ||
        (titleOfDay?.test(title) && DAY.test(title)) ||
        (role !== undefined && beginsWithRole(title, role)));
    if (isNamed && (isSure === true || (isSure === 'alone' && hasRole(title, role ?? 'history'))))
      return `it is ${name} (its title is ${title.trim()})`;
    if (isNumbered && !(isNamed && by === 'title' && acts === 0 && actsIn(items) < 0.35)) continue;
    const share = found.length / texts.length;
    const evidence =
      found.length > 0
        ? `${found.length} of ${texts.length} ${isOrdered ? 'steps' : 'items'} ${what}`
        : `its title is ${title.trim()}`;
    const isFew = acts < 0.35 && !foreign && by !== 'title and shape';
    const isTitled = isNamed && (shape === undefined || share >= 0.4 || isFew);
    const isShaped = by === 'title or shape' && share >= 0.7 && found.length >= 3 && acts < 0.2;
    if (isTitled || isShaped) return `it is ${name} (${evidence})`;
  }
  return null;
}

const LABEL = /^[*_]{0,2}(\p{L}[^:：*_]{1,30}?)[*_]{0,2} ?[:：]/u;

/** What the document is, if its steps don't look like instructions and nothing else shows that they are. */
export function otherKindOf(
  { lines, from, to, headings, lists, isAlert }: ImportBody,
  carrier: Carrier,
  title: string,
  all: readonly Step[],
  data: Record<string, unknown>,
): string | null {
  const steps = all.filter(({ why }) => why === undefined);
  const isTool = ['globs', 'argument-hint', 'allowed-tools'].some((key) => key in data);
  const isSkill = typeof data.name === 'string' && typeof data.description === 'string';
  const shells = fencesOf(lines).filter(({ shell }) => shell !== null).length;
  if (isTool || isSkill || isAlert || carrier === 'rows' || shells * 4 >= steps.length) return null;
  const announced = headings.some(({ raw }) => hasRole(raw, 'steps'));
  const numbered = headings.filter(({ raw }) => NUMBERED.test(raw));
  if (announced || numbered.filter(({ raw }) => /^\P{N}/u.test(raw)).length >= 2) return null;
  const rows = steps.map(({ line }) => lines[line - 1]!);
  return otherKind({
    title,
    headings: headings.map(({ raw }) => raw),
    labels: lines.slice(from, to).flatMap((row) => LABEL.exec(row)?.[1] ?? []),
    items: lists.flatMap(({ first, last }) => itemsOf(lines, first, last).map(({ text }) => text)),
    steps,
    isList: !carrier.startsWith('h'),
    isNumbered: numbered.length >= 2,
    isOrdered: rows.every((row) => /^ {0,3}\d/.test(row)),
    isTasks: rows.some((row) => TASK_MARK.test(row.replace(/^ {0,3}(?:[-*+]|\d+[.)])[ \t]+/, ''))),
  });
}

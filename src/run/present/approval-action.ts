import type { ApprovedContent } from '../../gate/approval/view.ts';
import type { VariableValue } from '../../gate/input.ts';
import { parameterName } from '../../gate/permit/permit.ts';

/** What will be done, and with what. */
export function actionRows({ action, variables, parameters }: ApprovedContent): [string, string][] {
  switch (action.kind) {
    case 'command':
      return [
        ['runs', action.command],
        ...(action.interpreter === 'sh' ? [] : [['interpreter', action.interpreter] as [string, string]]),
        ['timeout', `${action.timeout_seconds} s`],
        ...environmentRows(action),
        ...Object.entries(variables)
          .filter(([name]) => !name.startsWith('KAIROS_PARAM_'))
          .map(([name, value]): [string, string] => ['variable', variableText(name, value)]),
        ...parameterRows(parameters, true),
      ];
    case 'tool':
      return [
        ['calls', action.server === null ? action.tool : `${action.tool} of ${action.server}`],
        ['arguments', jsonText(action.arguments)],
        ['server', serverText(action)],
      ];
    case 'protocol':
      return [
        ['runs', `the protocol ${action.title} (${action.slug}, ${action.digest.slice(0, 12)})`],
        ...action.steps.map((words, at): [string, string] => [`its step ${at + 1}`, words]),
        ...parameterRows(parameters, false),
      ];
    default:
      return [['done by', `a person: ${action.text}`], ...parameterRows(parameters, false)];
  }
}

/** What the command gets and starts. Values of the environment can be secret, so only changes of them are seen. */
function environmentRows({
  environment: names,
  surroundings: { environment = {}, files = {} } = { environment: {}, files: {} },
}: Extract<ApprovedContent['action'], { kind: 'command' }>): [string, string][] {
  const states = names.map((name) => {
    const digest = environment[name];
    if (digest === undefined) return `${name}: CAREFUL, its value can still change`;
    return digest === null ? `${name}: not set` : `${name}: set, and it must keep the value that it has now`;
  });
  return [
    ['environment', states.length === 0 ? 'the step names no variables' : states.join('\n')],
    ...Object.entries(files).map(([path, digest]): [string, string] => [
      'starts file',
      digest === null
        ? `${path}, which is missing or cannot be read`
        : `${path}, which must not change\nSHA-256 ${digest}`,
    ]),
    ['not checked', 'PATH and other usual variables, and other files that the command reads'],
  ];
}

function variableText(name: string, value: VariableValue): string {
  if (typeof value === 'string') return `${name}=${cut(value)}`;
  return value === null
    ? `${name}: secret. CAREFUL, its value can still change: an older version began the run`
    : `${name}: secret, and it must keep the value that it has now`;
}

/** Parameters with the variables that the command gets them in. */
function parameterRows(parameters: ApprovedContent['parameters'], isCommand: boolean): [string, string][] {
  return Object.entries(parameters).map(([key, value]) => {
    const variable = isCommand ? parameterName(key) : null;
    return [
      'parameter',
      `${nameText(key)}: ${jsonText(value)}${variable === null ? '' : `, as $${variable}`}`,
    ];
  });
}

/** What starts the server of a tool, as far as known. */
function serverText({ server, definition }: Extract<ApprovedContent['action'], { kind: 'tool' }>): string {
  if (server === null) return "the agent's client chooses it, and it can still change";
  if (definition == null) return 'CAREFUL, no server of this name is found here, or its file cannot be read';
  const { command, arguments: args, environment, directory, file, digest } = definition;
  return [
    [command, ...args].join(' '),
    ...(directory === null ? [] : [`in ${directory}`]),
    ...(environment.length === 0 ? [] : [`environment ${environment.join(', ')}`]),
    `named in ${file} (${digest.slice(0, 12)})`,
  ].join('\n');
}

/** Where it is done. */
export function directoryOf({ place, action }: ApprovedContent): string {
  const inside = action.kind === 'command' && action.workdir !== null ? action.workdir : null;
  const root = place?.directory ?? null;
  if (root === null) return inside === null ? 'not on record' : `${inside}, below one that is not on record`;
  const linked =
    action.kind === 'command' && action.directory !== undefined ? `, a link to ${action.directory}` : '';
  return inside === null ? root : `${root}, in ${inside}${linked}`;
}

const LONGEST = 2000; // characters of a value; the proposal itself has it whole

/** A name from a proposal; quoted if it could be read as more than a name. */
export function nameText(name: string): string {
  return /^[\p{L}\p{N}_.@:/+~-]+$/u.test(name) ? name : jsonText(name);
}

/** A value as JSON. */
export function jsonText(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'null');
}

/** At most 2000 characters of a text. */
function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

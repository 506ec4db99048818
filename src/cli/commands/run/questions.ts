import { zonedTime } from '../../../base/duration.ts';
import { dangerOf, type ShellDefinition } from '../../../host/commands/shell-step.ts';
import { checkAnswer, DECLINED, proposalFault, toPerson } from '../../../operations/answer.ts';
import type { Demand, SamplingDemand } from '../../../proof/demand.ts';
import type { ProofTools } from '../../../proof/tools.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { type Station, stationsOf, type UnknownOutcome } from '../../../run/state.ts';
import type { ExpectedQuestion } from '../../terminal/match-answers.ts';
import type { AnswerCheck, Question, QuestionStep } from '../../terminal/question.ts';
import { violationLines } from '../../views/demand.ts';

/** A station that asks for something. */
export type AskingStation = Exclude<Station, { kind: 'none' }>;

/** What a person types to let a dangerous command run. */
export const DANGER_PHRASE = 'run it';

/** The option that declines a question with fixed choices. */
const DECLINE = { value: DECLINED, label: '(decline)' };

/** Returns the question of a station, or null when kairos obtains the proof itself. */
export function proofQuestion(
  content: ChainContent,
  station: AskingStation,
  tools: ProofTools,
): Question | null {
  const { demand } = station;
  const step = stepOf(content, station);
  switch (demand.type) {
    case 'shell':
      return null;
    case 'mcp':
      return demand.mcp.server === undefined
        ? {
            kind: 'editor',
            name: 'result',
            step,
            message: `Call the tool ${demand.mcp.tool_name} yourself and give its result as JSON (or as text):`,
          }
        : null;
    case 'user_input':
      return demand.user_input.choices === undefined
        ? {
            kind: 'text',
            name: 'answer',
            step,
            message: demand.user_input.prompt,
            check: answerCheck(demand, tools),
          }
        : {
            kind: 'choice',
            name: 'answer',
            step,
            message: demand.user_input.prompt,
            options: [...demand.user_input.choices.map((value) => ({ value })), DECLINE],
          };
    case 'sampling':
      return {
        kind: 'editor',
        name: 'sampling',
        step,
        message: samplingText(demand),
        check: (value) => {
          const verdict = checkAnswer(demand, { result: value }, tools);
          if (verdict.ok) return true;
          const wrong = violationLines(verdict.violations).map((line) => `; ${line}`);
          return `${toPerson(verdict.message, demand)}${wrong.join('')}`;
        },
      };
    case 'comment':
      return {
        kind: 'editor',
        name: station.kind === 'closing' ? 'closing' : 'comment',
        ...(station.kind === 'closing' ? {} : { step }),
        message:
          station.kind === 'closing'
            ? 'All steps are done. Describe in your own words how it went (closing comment):'
            : `Your account of this step (at least ${demand.comment.min_length} characters):`,
        check: commentCheck(content, station, tools),
      };
  }
}

/** Returns the question before a command runs: a confirmation, or a phrase to type for a dangerous command. */
export function runQuestion(content: ChainContent, station: AskingStation, shell: ShellDefinition): Question {
  const step = stepOf(content, station);
  const danger = dangerOf(shell);
  if (danger === null)
    return { kind: 'confirm', name: 'run', step, message: 'Run this command?', default: true };
  return {
    kind: 'phrase',
    name: 'phrase',
    step,
    message: `This command ${danger.why} (${danger.what}).`,
    phrase: DANGER_PHRASE,
  };
}

/** Returns the question before a command runs again whose end is not known. Only a person can answer it. */
export function doubtQuestion(content: ChainContent, { step, cmd, startedAt }: UnknownOutcome): Question {
  return {
    kind: 'confirm',
    name: 'again',
    step: stepOf(content, { step }),
    message: `This command was started at ${zonedTime(startedAt)} and its end is not known:\n  ${cmd}\nIt may still be running, or it may have done its work. Run it again?`,
    default: false,
    byHand: true,
  };
}

/** Returns the question for a gated step's proposal, as JSON. The draft fills in missing keys. */
export function proposalQuestion(
  content: ChainContent,
  station: AskingStation,
  draft: Record<string, unknown> | null,
): Question {
  return {
    kind: 'editor',
    name: 'proposal',
    step: stepOf(content, station),
    message: [
      'This step is consequential. Enter its proposal as JSON; {} submits the draft unchanged.',
      ...(draft === null
        ? []
        : ['The draft fills in the keys that you leave out:', JSON.stringify(draft, null, 2)]),
    ].join('\n'),
    ...(draft === null ? {} : { initial: JSON.stringify(draft, null, 2) }),
    check: (text) => proposalFault(text) ?? true,
  };
}

/** A question of a run. `past`: the run has passed it, so its answer is accepted and not used. */
export interface ExpectedRunQuestion extends ExpectedQuestion {
  past: boolean;
}

/**
 * Returns every question that a run can ask, in order. `from` is the station where it starts; `isProposed`: its proposal was
 * submitted already and only waits for its judgement.
 */
export function expectedQuestions(
  content: ChainContent,
  tools: ProofTools,
  from = 0,
  isProposed = false,
): ExpectedRunQuestion[] {
  return stationsOf(content).flatMap((station, at): ExpectedRunQuestion[] => {
    if (station.kind === 'none') return [];
    const { demand } = station;
    const past = at < from;
    const required = !past && (station.kind === 'closing' || demand.required);
    const proposed = (question: Question, isPast: boolean): ExpectedRunQuestion => ({
      question,
      required: required && !isPast,
      past: isPast,
    });
    const first: ExpectedRunQuestion[] =
      station.block.proposal === undefined
        ? []
        : [proposed(proposalQuestion(content, station, null), past || (isProposed && at === from))];
    if (demand.type === 'shell') {
      const question = runQuestion(content, station, demand.shell);
      return [...first, { question, required: required && question.kind === 'phrase', past }];
    }
    const question = proofQuestion(content, station, tools);
    return question === null ? first : [...first, { question, required, past }];
  });
}

export function stepOf(content: ChainContent, { step }: Pick<Station, 'step'>): QuestionStep {
  return { index: step, label: content.steps[step - 1]?.label ?? '' };
}

function samplingText({ sampling: { system, prompt, output_schema } }: SamplingDemand): string {
  return [
    'Let a model answer this, and give what it answered, as JSON:',
    `System: ${system}`,
    `Prompt: ${prompt}`,
    `The answer has to satisfy this schema: ${JSON.stringify(output_schema)}`,
  ].join('\n');
}

function answerCheck(demand: Demand, tools: ProofTools): AnswerCheck {
  return (value) => {
    const verdict = checkAnswer(demand, { confirmation: value }, tools);
    // The engine judges a refusal.
    return verdict.ok || verdict.code === 'USER_DECLINED' ? true : toPerson(verdict.message, demand);
  };
}

function commentCheck(content: ChainContent, station: AskingStation, tools: ProofTools): AnswerCheck {
  const step = content.steps[station.step - 1];
  const stepText = `${step?.label ?? ''}\n${step?.body ?? ''}`;
  return (value) => {
    const verdict = checkAnswer(station.demand, { text: value }, tools, { stepText, previousComment: null });
    return verdict.ok ? true : toPerson(verdict.message, station.demand);
  };
}

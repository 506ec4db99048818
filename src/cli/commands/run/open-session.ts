import { resolve } from 'node:path';
import type { OperationContext } from '../../../operations/context.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { Host } from '../../context.ts';
import { readAnswersFile } from '../../terminal/answers-file.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import { matchAnswers } from '../../terminal/match-answers.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { prompterOf } from '../../terminal/with-prompter.ts';
import { expectedQuestions } from './questions.ts';
import { jsonReporter } from './report.ts';
import { humanReporter } from './report-human.ts';
import type { RunSession } from './session.ts';
import type { RunCall, RunTarget } from './subject.ts';

/** Who will answer; an answers file is held against the protocol before anything else happens. */
export async function openPrompter(
  call: RunCall,
  interrupts: Interrupts,
  { revision, from }: RunTarget,
  tools: ProofTools,
): Promise<Prompter> {
  const { io, options } = call;
  const answers =
    options.answers === undefined
      ? undefined
      : matchAnswers(
          await readAnswersFile(resolve(io.cwd, options.answers)),
          expectedQuestions(revision.content, tools, from),
        );
  return prompterOf(call, interrupts, {
    noInput: options.input === false,
    // Whoever writes the answers down beforehand has said yes to the walk; trust and dangers stay by hand.
    yes: options.yes === true || answers !== undefined,
    ...(answers === undefined ? {} : { answers }),
  });
}

/** All that the walk needs, once there is a run. */
export async function openSession(
  ctx: OperationContext,
  host: Host,
  { io, options, output }: RunCall,
  parts: Pick<RunSession, 'interrupts' | 'prompter' | 'tools' | 'runId'> & { subject: RunTarget },
): Promise<RunSession> {
  const { subject, ...rest } = parts;
  const plain = io.env.TERM === 'dumb' || Boolean(io.env.ACCESSIBLE);
  return {
    ...rest,
    ctx,
    io,
    content: subject.revision.content,
    reporter: output.json ? jsonReporter(output) : humanReporter(output, io, plain),
    redactor: host.redactor(),
    root: subject.settled.place.workdir,
    trusted: options.trust ?? [],
    contain: options.contain === true,
    hasTerminal: io.stdin.isTTY === true && io.stdout.isTTY === true,
    yes: options.yes === true || options.answers !== undefined,
  };
}

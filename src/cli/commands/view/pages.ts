import { html, raw } from 'hono/html';
import { hereCommand, programName } from '../../../base/command-line.ts';
import { formatDuration } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import type { Json } from '../../../ledger/entry.ts';
import { pendingQuestion, type RunQuestion } from '../../../operations/answer.ts';
import { screenFor } from '../../../operations/approve.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { waitingProposals } from '../../../operations/proposals.ts';
import { notesOf, tombstoneFacts } from '../../../operations/prune.ts';
import { countedReports, reportOfRun } from '../../../operations/report.ts';
import { inputText } from '../../../operations/run/inputs.ts';
import { type ListedRun, listedState, listRuns } from '../../../operations/runs.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { graphSvg } from '../../../report/graph.ts';
import { prunedSection, runSection } from '../../../report/html.ts';
import {
  demandView,
  durationView,
  type Html,
  type PageAssets,
  pageOf,
  visibleText,
} from '../../../report/page.ts';
import { type DrawProse, drawProse } from '../../../report/prose.ts';
import { type Percentiles, statisticsOf } from '../../../report/statistics.ts';
import { formatInstant } from '../../../report/words.ts';
import type { DecidedProposal } from '../../../run/gate-state.ts';
import { type ApprovalScreen, screenRows } from '../../../run/present/approval-screen.ts';
import type { RunRow } from '../../../store/port.ts';

/** Runs on one page. */
const SHOWN = 100;

/** The pages of `kairos view`. */
export function makePages(ctx: OperationContext, assets: PageAssets, formToken: string, now: () => number) {
  const { store, caller } = ctx;
  const page = (title: string, body: Html, current = '') =>
    pageOf(title, html`${navigation(current)}${body}`, assets, true);

  return {
    async runs(): Promise<string> {
      const waiting = await listRuns(ctx, { state: 'waiting' }, now());
      return page(
        'Runs',
        html`<h1>Runs</h1>${waiting.length === 0 ? '' : html`<h2>Waiting for a person</h2>${runTable(waiting, now(), 'Runs that wait')}`}<h2>All runs</h2>${runList(await listRuns(ctx, { limit: SHOWN }, now()), now())}`,
        '/',
      );
    },

    /** `refused`: what was submitted to a form of this page, and why it was not accepted. */
    async run(row: RunRow, refused: Refused | null = null): Promise<string> {
      if (row.tombstone !== undefined) {
        const kept = tombstoneFacts(row, row.tombstone);
        return page(row.title, prunedSection(row, kept, await notesOf(ctx, row)));
      }
      const report = await reportOfRun(ctx, row);
      const question = await pendingQuestion(ctx, row);
      const isOpen = row.sealedAt === null;
      const isAsked = question !== null && question.station === refused?.station;
      const isShown = refused?.field === 'answer' ? isAsked : isOpen;
      const of = (field: Refused['field']) => (isShown && refused?.field === field ? refused : null);
      return page(
        report.title,
        html`${refused === null || isShown ? '' : lostText(refused)}${question === null ? '' : questionForm(row.runId, question, formToken, of('answer'))}${runSection(report, 0)}${isOpen ? noteForm(row.runId, formToken, of('note')) : ''}`,
      );
    },

    async protocols(): Promise<string> {
      const chains = await store.listChains([caller.space]);
      return page(
        'Protocols',
        html`<h1>Protocols</h1>${chains.length === 0 ? html`<p>No protocols yet. Store one with <code>${hereCommand(['mint', 'FILE'])}</code>.</p>` : html`<div class="scroll" role="region" aria-label="Protocols" tabindex="0"><table><thead><tr><th scope="col">Protocol</th><th scope="col">Steps</th><th scope="col">Version</th><th scope="col">Tags</th></tr></thead><tbody>${chains.map(({ slug, title, stepCount, version, tags }) => html`<tr><td><a href="/protocols/${slug}">${visibleText(title)}</a></td><td>${stepCount}</td><td>${version ?? ''}</td><td>${visibleText(tags.join(', '))}</td></tr>`)}</tbody></table></div>`}`,
        '/protocols',
      );
    },

    async protocol(slug: string): Promise<string> {
      const revision = await store.headBySlug(caller.space, slug);
      if (revision === null)
        throw new KairosError('NOT_FOUND', `no protocol has the slug ${JSON.stringify(slug)}`, {
          hint: 'Pick one from the list of protocols.',
        });
      const { content, number, author, createdAt, digest } = revision;
      const runs = await listRuns(ctx, { isOf: (run) => run.slug === slug, limit: SHOWN }, now());
      const prose = drawProse();
      return page(
        content.title,
        html`<h1>${visibleText(content.title)}</h1><div class="lead">${prose(content.description)}</div><dl><dt>Revision</dt><dd>${number}, by ${visibleText(author)}, ${formatInstant(createdAt)}</dd><dt>Digest</dt><dd>${digest}</dd>${protocolFacts(content, prose)}</dl><h2>Graph</h2><div class="graph">${raw(graphSvg(content))}</div><h2>Steps</h2>${content.steps.map(({ label, body, block }, at) => html`<article class="step"><header><span class="number">${at + 1}</span><h3>${visibleText(label)}</h3></header>${body.trim() === '' ? '' : html`${prose(body)}`}${block === null ? '' : demandView(block as unknown as Json)}</article>`)}<h2>Runs</h2>${runList(runs, now())}`,
        '/protocols',
      );
    },

    async statistics(): Promise<string> {
      const rows = await store.findRuns({ spaces: [caller.space], limit: 1000 });
      const { reports } = await countedReports(ctx, rows);
      const protocols = statisticsOf(reports);
      return page(
        'Statistics',
        html`<h1>Statistics</h1>${rows.length === 1000 ? html`<p>Of the newest 1000 runs.</p>` : ''}${protocols.map(
          ({ title, slug, runs, successes, failures, open, duration, steps }) =>
            html`<h2><a href="/protocols/${slug}">${visibleText(title)}</a></h2><p>${runs} ${runs === 1 ? 'run' : 'runs'}: ${successes} succeeded, ${failures} failed, ${open} open.${duration === null ? '' : html` Half finished within ${durationView(duration.p50)}, 95 % within ${durationView(duration.p95)}.`}</p>${rowsView(
              `Steps of ${title}`,
              ['Step', 'Reached', 'Half within', '95 % within', 'Waits', 'Refused', 'Stopped here'],
              steps.map((step) => [
                `${step.number} ${visibleText(step.label)}`,
                String(step.reached),
                at(step.duration, 'p50'),
                at(step.duration, 'p95'),
                at(step.waiting, 'p50'),
                String(step.refused),
                String(step.stoppedHere),
              ]),
            )}`,
        )}${protocols.length === 0 ? html`<p>No runs yet.</p>` : ''}`,
        '/statistics',
      );
    },

    async proposals(): Promise<string> {
      const items: Html[] = [];
      for (const { run: row, state, proposal } of await waitingProposals(ctx)) {
        // One policy that can't be used hides no other proposal.
        const screen = await screenFor(ctx, state, proposal).catch((error: unknown) => {
          if (error instanceof KairosError) return error;
          throw error;
        });
        items.push(approverScreen(ctx, row, proposal, screen, now()));
      }
      return page(
        'Proposals',
        html`<h1>Proposals that wait</h1>${items.length === 0 ? html`<p>No proposal waits for approval.</p>` : items}`,
        '/proposals',
      );
    },

    problem: (said: string) =>
      page('kairos', html`<h1>That did not work</h1><p role="alert">${visibleText(said)}</p>`),
  };
}

function protocolFacts(
  { version, tags, triggers, completion_rule: rule, inputs = {} }: ChainContent,
  prose: DrawProse,
): Html[] {
  const text = (value: string) => html`<dd class="lines">${visibleText(value)}</dd>`;
  const drawn = (value: string) => html`<dd>${prose(value)}</dd>`;
  const rows: [string, string | null, DrawProse][] = [
    ['Version', version, text],
    ['Tags', tags.join(', '), text],
    ['Triggers', triggers, drawn],
    ['Completion rule', rule, drawn],
    ...Object.entries(inputs).map(([name, input]): [string, string, DrawProse] => [
      `Input ${name}`,
      inputText(input),
      text,
    ]),
  ];
  return rows.flatMap(([name, value, draw]) =>
    value === null || value === '' ? [] : [html`<dt>${name}</dt>${draw(value)}`],
  );
}

/** The approver's screen, and the commands that answer it: the page signs nothing. */
function approverScreen(
  { commandLine }: OperationContext,
  { runId, title }: RunRow,
  { hash, text, approvals }: DecidedProposal,
  found: ApprovalScreen | KairosError | null,
  now: number,
): Html {
  const screen = found instanceof KairosError ? null : found;
  const rows = screen === null ? [] : screenRows(screen, { now });
  const problem = found instanceof KairosError ? found.message : null;
  const answers = (['approve', 'deny'] as const).map((decision) =>
    commandLine(['proposal', decision, runId, hash, '--key', 'KEY']),
  );
  const elsewhere = commandLine(['proposal', 'request', runId, hash, '--out', 'request.json']);
  return html`<article class="step" id="${hash}"><header><h2>${visibleText(title)}</h2><span class="badge pending">${screen?.given ?? approvals.given} of ${screen?.needed ?? approvals.needed} approvals</span></header>${problem === null ? '' : html`<p class="bad" role="alert">${visibleText(problem)}</p>`}<p><a href="/runs/${runId}">The run so far</a></p><dl>${rows.map(([label, value]) => html`<dt>${label}</dt><dd class="lines">${visibleText(value)}</dd>`)}</dl><details><summary>The proposal</summary><pre tabindex="0">${visibleText(JSON.stringify(JSON.parse(text), null, 2))}</pre></details><h3>To answer</h3><p>This page signs nothing. Sign in a terminal of this account, which shows the same and asks:</p>${answers.map((line) => html`<pre tabindex="0">${line}</pre>`)}<p>From another account or machine, send the file that this writes:</p><pre tabindex="0">${elsewhere}</pre></article>`;
}

const PAGES = [
  ['/', 'Runs'],
  ['/proposals', 'Proposals'],
  ['/protocols', 'Protocols'],
  ['/statistics', 'Statistics'],
] as const;

function navigation(current: string): Html {
  return html`<nav aria-label="Pages">${PAGES.map(([path, name]) => html`<a href="${path}" ${path === current ? raw('aria-current="page"') : ''}>${name}</a>`)}</nav>`;
}

function at(found: Percentiles | null, which: keyof Percentiles): string {
  return found === null ? '' : formatDuration(found[which]);
}

function runList(runs: readonly ListedRun[], now: number): Html {
  const more = runs.length - SHOWN;
  if (runs.length === 0)
    return html`<p>No runs yet. Begin one with <code>${programName()} run FILE</code>, or let an agent begin one.</p>`;
  return html`${runTable(runs.slice(0, SHOWN), now)}${more > 0 ? html`<p>${more} older ${more === 1 ? 'run is' : 'runs are'} not shown. List them with <code>${hereCommand(['runs', '--limit', String(runs.length)])}</code>.</p>` : ''}`;
}

function runTable(runs: readonly ListedRun[], now: number, label = 'Runs'): Html {
  return rowsView(
    label,
    ['Protocol', 'State', 'Steps', 'By', 'Begun', 'Duration', 'Run'],
    runs.map((listed) => {
      const { run, passed, steps, damaged, durationMs } = listed;
      return [
        html`<a href="/runs/${run.runId}">${visibleText(run.title)}</a>`,
        html`<span class="badge ${run.outcome === 'success' ? 'proven' : damaged || run.outcome === 'failure' ? 'failed' : 'pending'}">${listedState(listed)}</span>`,
        steps === 0 ? '' : `${passed}/${steps}`,
        visibleText(run.actor),
        html`<time datetime="${run.begunAt}">${formatDuration(now - Date.parse(run.begunAt))} ago</time>`,
        run.sealedAt === null ? '' : formatDuration(durationMs),
        html`<code>${run.runId.slice(0, 8)}</code>`,
      ];
    }),
  );
}

/** A table. On a narrow screen each row is a block with its cells named; roles keep it a table for screen readers. */
function rowsView(label: string, heads: string[], rows: (string | Html)[][]): Html {
  return html`<div class="scroll" role="region" aria-label="${visibleText(label)}" tabindex="0"><table class="rows" role="table"><thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead><tbody role="rowgroup">${rows.map((cells) => html`<tr role="row">${cells.map((cell, at) => html`<td role="cell" data-label="${heads[at]}">${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** A text that was submitted to a form and not accepted. */
interface Refused {
  field: 'answer' | 'note';
  /** The station whose question was answered. */
  station?: number;
  text: string;
  problem: string;
}

/** What a text was refused for, where the page has no form for it any more, so that nothing typed is lost. */
function lostText({ problem, text }: Refused): Html {
  return html`<section class="check broken" aria-label="Not accepted">${problemView(problem, true)}${text === '' ? '' : html`<p>What you wrote:</p><pre tabindex="0">${visibleText(text)}</pre>`}</section>`;
}

/** `isFocused`: the form has no field that can have the focus instead. */
function problemView(problem: string, isFocused: boolean): Html {
  const text = visibleText(`${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}`);
  return html`<p class="bad" role="alert" id="problem"${isFocused ? raw(' tabindex="-1" autofocus') : ''}>${text}</p>`;
}

/** The field of a form with what was typed before, tied to its hint and to what was wrong. */
function fieldView(name: Refused['field'], rows: number, hasHint: boolean, refused: Refused | null): Html {
  const about = [hasHint ? `${name}-hint` : '', refused === null ? '' : 'problem'].filter((id) => id !== '');
  const attributes = html`id="${name}" name="${name}" required${about.length === 0 ? '' : html` aria-describedby="${about.join(' ')}"`}${refused === null ? '' : raw(' aria-invalid="true" autofocus')}`;
  const text = refused?.text ?? '';
  return rows === 1
    ? html`<input ${attributes} type="text" autocomplete="off" value="${text}">`
    : html`<textarea ${attributes} rows="${rows}">${raw('\n')}${text}</textarea>`;
}

/** For open runs: a note on a sealed one is signed, and this page signs nothing. */
function noteForm(runId: string, token: string, refused: Refused | null): Html {
  return html`<details${raw(refused === null ? '' : ' open')}><summary>Add a note</summary><form class="note" method="post" action="/runs/${runId}/note"><input type="hidden" name="token" value="${token}"><p><label for="note">Note for the record of this run</label></p>${refused === null ? '' : problemView(refused.problem, false)}${fieldView('note', 3, false, refused)}<p><button type="submit">Add the note</button></p></form></details>`;
}

function questionForm(runId: string, question: RunQuestion, token: string, refused: Refused | null): Html {
  const { step, label, prompt, choices, station, type, minLength, pattern, declined } = question;
  const length =
    minLength === null ? '' : `In your own words, with at least this number of characters: ${minLength}.`;
  const shape = html`The whole answer must match the pattern <code>${visibleText(pattern ?? '')}</code>.`;
  const hasHint = length !== '' || pattern !== null;
  const hint = hasHint ? html`<p class="lead" id="answer-hint">${pattern === null ? length : shape}</p>` : '';
  const problem = refused === null ? '' : problemView(refused.problem, choices !== null);
  const quiet = html`<button type="submit" class="quiet" name="decline" value="yes" formnovalidate>Decline</button>`;
  const decline = type === 'user_input' ? quiet : '';
  return html`<section class="check" aria-label="Question"><h2>This run asks: step ${step}, ${visibleText(label)}</h2>${declined ? html`<p>This question was declined. An answer lifts that.</p>` : ''}<form class="answer" method="post" action="/runs/${runId}/answer"><input type="hidden" name="token" value="${token}"><input type="hidden" name="station" value="${station}">${choices === null ? html`<p><label for="answer">${visibleText(prompt)}</label></p>${hint}${problem}${fieldView('answer', type === 'comment' ? 4 : 1, hasHint, refused)}<p><button type="submit">Answer</button>${decline}</p>` : html`${problem}<fieldset><legend>${visibleText(prompt)}</legend>${choices.map((choice) => html`<button type="submit" name="answer" value="${choice}">${visibleText(choice)}</button>`)}${decline}</fieldset>`}</form><p class="lead">The answer is recorded as given at a page on this machine (client).</p></section>`;
}

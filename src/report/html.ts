import { html } from 'hono/html';
import { formatDuration } from '../base/duration.ts';
import type { Json } from '../ledger/entry.ts';
import type { RunRow } from '../store/port.ts';
import type { RecordNote, ReportNote, RunReport } from './model.ts';
import {
  comparison,
  demandView,
  type Fact,
  FOLDED,
  facts,
  type Html,
  inline,
  keyWords,
  type PageAssets,
  pageOf,
  preformatted,
  timelineChart,
  visibleText,
} from './page.ts';
import { type DrawProse, drawProse } from './prose.ts';
import type { ReportApproval, ReportCommand, ReportDecision, ReportRollback, ReportStep } from './steps.ts';
import { type ReportAttempt, valueInOneLine } from './timeline-text.ts';
import {
  answerRows,
  approvalText,
  decisionText,
  formatInstant,
  headline,
  historyOf,
  PROOF_WORDS,
  proposedRows,
  rollbackText,
  runDurationText,
  verdictOf,
  waitingSince,
  waitText,
  worth,
} from './words.ts';

/** The report of one run, or the comparison of several, as one self-contained page that checks its own records. */
export function reportPage(reports: readonly RunReport[], assets: PageAssets): Promise<string> {
  const [first] = reports;
  if (reports.length === 1 && first !== undefined) return pageOf(first.title, runSection(first, 0), assets);
  const body = html`<h1>Comparison of ${reports.length} runs</h1>
${comparison(reports)}
${reports.map((report, at) => html`<section aria-label="Run ${at + 1}">${runSection(report, at)}</section>`)}`;
  return pageOf(`Comparison of ${reports.length} runs`, body, assets);
}

/** The report of one run. `at` distinguishes the runs of one page. */
export function runSection(report: RunReport, at: number): Html {
  const { title, description, completionRule, outcome, runId, actor, begunAt, sealedAt, message } = report;
  const prose = drawProse();
  return html`<div data-run>
<p class="lead">Run <span data-fact="id">${runId}</span></p>
<h1 data-fact="title">${visibleText(title)}</h1>
${description === '' ? '' : html`<div class="lead">${prose(description)}</div>`}
<p><span class="verdict ${outcome ?? 'open'}" data-fact="outcome">${verdictOf(report)}</span></p>
<p data-fact="result">${headline(report)}</p>
${waitingSince(report).map((said) => html`<p><strong>${said}</strong></p>`)}
${message === null ? '' : html`<blockquote class="text" data-fact="closing comment">${visibleText(message)}</blockquote>`}
<div class="check" id="check-${at}" role="status"><strong>Checking the record</strong><noscript><p>Without scripts this page cannot check its record. Save the lines under Record and use kairos verify.</p></noscript></div>
<dl>
<dt>Protocol</dt><dd data-fact="protocol">${visibleText(report.slug)}</dd>
${completionRule === '' ? '' : html`<dt>Completion rule</dt><dd>${prose(completionRule)}</dd>`}
<dt>By</dt><dd data-fact="actor">${visibleText(actor)}</dd>
<dt>Begun</dt><dd data-fact="begin"><time datetime="${begunAt}">${formatInstant(begunAt)}</time></dd>
<dt>Sealed</dt><dd data-fact="end">${sealedAt === null ? 'not yet' : html`<time datetime="${sealedAt}">${formatInstant(sealedAt)}</time>`}</dd>
<dt>Duration</dt><dd>${runDurationText(report)}</dd>
<dt>Proofs</dt><dd data-fact="proofs">${worth(report)}</dd>
</dl>
${report.inputs.length === 0 ? '' : html`<h2>Inputs</h2>${facts(report.inputs.map(([name, value]) => [name, value, `input ${name}`]))}`}
<h2>Timeline</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline${at === 0 ? '' : ` of run ${at + 1}`}">${timelineChart(report)}</div>
<h2>Steps</h2>
${report.steps.map((step) => stepSection(step, prose))}
${report.earlierSteps.length === 0 ? '' : html`<h2>Steps of earlier revisions</h2>${report.earlierSteps.map((step) => stepSection(step, prose, true))}`}
${report.recordNotes.length === 0 ? '' : html`<h2>Notes</h2>${report.recordNotes.map(recordNoteView)}`}
<h2>Context</h2>
${facts([...report.context, ['Space', report.space], ['Revision', report.digest]])}
${report.notes.length === 0 ? '' : html`<h2>Notes after the seal</h2>${report.notes.map(noteView)}`}
<h2>What happened, in order</h2>
<details><summary>${report.events.length} entries</summary>
<ol class="events" start="0">${report.events.map(
    ({ at: time, text, details, bad }) =>
      html`<li><time datetime="${time}">${time.slice(11, 19)}</time><span class="${bad ? 'bad' : ''}">${visibleText(text)}</span>${details.length === 0 ? '' : html`<pre tabindex="0">${visibleText(details.join('\n'))}</pre>`}</li>`,
  )}</ol></details>
<h2>Record</h2>
<p>${recordFacts(report)} The lines in this page are the exported ones, as <code>kairos verify</code> reads them.</p>
<details><summary>Show the record</summary>
<pre data-record="check-${at}" tabindex="0" aria-label="Record">
${report.lines.map((line) => `${line}\n`).join('')}</pre></details>
</div>`;
}

/** What is left of a pruned run. */
export function prunedSection(
  { runId, title, slug, digest, actor, begunAt, sealedAt, outcome, entryCount, head }: RunRow,
  kept: { at: string; by: string; archive: string | null } | { reason: string },
  notes: readonly ReportNote[],
): Html {
  const rows: [string, string][] =
    'reason' in kept
      ? [['Tombstone', `not to be trusted: it ${kept.reason}`]]
      : [
          ['Pruned', `${formatInstant(kept.at)} by ${kept.by}`],
          ['Archive', kept.archive ?? 'none'],
        ];
  return html`<p class="lead">Run ${runId}</p>
<h1>${visibleText(title)}</h1>
<p><span class="verdict ${outcome ?? 'open'}">${outcome === 'success' ? 'Success' : 'Failure'}</span></p>
<p>The record of this run was pruned. The store keeps what is shown here.</p>
${facts([
  ['Protocol', slug],
  ['Revision', digest],
  ['By', actor],
  ['Begun', formatInstant(begunAt)],
  ['Sealed', formatInstant(sealedAt ?? begunAt)],
  ['Entries', `${entryCount}, the last with the hash ${head}`],
  ...rows,
])}
${notes.length === 0 ? '' : html`<h2>Notes after the seal</h2>${notes.map(noteView)}`}`;
}

function recordFacts({ verification: { entries, head, sealed_by: key } }: RunReport): Html {
  const unit = entries === 1 ? 'entry' : 'entries';
  return html`<span data-fact="count">${entries}</span> ${unit}${head === null ? '' : html`, the last with the hash <code data-fact="hash">${head}</code>`}${key === null ? '' : html`, sealed by the key <code data-fact="key">${key}</code>`}.`;
}

function stepSection(step: ReportStep, prose: DrawProse, isEarlier = false): Html {
  const { number, label, state, assurance, body, demand } = step;
  const time = [
    step.workingMs > 0 ? `${formatDuration(step.workingMs)} at work` : '',
    step.waitingMs > 0 ? `${formatDuration(step.waitingMs)} waiting` : '',
  ].filter((part) => part !== '');
  const name = html`<h3>${visibleText(label)}</h3>`;
  const head = isEarlier
    ? html`<article class="step"><header>${name}`
    : html`<article class="step" data-step="${number}"><header><span class="number">${number}</span>${name}<span class="badge ${state}" data-fact="state">${state}</span>${assurance === null ? '' : html`<span class="badge ${assurance}" data-fact="assurance">${assurance}</span>`}`;
  return html`${head}<span class="time">${time.join(', ')}</span></header>
${waitText(step).map((said) => html`<p class="${step.doubt === null ? '' : 'bad'}">This step ${said}.</p>`)}
${step.skippedBecause === null ? '' : html`<p>Skipped: ${visibleText(step.skippedBecause)}</p>`}
${body.trim() === '' ? '' : html`<details><summary>Text of the step</summary>${prose(body)}</details>`}
${demand === null ? '' : demandView(JSON.parse(demand))}
${historyOf(step).map(historyView)}
</article>`;
}

function historyView(found: ReturnType<typeof historyOf>[number]): Html {
  switch (found.kind) {
    case 'decision':
      return decisionView(found.item);
    case 'approval':
      return approvalView(found.item);
    case 'command':
      return commandView(found.item);
    case 'attempt':
      return attemptView(found.item);
    case 'rollback':
      return rollbackView(found.item);
  }
}

function approvalView(approval: ReportApproval): Html {
  const { seq, reason } = approval;
  return html`<p>${inline(capital(approvalText({ ...approval, reason: null })), `${seq} answer`)}${reason === null ? '' : `: ${visibleText(reason)}`} <time datetime="${approval.at}">${formatInstant(approval.at)}</time></p>${rowsView(
    approval.signed ? 'What was signed' : 'What was answered',
    answerRows(approval).map(([name, value]) => [name, value, `${seq} ${name}`]),
  )}`;
}

function rowsView(summary: string, rows: readonly Fact[]): Html | '' {
  return rows.length === 0 ? '' : html`<details open><summary>${summary}</summary>${facts(rows)}</details>`;
}

function rollbackView(rollback: ReportRollback): Html {
  const { succeeded, by, assurance, at } = rollback;
  return html`<p class="${succeeded ? '' : 'bad'}">Step ${rollbackText(rollback)}, by ${visibleText(by)} <span class="badge ${assurance}">${assurance}</span> <time datetime="${at}">${formatInstant(at)}</time></p>`;
}

function decisionView(item: ReportDecision): Html {
  const isBad = item.decision === 'DENY' || item.decision === 'HALT';
  const why = item.reasons.length === 0 ? '' : ` (${visibleText(item.reasons.join('; '))})`;
  return html`<p class="${isBad ? 'bad' : ''}">${inline(capital(decisionText({ ...item, reasons: [] })), `${item.seq} decision`)}${why}</p>${rowsView('What was proposed', proposedRows(item))}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const PURPOSES: Record<ReportCommand['purpose'], string> = {
  step: 'Command that kairos ran',
  rollback: 'Rollback that kairos ran',
  check: 'Check of the rollback',
};

function commandView(command: ReportCommand): Html {
  const { seq, endSeq, cmd, interpreter, cwd, durationMs, stdout, stderr, ended, purpose } = command;
  return html`<h4>${PURPOSES[purpose]}${interpreter === 'sh' ? '' : ` with ${interpreter}`}${cwd === null ? '' : html` in ${visibleText(cwd)}`}</h4>
${preformatted(cmd, `${seq} command`)}
<p>${inline(ended, `${endSeq} end`)}${durationMs === null ? '' : ` after ${formatDuration(durationMs)}`}</p>
${output('Output', stdout, `${endSeq} stdout`)}${output('Error output', stderr, `${endSeq} stderr`)}`;
}

function output(name: string, text: string, mark: string): Html | '' {
  if (text.trim() === '') return '';
  return html`<details ${text.length < FOLDED ? 'open' : ''}><summary>${name}</summary>${preformatted(text, mark)}</details>`;
}

function attemptView(attempt: ReportAttempt): Html {
  const { seq, accepted, type, assurance, code, reason, proof, at, captures } = attempt;
  const said = accepted
    ? html`Accepted: ${TYPES[type] ?? type}`
    : html`Refused: ${inline(code ?? '', `${seq} code`)}`;
  return html`<div class="${accepted ? 'accepted' : 'refused'}">
<p>${said} <span class="badge ${assurance}">${assurance}</span> <time datetime="${at}">${formatInstant(at)}</time></p>
${reason === null ? '' : html`<p>${visibleText(reason)}</p>`}
${proof === null ? '' : facts(proofRows(proof, seq))}
${captures.length === 0 ? '' : html`<h4>Captured for later steps</h4>${facts(captures.map(([name, value]) => [name, value, `${seq} captured ${name}`]))}`}
</div>`;
}

/** Notes are next to the record: the check of the page is not about them. */
function noteView({ at, by, text, signed_by: key }: ReportNote): Html {
  if (key === null) return html`<p class="bad">A note was changed after it was signed.</p>`;
  return html`<div class="note"><p>${visibleText(by)}, <time datetime="${at}">${formatInstant(at)}</time>, signed by <code>${key.slice(0, 16)}…</code></p><pre tabindex="0">${visibleText(text)}</pre></div>`;
}

function recordNoteView({ at, by, text }: RecordNote): Html {
  return html`<div class="note"><p>${visibleText(by)}, <time datetime="${at}">${formatInstant(at)}</time></p><pre tabindex="0">${visibleText(text)}</pre></div>`;
}

/** What people look for in a proof; sizes and digests of output are in the record. */
function proofRows(proof: NonNullable<ReportAttempt['proof']>, seq: number): Fact[] {
  const rows = Object.entries(proof)
    .filter(([name, value]) => !/_(?:bytes|sha256)$/.test(name) && value !== '' && value !== null)
    .map(
      ([name, value]): Fact => [
        PROOF_WORDS[name] ?? keyWords(name),
        proofText(name, value),
        `${seq} ${name}`,
      ],
    );
  const order = Object.values(PROOF_WORDS);
  return rows.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function proofText(name: string, value: Json): string {
  if (name === 'duration_ms') return formatDuration(Number(value));
  return name === 'timestamp' ? formatInstant(valueInOneLine(value)) : valueInOneLine(value);
}

const TYPES: Record<string, string> = {
  shell: 'command',
  mcp: 'tool call',
  user_input: 'answer',
  comment: 'comment',
  'closing account': 'closing comment',
  sampling: "model's answer",
};

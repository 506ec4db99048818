import { KairosError } from '../base/errors.ts';
import { lintSource } from '../lint/lint-source.ts';
import type { LintMessage } from '../lint/message.ts';
import { formatSource } from '../lint/rewrite/format-source.ts';
import { fencesOf } from '../protocol/import/carriers.ts';
import { type Imported, importDocument } from '../protocol/import/convert.ts';
import type { ImportOptions } from '../protocol/import/demands.ts';
import type { BlockNode, ParseResult, Place, StepNode } from '../protocol/model.ts';
import { parseProtocol } from '../protocol/parse.ts';

/**
 * Imports a document and reads the result again as kairos does, so that it demands what the decisions name. A command with an error
 * stays text, and so does code that kairos would read as a demand. Throws PROTOCOL_INVALID if the result is invalid elsewhere.
 */
export async function importChecked(
  source: string,
  options: ImportOptions,
): Promise<Omit<Imported, 'taken'>> {
  const refused = new Map<string, string>();
  const commandFault = (command: string) => refused.get(command.trim()) ?? options.commandFault(command);
  for (;;) {
    const { taken, ...imported } = await importDocument(source, { ...options, commandFault });
    const { text, parsed } = await withoutDemands(imported, taken);
    const { messages } = await lintSource(text, { parsed });
    const errors = messages.filter(({ severity }) => severity === 'error');
    const blocks = stepsOf(parsed).flatMap(({ block }) => block ?? []);
    const before = refused.size;
    for (const { place, reason, ruleId } of errors) {
      const command = commandOf(blocks.find((block) => holds(block.place, place)));
      if (command !== null) refused.set(command.trim(), `${reason.replace(/\.$/, '')} (${ruleId})`);
    }
    if (refused.size > before) continue;
    if (errors.length > 0) throw invalid(errors);
    const proofs = blocks.length;
    imported.decisions.sort((a, b) => a.line - b.line);
    return { ...imported, proofs, text: await formatSource(parsed) };
  }
}

function stepsOf({ document }: ParseResult): StepNode[] {
  return document.chains.flatMap(({ steps }) => steps);
}

function holds({ start, end }: Place, inner: Place): boolean {
  return start.offset <= inner.start.offset && inner.end.offset <= end.offset;
}

function commandOf(block: BlockNode | undefined): string | null {
  const proof = block?.value.proof_of_work;
  return block?.format === 'shorthand' && proof?.type === 'shell' ? proof.shell.cmd : null;
}

/** Puts the code of steps without a demand into a block of markdown where kairos would read it as one. */
async function withoutDemands(
  imported: Omit<Imported, 'taken'>,
  taken: Imported['taken'],
): Promise<{ text: string; parsed: ParseResult }> {
  let { text } = imported;
  for (;;) {
    const parsed = await parseProtocol(text);
    const steps = stepsOf(parsed);
    // Another error is the reason, and it is reported.
    if (parsed.messages.some(({ code }) => code.startsWith('document-'))) return { text, parsed };
    if (steps.length !== taken.length)
      throw new KairosError(
        'PROTOCOL_INVALID',
        `kairos would read ${steps.length} steps in the result instead of ${taken.length}; a heading or HTML in the text is read as another one`,
      );
    const lines = text.split('\n');
    const fences = fencesOf(lines);
    const places = [
      ...steps.flatMap(({ block }, at) => (block !== null && !taken[at]!.isProven ? [block.place] : [])),
      ...parsed.messages.flatMap(({ code, place }) => (code.startsWith('block-') ? [place] : [])),
    ];
    const found = places.flatMap(({ start }) => {
      const row = start.line - 1;
      const fence = fences.find(({ open, close }) => open <= row && row <= close);
      const at = steps.findLastIndex(({ place }) => place.start.line <= start.line);
      return fence === undefined ||
        / *markdown$/.test(lines[fence.open]!) ||
        (at !== -1 && isProof(lines[fence.open]!, taken[at]!))
        ? []
        : [{ fence, at }];
    })[0];
    if (found === undefined) return { text, parsed };
    const { open, close } = found.fence;
    const marks = lines.slice(open, close + 1).flatMap((row) => row.match(/`{3,}/g) ?? []);
    const mark = '`'.repeat(Math.max(3, ...marks.map(({ length }) => length)) + 1);
    const pad = ' '.repeat(found.fence.lead);
    const code = lines.slice(open, close + 1);
    lines.splice(open, code.length, `${pad}${mark}markdown`, ...code, pad + mark);
    text = lines.join('\n');
    const step = taken[found.at];
    imported.decisions.push({
      line: step?.line ?? 1,
      what: `${step?.label ?? imported.title}: code is shown in a block of markdown, because kairos would read it as a demand`,
    });
  }
}

/** Whether a fence is the proof that the import has proposed for the step. */
function isProof(opening: string, { isProven }: Imported['taken'][number]): boolean {
  return isProven && / proof$/.test(opening);
}

function invalid(errors: readonly LintMessage[]): KairosError {
  const list = errors.map(
    ({ reason, place, ruleId }) => `\n  line ${place.start.line} of the result: ${reason} (${ruleId})`,
  );
  return new KairosError(
    'PROTOCOL_INVALID',
    `the imported protocol would be invalid:${[...new Set(list)].join('')}`,
  );
}

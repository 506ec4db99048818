import { dirname } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { SourceInput } from '../../host/files/read-source.ts';
import { isProtocol, mentionsProof } from '../../lint/analyse.ts';
import { configurationFinder } from '../../lint/config/configuration.ts';
import type { FileFailure } from '../../lint/report.ts';
import { LINT_RULES } from '../../lint/rules/index.ts';
import { type InputDocument, requireSome } from '../../lint/run.ts';
import type { ParseResult } from '../../protocol/model.ts';
import { parseProtocol } from '../../protocol/parse.ts';
import { findInput } from './documents.ts';

/** What a visit found in addition to the protocols. */
export interface Visited {
  /** What kairos could not read or process. */
  failures: FileFailure[];
  /** Protocols that were visited. */
  count: number;
  /** Markdown files in folders that are not protocols. */
  prose: number;
  ignored: number;
  /** What can't be a document, one notice each. */
  notices: string[];
  /** The text of standard input, when that was asked for. */
  stdin: string | null;
}

interface VisitOptions {
  stdinFilename?: string | undefined;
}

/**
 * Reads every protocol that the arguments stand for, found and left out as `kairos lint` does, and hands it on. An error
 * about one document counts as its failure; the other documents are still visited. Throws USAGE for an argument that
 * stands for nothing.
 */
export async function visitProtocols(
  paths: readonly string[],
  { stdinFilename }: VisitOptions,
  io: SourceInput,
  visit: (document: InputDocument, parsed: ParseResult) => Promise<void>,
): Promise<Visited> {
  checkStdin(paths, stdinFilename);
  const configurations = configurationFinder({ rules: LINT_RULES, overrides: new Map() });
  const { documents, ignored, failures, notices, stdin } = await findInput(paths, stdinFilename, io);
  const visited: Visited = { failures: [...failures], count: 0, prose: 0, ignored, notices, stdin };
  for (const document of documents) {
    try {
      if (document.file !== null) {
        const configuration = await configurations.forFolder(dirname(document.file));
        if (configuration.ignores(document.file)) {
          visited.ignored += 1;
          continue;
        }
      }
      const parsed = await parseProtocol(
        document.read(),
        document.name === undefined ? {} : { path: document.name },
      );
      if (!document.isNamed && !isProtocol(parsed)) {
        visited.prose += 1;
        continue;
      }
      visited.count += 1;
      await visit(document, parsed);
    } catch (error) {
      if (!(error instanceof KairosError) || error.code === 'INVALID_INPUT') throw error;
      if (isProse(document, error)) visited.prose += 1;
      else visited.failures.push({ path: documentName(document), reason: error.message });
    }
  }
  requireSome(documents, visited.ignored - ignored);
  return visited;
}

/** What a document is called; standard input may have no name. */
export function documentName({ name }: Pick<InputDocument, 'name'>): string {
  return name ?? 'standard input';
}

/** A file of prose that is not UTF-8 is skipped when a folder is searched. */
function isProse({ isNamed }: InputDocument, { data }: KairosError): boolean {
  const { text } = (data ?? {}) as { text?: string };
  return !isNamed && text !== undefined && !mentionsProof(text);
}

function checkStdin(paths: readonly string[], stdinFilename: string | undefined): void {
  if (paths.includes('-') && paths.length > 1) {
    throw new KairosError('USAGE', '- cannot be combined with other paths', {
      hint: 'Check the files in a separate call.',
    });
  }
  if (stdinFilename !== undefined && !paths.includes('-')) {
    throw new KairosError('USAGE', '--stdin-filename needs - as the path', {
      hint: 'Pipe the text in: - --stdin-filename FILE.',
    });
  }
}

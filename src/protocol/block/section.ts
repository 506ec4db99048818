import type { LineIndex } from '../position.ts';
import type { Block } from '../scan/blocks.ts';

/** A piece of a document between two headings, with the means to point into it. */
export interface Section {
  source: string;
  lines: LineIndex;
  /** Blocks at the top level, headings below H2 among them. */
  blocks: readonly Block[];
  /** False for a description, a metadata section, and text before the first H1: nothing is demanded there. */
  isStep: boolean;
  /** Whether the document contains anything that could be a demand in the wrong place. */
  mayDemand: boolean;
  /** Whether the document contains the words of a proof line. */
  mayHaveProofLines: boolean;
}

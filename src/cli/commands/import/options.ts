import type { Carrier } from '../../../protocol/import/carriers.ts';

export interface ImportCommandOptions {
  steps?: Carrier;
  section?: string;
  out?: string;
  dryRun?: boolean;
  force?: boolean;
}

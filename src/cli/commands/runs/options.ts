export type RunState = 'open' | 'waiting' | 'sealed';

export interface RunsListOptions {
  open?: boolean;
  sealed?: boolean;
  state?: RunState;
  outcome?: 'success' | 'failure';
  protocol?: string;
  actor?: string;
  host?: string;
  since?: number;
  until?: number;
  limit?: number;
  sort?: 'begun' | 'duration' | 'protocol' | 'actor';
}

export interface RunsShowOptions {
  entries?: boolean;
  full?: boolean;
}

export interface RunsExportOptions {
  out?: string;
  force?: boolean;
}

export interface RunsCloseOptions {
  reason: string;
}

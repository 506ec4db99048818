export interface RunsListOptions {
  open?: boolean;
  sealed?: boolean;
  limit?: number;
}

export interface RunsExportOptions {
  out?: string;
  force?: boolean;
}

export const REPORT_FORMATS = ['html', 'md', 'json', 'junit'] as const;

export interface ReportOptions {
  format?: (typeof REPORT_FORMATS)[number];
  out?: string;
  force?: boolean;
  open?: boolean;
}

export interface ReportOptions {
  format?: 'html' | 'md' | 'json' | 'junit';
  out?: string;
  force?: boolean;
  open?: boolean;
}

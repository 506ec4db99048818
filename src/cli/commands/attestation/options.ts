export interface AttestationOptions {
  format?: 'dsse' | 'bundle' | 'statement';
  out?: string;
  force?: boolean;
}

export interface StoreExportOptions {
  force?: boolean;
}

export interface StoreImportOptions {
  onConflict: 'fail' | 'skip' | 'replace';
  dryRun?: boolean;
}

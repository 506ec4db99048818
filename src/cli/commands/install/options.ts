import type { INSTALL_CLIENTS } from './clients.ts';

type InstallClientName = keyof typeof INSTALL_CLIENTS;

export interface InstallOptions {
  client: InstallClientName;
  /** True: here. */
  project?: string | true;
  name: string;
  print?: boolean;
  uninstall?: boolean;
}

export interface ShowOptions {
  revision?: string;
}

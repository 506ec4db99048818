export interface TrustOptions {
  digest?: string[];
  list?: boolean;
  revoke?: boolean;
}

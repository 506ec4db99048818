/** Milliseconds since the Unix epoch. */
export type Clock = () => number;

/** `size` unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

export interface TrustRecord {
  digest: string;
  chainId: string;
  slug: string;
  title: string;
  /** RFC 3339 UTC. */
  trustedAt: string;
  /** Who gave it. */
  by: string;
}

/** Which digests the user has trusted on this machine. Lives in the user's data folder, never in a project. */
export interface TrustStore {
  get(digest: string): Promise<TrustRecord | null>;
  /** Newest first. */
  list(): Promise<TrustRecord[]>;
  grant(record: TrustRecord): Promise<void>;
  /** False when it was not trusted. */
  revoke(digest: string): Promise<boolean>;
}

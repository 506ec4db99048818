import type { Place } from '../../protocol/model.ts';

export type DirectiveKind = 'disable' | 'enable' | 'disable-next-line' | 'disable-file';

/** A comment for the linter. */
export interface Directive {
  /** Null when no such directive exists. */
  kind: DirectiveKind | null;
  /** As written, `kairos-` included. */
  name: string;
  namePlace: Place;
  /** None named: `enable` means all; the others mean nothing. */
  rules: DirectiveRule[];
  reason: string | undefined;
  /** Of `enable` without rules: whether it ended a `disable`. */
  used: boolean;
  /** The whole comment. */
  place: Place;
}

export interface DirectiveRule {
  id: string;
  place: Place;
  /** Set while messages are settled: whether it suppressed a message or, for `enable`, ended a `disable`. */
  used: boolean;
}

/** Directives can't configure rules about directives: these are set only in the configuration. */
export function isAboutDirectives(ruleId: string): boolean {
  return ruleId.startsWith('directive-');
}

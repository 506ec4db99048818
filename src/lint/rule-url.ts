/** The page of a rule, relative to the root of the package: it is shipped with it. */
export function ruleUrl(id: string): string {
  return `docs/rules/${id}.md`;
}

/**
 * Light10 of L. Larkey, L. Ballesteros and M. Connell ("Light stemming for Arabic information retrieval",
 * 2007), on folded text: removes the article and the conjunction before it, then common endings, while two
 * letters remain.
 */
export function arabic(word: string): string {
  let stem = word;
  const prefix = PREFIXES.find((start) => stem.startsWith(start) && stem.length - start.length >= 2);
  if (prefix !== undefined) stem = stem.slice(prefix.length);
  else if (stem.startsWith('و') && stem.length >= 4) stem = stem.slice(1);
  for (const ending of SUFFIXES) {
    if (stem.endsWith(ending) && stem.length - ending.length >= 2) stem = stem.slice(0, -ending.length);
  }
  return stem;
}

const PREFIXES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي'];

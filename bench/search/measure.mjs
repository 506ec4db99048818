// Recall, mean reciprocal rank, false matches and clear matches of a search over classes of queries.

/** `search(query)` answers hits, best first, each with `title`, and `clear` where it stands clear of the others. */
export async function measure(queries, search) {
  const classes = {};
  for (const [name, list] of Object.entries(queries)) {
    const places = [];
    const misses = [];
    const clear = { given: 0, wrong: 0 };
    for (const { query, title } of list) {
      const hits = await search(query);
      const place = title === null ? hits.length : hits.findIndex((hit) => hit.title === title) + 1;
      places.push(place);
      if (hits[0]?.clear) {
        clear.given += 1 / list.length;
        if (hits[0].title !== title) clear.wrong += 1;
      }
      if (title === null ? place > 0 : place !== 1)
        misses.push({ query, title, place, hits: hits.slice(0, 3) });
    }
    const share = (fits) => places.filter(fits).length / places.length;
    classes[name] = list.some(({ title }) => title === null)
      ? { queries: list.length, falseMatches: places.filter((count) => count > 0).length, clear, misses }
      : {
          queries: list.length,
          recall1: share((place) => place === 1),
          recall5: share((place) => place >= 1 && place <= 5),
          mrr: places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / places.length,
          clear,
          misses,
        };
  }
  return classes;
}

// Protocol documents for the benchmarks: always the same ones, about 3.5 KB each.
const WORDS =
  'restore the service check every replica before traffic returns and write down what the monitor said while the old leader was still answering because nobody remembers it later'.split(
    ' ',
  );

/** Deterministic pseudo-random numbers (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const PROOFS = [
  (n) => ({
    type: 'shell',
    shell: { cmd: `make check-${n} && test -s report-${n}.txt`, timeout_seconds: 60 + n },
  }),
  (n) => ({ type: 'mcp', mcp: { tool_name: `inspect_${n}`, arguments: { id: n, deep: true } } }),
  (n) => ({
    type: 'user_input',
    user_input: { prompt: `Does dashboard ${n} show the new release in every region?` },
  }),
  (n) => ({ type: 'comment', comment: { min_length: 40 + n } }),
];

export function protocols(count) {
  return Array.from({ length: count }, (_, at) => protocol(at));
}

function protocol(number) {
  const next = random(number + 1);
  const sentence = () => {
    const words = Array.from({ length: 9 + next(8) }, () => WORDS[next(WORDS.length)]);
    const text = words.join(' ');
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  };
  const paragraph = () => Array.from({ length: 2 + next(2) }, sentence).join(' ');
  const list = () => Array.from({ length: 3 }, () => `- ${sentence()}`).join('\n');
  const steps = Array.from({ length: 5 }, (_, at) => {
    const proof = { proof_of_work: PROOFS[next(PROOFS.length)](at + 1) };
    const code = next(3) === 0 ? `\n\`\`\`sh\nkubectl get pods --selector app=web-${at}\n\`\`\`\n` : '';
    return `## Part ${at + 1} of procedure ${number}\n\n${paragraph()}\n\n${list()}\n${code}\n\`\`\`json\n${JSON.stringify(proof, null, 2)}\n\`\`\`\n`;
  });
  return `---\nslug: procedure-${number}\nversion: 1.${number % 10}.0\ntags: [bench, procedure]\n---\n# Procedure ${number}\n\n${paragraph()}\n\n## Natural Language Triggers\n\n- "run procedure ${number}"\n- "${WORDS[next(WORDS.length)]} ${WORDS[next(WORDS.length)]} number ${number}"\n\n${steps.join('\n')}\n## Completion Rule\n\n${sentence()}\n`;
}

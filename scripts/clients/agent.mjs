/**
 * An agent without wits, for any client: it searches, begins, and follows next_action. It submits one wrong result first, so that a
 * refusal is seen, and lets the server ask the user before it answers itself.
 */

const REQUEST = 'ship the tea | send the tea parcel';
/** A step's long text: a client that cuts it shows fewer of its sentences. */
export const SENTENCE = 'Every parcel is on this list, with its weight and its place in the van.';
export const SENTENCES = 170;

/** What the agent saw, for the table. */
export function newAgent() {
  return {
    errors: [],
    messages: [],
    calls: [],
    failedOnce: false,
    askedUser: false,
    sawWhole: false,
    turns: 0,
  };
}

const MOST_TURNS = 40;

/**
 * The next thing that the model does: a tool call, or a closing text. `conversation` is the same for all APIs: the tools with their
 * schemas, and the texts of their results in order.
 */
export function nextTurn(agent, { tools, results }) {
  const named = (end) => tools.map(({ name }) => name).find((name) => name.endsWith(end));
  if (named('kairos_search') === undefined) return lookForTools(agent, tools);
  agent.turns += 1;
  if (agent.turns > MOST_TURNS) return { text: 'I give up.' };
  const call = (name, args) => {
    agent.calls.push(name);
    return { tool: named(name), args };
  };
  const answer = lastAnswer(results);
  if (answer === null) return call('kairos_search', { query: REQUEST });
  if (results.some((text) => text.split(SENTENCE).length > SENTENCES)) agent.sawWhole = true;
  if (answer.error_code) agent.errors.push(answer.error_code);
  if (answer.message) agent.messages.push(answer.message);
  if (Array.isArray(answer.choices)) {
    const uri = /kairos:\/\/mem\/[0-9a-f-]{36}/.exec(answer.choices[0].next_action)[0];
    return call('kairos_begin', { uri });
  }
  if (answer.next_action === null) return { text: 'The protocol is complete.' };
  const found = /(kairos_\w+) with (kairos:\/\/mem\/[0-9a-f-]{36})/.exec(answer.next_action ?? '');
  if (found === null) return { text: `No next call: ${answer.next_action}` };
  const [, tool, uri] = found;
  const runId = /run_id ([\w-]+)/.exec(answer.next_action)?.[1];
  if (tool === 'kairos_attest') {
    return call(tool, { uri, run_id: runId, outcome: 'success', message: 'The tea was checked and sent.' });
  }
  return call(tool, { uri, run_id: runId, solution: solutionFor(agent, answer.challenge) });
}

/** Some clients hand their tools out only on request. */
function lookForTools(agent, tools) {
  const finder = tools.find(({ name }) => /^tool_?search/i.test(name));
  if (finder === undefined || agent.lookedForTools) return { text: 'ok' };
  agent.lookedForTools = true;
  const wishes = { query: 'kairos search begin next attest', max_results: 10, limit: 10 };
  const known = Object.entries(wishes).filter(([name]) => finder.schema?.properties?.[name] !== undefined);
  return { tool: finder.name, args: Object.fromEntries(known) };
}

function solutionFor(agent, challenge) {
  const { type, nonce, proof_hash } = challenge;
  const proof = { type, nonce, proof_hash };
  if (type === 'shell') {
    const exit_code = agent.failedOnce ? 0 : 1;
    agent.failedOnce = true;
    return { ...proof, shell: { exit_code, stdout: 'checked', stderr: '' } };
  }
  if (type === 'user_input') {
    if (agent.askedUser) return { ...proof, user_input: { confirmation: 'approved' } };
    agent.askedUser = true;
    return { type };
  }
  return { ...proof, comment: { text: `Part ${agent.calls.length} of the work was looked at and holds.` } };
}

/** The newest answer of kairos among the results, whatever the client wrapped around it; null without one. */
function lastAnswer(results) {
  for (const text of results.toReversed()) {
    const answer = readAnswer(text) ?? readCut(text);
    if (answer !== null) return answer;
  }
  return null;
}

function readAnswer(text) {
  if (!text.includes('next_action')) return null;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    // Clients put lines of their own in front of it and behind it.
    for (let end = text.lastIndexOf('}'); end > at; end = text.lastIndexOf('}', end - 1)) {
      const read = parsed(text.slice(at, end + 1));
      if (read === null) continue;
      if ('next_action' in read) return read;
      const inner = Object.values(read)
        .flat()
        .map((value) => (typeof value === 'string' ? value : value?.text));
      for (const value of inner) {
        const found = typeof value === 'string' ? readAnswer(value) : null;
        if (found !== null) return found;
      }
      break;
    }
  }
  const unquoted = text.includes('\\"next_action\\"') ? text.replaceAll('\\"', '"') : null;
  return unquoted === null ? null : readAnswer(unquoted);
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Of an answer that the client cut: what a model would still see in it. */
function readCut(text) {
  const plain = text.replaceAll('\\"', '"');
  const field = (name) => new RegExp(`"${name}":"([^"]*)"`).exec(plain)?.[1];
  const next_action = field('next_action');
  if (next_action === undefined) return null;
  const [, asked = ''] = plain.split('"challenge":');
  const type = /"type":"(\w+)"/.exec(asked)?.[1];
  const challenge = { type, nonce: field('nonce'), proof_hash: field('proof_hash') };
  return { next_action, challenge, error_code: field('error_code'), message: field('message') };
}

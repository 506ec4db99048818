// Checks the record that stands in this page, with what the browser brings and nothing else.

const GENESIS = 'aeebad4a796fcc2e15dc4c6061b45ed9b373f26adfc798ca7d2d8cc58182718e';

/** RFC 8785 text; records hold no number but integers. */
function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

async function sha256(text) {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** A line with its number from 1, what it contains, and what is wrong with it. Never throws. */
async function readLine(text, at) {
  const line = { text, number: at + 1 };
  try {
    return { ...line, ...(await contentOf(text)) };
  } catch (error) {
    return { ...line, fault: `cannot be read: ${error.message}` };
  }
}

async function contentOf(text) {
  if (text.trim() === '') return { fault: 'is blank' };
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'is not JSON' };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { fault: 'is not an entry' };
  if (value.seal !== undefined && value.hash === undefined)
    return { seal: value.seal, fault: canonical(value) === text ? sealFault(value.seal) : NO_SEAL };
  const { hash, ...body } = value;
  const computed = await sha256(`kairos.ledger.v1\n${canonical(body)}`);
  const edited = computed !== hash || canonical(value) !== text;
  const { content_json: content, digest } = value.data ?? {};
  const isOther = content !== undefined && (await sha256(String(content))) !== digest;
  const fault = isOther ? 'contains another text of the protocol than its digest names' : null;
  return { entry: value, fault: edited ? 'was changed' : fault };
}

const NO_SEAL = 'does not have the form of a seal';
const SEAL_KEYS = 'alg,count,head,public_key,run_id,signature,v';

/** What makes a seal unreadable, to follow "the seal"; null: nothing. */
function sealFault(seal) {
  if (seal === null || typeof seal !== 'object' || Object.keys(seal).sort().join() !== SEAL_KEYS)
    return NO_SEAL;
  const texts = [seal.run_id, seal.head, seal.public_key, seal.signature];
  if (texts.some((text) => typeof text !== 'string') || !Number.isSafeInteger(seal.count)) return NO_SEAL;
  if (seal.v !== 1 || seal.alg !== 'ed25519') return NO_SEAL;
  if (!isBase64(seal.public_key)) return 'names a key that cannot be read';
  return isBase64(seal.signature) ? null : 'has a signature that cannot be read';
}

function isBase64(text) {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** Every fault of a record, in words, each with the entry that it is about. */
async function faultsOf(lines) {
  const faults = [];
  const entries = lines.filter((line) => line.seal === undefined);
  const seals = lines.filter((line) => line.seal !== undefined);
  const seal = seals[0]?.fault === null ? seals[0].seal : null;
  const intact = new Set(entries.filter((line) => line.entry && !line.fault).map(({ entry }) => entry.seq));
  const run = entries.find((line) => line.entry && !line.fault)?.entry.run_id ?? seal?.run_id;
  const seen = new Map();
  let highest = -1;
  let previous = null;
  for (const { entry, fault, number } of entries) {
    const isNumbered = Number.isSafeInteger(entry?.seq);
    if (!isNumbered || (fault && intact.has(entry.seq))) {
      faults.push(`Line ${number} ${entry ? 'is not an entry of this record' : fault}.`);
      continue;
    }
    const name = `Entry ${entry.seq}`;
    if (fault) faults.push(`${name} ${fault}.`);
    if (entry.run_id !== run) faults.push(`${name} belongs to another run.`);
    if (seen.has(entry.seq)) faults.push(`${name} was inserted: there is another entry of this number.`);
    else if (entry.seq < highest) faults.push(`${name} was moved.`);
    else if (!fault && previous && previous.seq + 1 === entry.seq && previous.hash !== entry.prev)
      faults.push(`${name} is not chained to the entry before it.`);
    seen.set(entry.seq, entry);
    highest = Math.max(highest, entry.seq);
    previous = entry;
  }
  const first = seen.get(0);
  if (first && first.prev !== GENESIS) faults.push('Entry 0 does not begin a record.');
  const count = seal ? seal.count : highest + 1;
  for (let number = 0; number < count; number += 1)
    if (!seen.has(number)) faults.push(`Entry ${number} is missing.`);
  for (const number of seen.keys())
    if (number >= count) faults.push(`Entry ${number} was added after the seal.`);
  if (seals.length > 1) faults.push('There is a second seal.');
  if (seals[0]?.fault) faults.push(`The seal ${seals[0].fault}.`);
  if (seals.length > 0 && lines.at(-1).seal === undefined) faults.push('The seal does not stand at the end.');
  if (seal && seal.run_id !== run) faults.push('The seal belongs to another run.');
  else if (seal && seen.get(count - 1) && seen.get(count - 1).hash !== seal.head)
    faults.push(`Entry ${count - 1} is not the one that was sealed.`);
  return faults;
}

/** True, false, or null where this browser cannot check it. */
async function isSigned(seal) {
  const { run_id, head, count } = seal;
  const message = new TextEncoder().encode(`kairos.seal.v1\n${canonical({ run_id, head, count })}`);
  let key;
  try {
    key = await crypto.subtle.importKey('spki', fromBase64(seal.public_key), { name: 'Ed25519' }, true, [
      'verify',
    ]);
  } catch (error) {
    return error.name === 'NotSupportedError' ? null : false;
  }
  return crypto.subtle.verify({ name: 'Ed25519' }, key, fromBase64(seal.signature), message);
}

async function fingerprint(seal) {
  const bytes = await crypto.subtle.digest('SHA-256', fromBase64(seal.public_key));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function say(box, state, headline, sentences) {
  box.className = `check ${state}`;
  const strong = document.createElement('strong');
  strong.textContent = headline;
  box.replaceChildren(strong);
  const many = sentences.length > 1 && state === 'broken';
  const list = document.createElement(many ? 'ul' : 'div');
  for (const sentence of sentences) {
    const item = document.createElement(many ? 'li' : 'p');
    item.textContent = sentence;
    list.append(item);
  }
  box.append(list);
}

const SELECTOR = String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`;
const HIDDEN = new RegExp(
  String.raw`(?!${SELECTOR})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{fff9}-\u{fffb}]`,
  'gu',
);

/** A text of the record as the page shows it: hidden characters are visible escapes. */
function visible(text) {
  return String(text).replace(HIDDEN, (char) => {
    if (char === '\n' || char === '\t') return char;
    if (char === '\r') return '\\r';
    const code = char.codePointAt(0);
    const hex = code.toString(16);
    return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
}

/** `15 Jan 2026, 12:00 UTC`. */
function instant(at) {
  const [, day, month, year, clock] =
    /, (\d\d) (\w{3}) (\d{4}) (\d\d:\d\d)/.exec(new Date(at).toUTCString()) ?? [];
  return day === undefined ? at : `${Number(day)} ${month} ${year}, ${clock} UTC`;
}

/** The state and assurance of each step, by its number. */
function stepsOf(entries, sealed) {
  const begun = entries.findLast(({ kind }) => kind === 'run.begun' || kind === 'run.rebased');
  const steps = Array.from({ length: Number(begun?.data.step_count) || 0 }, () => ({
    state: 'not reached',
    assurance: null,
    isAsked: false,
  }));
  let isClosing = false;
  for (const { kind, data } of entries) {
    // What was tried on the way to another revision counts no more.
    if (kind === 'run.rebased')
      for (const [at, step] of steps.entries())
        if (!data.carried?.includes(at + 1)) Object.assign(step, { state: 'not reached', isAsked: false });
    const step = steps[data.step - 1];
    if (!step) continue;
    if (kind === 'step.shown') {
      isClosing = data.demand === 'closing';
      if (step.state === 'not reached') step.state = 'pending';
      if (!isClosing && data.demand !== 'none') step.isAsked = true;
    } else if (kind === 'step.skipped') step.state = 'skipped';
    else if (kind === 'proof.rejected' && !isClosing) step.state = data.waived === true ? 'waived' : 'failed';
    else if (kind === 'proof.accepted' && data.closing === true) {
      if (step.state === 'pending') step.state = 'proven';
    } else if (kind === 'proof.accepted') Object.assign(step, { state: 'proven', assurance: data.assurance });
  }
  const last = steps.findLastIndex(({ state }) => state !== 'not reached');
  steps.forEach((step, at) => {
    if (step.state !== 'pending') return;
    if (at < last) step.state = 'shown';
    else if (sealed) step.state = step.isAsked ? 'failed' : 'shown';
  });
  const next = steps.find(({ state }) => !['proven', 'shown', 'waived', 'skipped'].includes(state));
  if (!sealed && next?.state === 'not reached') next.state = 'pending';
  return steps;
}

/** The proven, failed and other steps in a sentence, and what the proofs are worth. */
function resultOf(entries, steps, sealed) {
  const worth = { attested: 0, observed: 0, client: 0, claimed: 0 };
  for (const { kind, data } of entries) if (kind === 'proof.accepted') worth[data.assurance] += 1;
  const parts = [`${steps.filter(({ state }) => state === 'proven').length} of ${steps.length} steps proven`];
  for (const state of ['shown', 'failed', 'skipped', 'waived', 'pending', 'not reached']) {
    const { length } = steps.filter((step) => step.state === state);
    if (length > 0) parts.push(`${length} ${state}`);
  }
  const isClaimed = worth.claimed > 0 && worth.attested + worth.observed + worth.client === 0;
  const claims = isClaimed ? ' Every proof is a claim of the agent or user who ran it.' : '';
  const counts = Object.entries(worth).filter(([, count]) => count > 0);
  return {
    result: `${parts.join(', ')}${sealed ? '' : ', not finished'}.${claims}`,
    proofs: counts.map(([name, count]) => `${count} ${name}`).join(', ') || 'none',
  };
}

const SECRET = '(secret)';
const DECISIONS = {
  ALLOW: 'allowed by the gate',
  DENY: 'denied by the gate',
  HOLD: 'waiting for approval',
  HALT: 'not decided, because the gate failed',
};
/** The parts of a proof that are shown as the record has them. */
const PROOF = ['exit_code', 'stdout', 'stderr', 'confirmation', 'text', 'result_json', 'tool_name'];

/** The values of the record that the page shows, by their marks. */
function valuesOf(entries) {
  const values = new Map();
  const put = (mark, value) => {
    if (typeof value === 'string' ? value.trim() !== '' : Number.isInteger(value))
      values.set(mark, String(value));
  };
  const oneLine = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
  for (const { seq, kind, data } of entries) {
    if (kind === 'run.begun' || kind === 'run.rebased') {
      for (const [name, given] of Object.entries(data.inputs ?? {})) {
        const value = typeof given === 'object' && given !== null ? (given.value ?? SECRET) : given;
        put(`input ${name}`, oneLine(value));
      }
      for (const name of data.secret_inputs ?? []) put(`input ${name}`, SECRET);
    }
    if (!Number.isInteger(data.step)) continue;
    if (kind === 'command.started') put(`${seq} command`, data.cmd);
    if (kind === 'command.finished') {
      put(`${seq} stdout`, data.stdout);
      put(`${seq} stderr`, data.stderr);
      const isPlain = !data.error && !data.timed_out && !data.aborted && !data.signal;
      if (isPlain && data.failure === undefined) put(`${seq} end`, `exit code ${oneLine(data.exit_code)}`);
    }
    if (kind === 'proof.accepted' || kind === 'proof.rejected') {
      const isAccepted = kind === 'proof.accepted';
      const proof = isAccepted ? data[data.type] : (data.shell ?? data.mcp);
      for (const name of PROOF) put(`${seq} ${name}`, proof?.[name]);
      if (!isAccepted) put(`${seq} code`, data.code);
      for (const [name, value] of Object.entries(data.captures ?? {}))
        put(`${seq} captured ${name}`, oneLine(value));
      for (const name of data.secret_captures ?? []) put(`${seq} captured ${name}`, SECRET);
    }
    if (kind === 'proposal.decided')
      put(
        `${seq} decision`,
        `Proposal${data.rollback === true ? ' of the rollback' : ''}: ${DECISIONS[data.decision] ?? data.decision}`,
      );
    if (kind === 'approval.given') {
      const how = data.source === 'ssh' ? 'signed' : 'at a terminal';
      const decided = data.decision === 'deny' ? 'Denied' : 'Approved';
      put(`${seq} answer`, `${decided} by ${data.approver}, ${how}`);
      put(`${seq} proposal`, data.proposal_hash);
      put(`${seq} key`, data.key);
    }
  }
  return values;
}

/** What the page shows of the record in its own words, by name; null: it shows nothing of the kind. */
function factsOf(entries) {
  const [begun] = entries;
  const sealed = entries.find(({ kind }) => kind === 'run.sealed');
  const facts = new Map([
    ['id', begun.run_id],
    ['title', begun.data.title],
    ['actor', begun.data.actor],
    ['protocol', begun.data.slug],
    ['outcome', sealed ? { success: 'Success', failure: 'Failure' }[sealed.data.outcome] : 'Open'],
    ['closing comment', sealed?.data.message ?? null],
    ['begin', instant(begun.at)],
    ['end', sealed ? instant(sealed.at) : 'not yet'],
    ['hash', entries.at(-1).hash],
  ]);
  const steps = stepsOf(entries, sealed !== undefined);
  const { result, proofs } = resultOf(entries, steps, sealed);
  facts.set('result', result).set('proofs', proofs);
  return { facts, steps };
}

/** The text that is shown for a fact; null: none. More than one is as good as another text. */
function shownFact(root, name) {
  const found = [...root.querySelectorAll(`[data-fact="${name}"]`)];
  return found.length === 0 ? null : found.map((element) => element.textContent).join(' ');
}

/** The mark of each value that the page shows otherwise than its record has it, or doesn't show. */
function changedValues(root, entries) {
  const shown = new Map();
  for (const element of root.querySelectorAll('[data-value]')) {
    const { value } = element.dataset;
    shown.set(value, shown.has(value) ? null : element.textContent);
  }
  return [...valuesOf(entries)]
    .filter(([mark, value]) => shown.get(mark) !== visible(value))
    .map(([mark]) => mark);
}

/** What the page shows in other words than its record has. What readers see is compared. */
function shownOtherwise(record, lines, key) {
  const root = record.closest('[data-run]') ?? document;
  const entries = lines.filter((line) => line.entry).map((line) => line.entry);
  if (entries.length === 0) return ['The record is empty.'];
  const said = Number(shownFact(root, 'count'));
  if (said > entries.length) {
    const missing = said - entries.length;
    return [
      `The page counts ${said} entries. ${missing === 1 ? `Entry ${said - 1} is` : `Entries ${entries.length} to ${said - 1} are`} missing.`,
    ];
  }
  const { facts, steps } = factsOf(entries);
  facts.set('count', entries.length);
  facts.set('key', key);
  const differs = ([name, value]) => {
    const shown = shownFact(root, name);
    return value === null ? shown !== null : shown !== visible(value);
  };
  const faults = [...facts]
    .filter(differs)
    .map(([name]) => `The page shows another ${name} than its record has.`);
  for (const mark of changedValues(root, entries)) {
    const [, seq, name] = /^(\d+) (.*)$/.exec(mark) ?? [null, null, mark];
    const what = name.replaceAll('_', ' ');
    faults.push(
      `The page shows another ${what}${seq === null ? '' : ` of entry ${seq}`} than its record has, or leaves it out.`,
    );
  }
  const articles = [...root.querySelectorAll('[data-step]')];
  if (articles.length !== steps.length) faults.push('The page shows other steps than its record has.');
  steps.forEach((step, at) => {
    for (const name of ['state', 'assurance']) {
      if (articles[at] && shownFact(articles[at], name) !== step[name])
        faults.push(`The page shows another ${name} of step ${at + 1} than its record has.`);
    }
  });
  return faults;
}

const WORDS =
  'This is a check of the record, not of every word around it. Compared with the record were: run, title, protocol, actor, outcome, counts, times of begin and end, closing comment, inputs, captured values, state and assurance of each step, commands with exit codes and output, answers and comments, refusal codes, decisions and approvals. Other words of this page, such as the texts of steps and the details of a proposal, and the check itself, could have been changed. To read the record alone, export the run and verify it.';

async function check(record, box) {
  if (!globalThis.crypto?.subtle) {
    say(box, '', 'Not checked', [
      'This browser offers no cryptography for pages opened this way. Check the record with kairos verify.',
    ]);
    return;
  }
  const texts = record.textContent.split('\n');
  if (texts.at(-1) === '') texts.pop();
  const lines = await Promise.all(texts.map(readLine));
  const faults = await faultsOf(lines);
  const sealed = lines.find((line) => line.seal !== undefined);
  const seal = sealed?.fault ? null : sealed?.seal;
  const signed = seal ? await isSigned(seal) : null;
  const key = seal ? await fingerprint(seal) : null;
  if (signed === false) faults.push('The seal is not signed by the key that it names.');
  const ended = lines.some((line) => line.entry?.kind === 'run.sealed');
  if (!sealed && ended) faults.push('The run was sealed, and its seal is missing.');
  // The words are about the record as a whole: of one that is not whole, its own faults say enough.
  if (faults.length === 0) faults.push(...shownOtherwise(record, lines, key));
  const count = lines.filter((line) => line.entry).length;
  if (faults.length > 0) {
    say(box, 'broken', 'Not intact', faults);
    return;
  }
  if (!seal) {
    say(box, '', 'Open', [
      `The ${count} entries up to now are chained. The run is not sealed, so entries may follow or may be missing at the end.`,
      WORDS,
    ]);
    return;
  }
  const signature =
    signed === null
      ? 'This browser cannot check the signature of the seal (Ed25519); kairos verify does.'
      : `The seal is signed by the key ${key}.`;
  say(box, 'intact', 'Intact', [
    `All ${count} entries are the ones that were sealed, in their order, none is missing. ${signature}`,
    'This shows that the record has not changed since it was sealed. It does not show whose key that is, or that a claim was true: compare the fingerprint with one that you were given in another way, and look at what each proof is worth.',
    WORDS,
  ]);
}

// Paper has nothing to click on.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details:not([open])')) {
    details.open = true;
    details.dataset.closed = '';
  }
});
addEventListener('afterprint', () => {
  for (const details of document.querySelectorAll('details[data-closed]')) details.open = false;
});

for (const record of document.querySelectorAll('[data-record]')) {
  const box = document.getElementById(record.dataset.record);
  check(record, box).catch((error) =>
    say(box, 'broken', 'Not intact', [`The record cannot be read: ${error.message}`]),
  );
}

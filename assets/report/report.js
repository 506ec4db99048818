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

async function readLine(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return { text, fault: 'is not JSON' };
  }
  if (value === null || typeof value !== 'object') return { text, fault: 'is not an entry' };
  if (value.seal !== undefined && value.hash === undefined) return { text, value, seal: value.seal };
  const { hash, ...body } = value;
  const computed = await sha256(`kairos.ledger.v1\n${canonical(body)}`);
  const edited = computed !== hash || canonical(value) !== text;
  return { text, value, entry: value, fault: edited ? 'was changed' : null };
}

/** Every fault of a record, in words, each with the entry that it is about. */
async function faultsOf(lines) {
  const faults = [];
  const entries = lines.filter((line) => line.seal === undefined);
  const seals = lines.filter((line) => line.seal !== undefined);
  const seal = seals[0]?.seal;
  const run = entries.find((line) => line.entry && !line.fault)?.entry.run_id ?? seal?.run_id;
  const seen = new Map();
  let highest = -1;
  let previous = null;
  entries.forEach((line, at) => {
    const entry = line.entry;
    const name = `Entry ${Number.isSafeInteger(entry?.seq) ? entry.seq : at}`;
    if (line.fault) faults.push(`${name} ${line.fault}.`);
    if (!entry) return;
    if (entry.run_id !== run) faults.push(`${name} belongs to another run.`);
    if (seen.has(entry.seq)) faults.push(`${name} was inserted: there is another entry of this number.`);
    else if (entry.seq < highest) faults.push(`${name} was moved.`);
    else if (!line.fault && previous && previous.seq + 1 === entry.seq && previous.hash !== entry.prev)
      faults.push(`${name} is not chained to the entry before it.`);
    seen.set(entry.seq, entry);
    highest = Math.max(highest, entry.seq);
    previous = entry;
  });
  const first = seen.get(0);
  if (first && first.prev !== GENESIS) faults.push('Entry 0 does not begin a record.');
  const count = seal ? seal.count : highest + 1;
  for (let number = 0; number < count; number += 1)
    if (!seen.has(number)) faults.push(`Entry ${number} is missing.`);
  for (const number of seen.keys())
    if (number >= count) faults.push(`Entry ${number} was added after the seal.`);
  if (seals.length > 1) faults.push('There is a second seal.');
  if (seal && lines.at(-1).seal === undefined) faults.push('The seal does not stand at the end.');
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

/** Facts that the page shows in its own words and that the record has as well. */
function shownOtherwise(record, lines) {
  const entries = lines.filter((line) => line.entry).map((line) => line.entry);
  const sealed = entries.find((entry) => entry.kind === 'run.sealed');
  const facts = {
    'run-id': entries[0]?.run_id,
    outcome: sealed ? sealed.data.outcome : 'open',
    title: entries[0]?.data.title,
    actor: entries[0]?.data.actor,
  };
  const root = record.closest('[data-run]') ?? document;
  return Object.entries(facts)
    .filter(([name, value]) => {
      const shown = root.querySelector(`[data-fact="${name}"]`);
      return shown && shown.dataset.value !== value;
    })
    .map(([name]) => `The page shows another ${name} than its record has.`);
}

async function check(record, box) {
  if (!globalThis.crypto?.subtle) {
    say(box, '', 'Not checked', [
      'This browser offers no cryptography for pages opened this way. Check the record with kairos verify.',
    ]);
    return;
  }
  const texts = record.textContent.split('\n').filter((line) => line !== '');
  const lines = await Promise.all(texts.map(readLine));
  const faults = [...(await faultsOf(lines)), ...shownOtherwise(record, lines)];
  const seal = lines.find((line) => line.seal !== undefined)?.seal;
  const signed = seal ? await isSigned(seal) : null;
  if (signed === false) faults.push('The seal is not signed by the key that it names.');
  const ended = lines.some((line) => line.entry?.kind === 'run.sealed');
  if (!seal && ended) faults.push('The run was sealed, and its seal is missing.');
  const count = lines.filter((line) => line.entry).length;
  if (faults.length > 0) {
    say(box, 'broken', 'Not intact', faults);
    return;
  }
  if (!seal) {
    say(box, '', 'Open', [
      `The ${count} entries up to now are chained. The run is not sealed, so entries may follow or may be missing at the end.`,
    ]);
    return;
  }
  const key = await fingerprint(seal);
  const signature =
    signed === null
      ? 'This browser cannot check the signature of the seal (Ed25519); kairos verify does.'
      : `The seal is signed by the key ${key}.`;
  say(box, 'intact', 'Intact', [
    `All ${count} entries are the ones that were sealed, in their order, none is missing. ${signature}`,
    'This shows that the record has not changed since it was sealed. It does not show whose key that is, or that a claim was true: compare the fingerprint with one that you were given in another way, and look at what each proof is worth.',
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
    say(box, 'broken', 'Not checked', [`The check failed: ${error.message}`]),
  );
}

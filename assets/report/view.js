// Loads a page again when a run has gone on, unless a person is writing. What was opened stays open.

/** The page itself: after a text that was refused the address is that of its form. */
const HERE = location.pathname.replace(/(^\/runs\/[^/]+)\/.*/, '$1');
const KEPT = `opened ${HERE}`;

/** The same part in the page of before and after: the step that it is in, and its name. */
function nameOf(details) {
  const step = details.closest('article')?.querySelector('h2, h3')?.textContent ?? '';
  return `${step}: ${details.querySelector('summary')?.textContent}`;
}

const opened = new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? '[]'));
sessionStorage.removeItem(KEPT);
for (const details of document.querySelectorAll('details'))
  if (opened.has(nameOf(details))) details.open = true;

const events = new EventSource('/events');
events.addEventListener('changed', () => {
  const fields = [...document.querySelectorAll('form textarea, form input[type=text]')];
  if (fields.some((field) => field.value !== '' || field === document.activeElement)) return reportChange();
  const open = [...document.querySelectorAll('details[open]')].map(nameOf);
  sessionStorage.setItem(KEPT, JSON.stringify(open));
  // Never submits a form again, as a reload would.
  location.replace(HERE);
});

function reportChange() {
  if (document.getElementById('changed') !== null) return;
  const note = document.createElement('p');
  note.id = 'changed';
  note.className = 'check';
  note.setAttribute('role', 'status');
  note.textContent =
    'Runs have changed since this page was loaded. Your text is kept: submit it, or load the page again.';
  document.querySelector('main h1, main h2')?.before(note);
}

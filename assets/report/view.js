// Shows a page again when a run has gone on, unless somebody is writing an answer.

const events = new EventSource('/events');
events.addEventListener('changed', () => {
  const isWriting = [...document.querySelectorAll('form textarea, form input[type=text]')].some(
    (field) => field.value !== '',
  );
  if (!isWriting) location.reload();
});

/** Wishes, and what would fulfil them in other words: what a model is measured with (`calibrate`). */
export const MEANT_ALIKE: readonly (readonly [wish: string, procedure: string])[] = [
  ['the hot water does not work any more', 'Repair a boiler. the heater is cold'],
  ['somebody new joins our team on Monday', 'Onboard a new employee. first day of a colleague'],
  ['we lost all rows of the orders table', 'Restore a database from a backup. bring back deleted data'],
  ['customers want their money back', 'Issue a refund. return a payment'],
  ['get the latest build into the hands of users', 'Deploy to production. roll out the new version'],
  ['my plants look sad and dry', 'Water the garden. take care of the flowers'],
  ['the website shows a security warning in the browser', 'Renew a TLS certificate. https is expired'],
  ['how many things are left in the storeroom', 'Take stock of a warehouse. inventory count'],
  ['teach the class about fractions', 'Prepare a lesson. plan teaching'],
  ['someone broke into our server', 'Respond to a security incident. we were hacked'],
  ['send the bill to the client', 'Write an invoice. charge for our work'],
  ['the engine makes a strange noise', 'Inspect a car. something is wrong with the vehicle'],
  ['where should we go in summer', 'Plan a holiday. book a trip'],
  ['this function is slow', 'Profile a program. find the bottleneck'],
];

/** What nothing should be found for. */
export const NONSENSE: readonly string[] = [
  'xkcdqz blorp zint',
  'asdf qwer uiop',
  'lorem ipsum dolor sit amet',
  'wibble wobble flurgh',
  '9f8a77c1 0x00ff',
  'the of and to',
];

/** Wishes, and what would fulfil them in other words: what a model is measured with (`calibrate`). */
export const MEANT_ALIKE: readonly (readonly [wish: string, procedure: string])[] = [
  [
    'the hot water does not work any more',
    'Repair a boiler. the heater is cold. Check pressure, pilot flame and thermostat of a domestic boiler.',
  ],
  [
    'somebody new joins our team on Monday',
    'Onboard a new employee. first day of a colleague. Prepare accounts, laptop and an introduction.',
  ],
  [
    'we lost all rows of the orders table',
    'Restore a database from a backup. bring back deleted data. Load the last dump and replay the log.',
  ],
  [
    'customers want their money back',
    'Issue a refund. return a payment. Check the order, approve the amount and pay it back to the card.',
  ],
  [
    'get the latest build into the hands of users',
    'Deploy to production. roll out the new version. Run the tests, tag the release and watch the metrics.',
  ],
  [
    'my plants look sad and dry',
    'Water the garden. take care of the flowers. Fill the can in the morning and water each bed.',
  ],
  [
    'the website shows a security warning in the browser',
    'Renew a TLS certificate. https is expired. Request a certificate, install it and reload the server.',
  ],
  [
    'how many things are left in the storeroom',
    'Take stock of a warehouse. inventory count. Count each shelf and compare with the ledger.',
  ],
  [
    'teach the class about fractions',
    'Prepare a lesson. plan teaching. Choose goals, examples and exercises for the pupils.',
  ],
  [
    'someone broke into our server',
    'Respond to a security incident. we were hacked. Isolate the machine, keep evidence and inform those concerned.',
  ],
  [
    'send the bill to the client',
    'Write an invoice. charge for our work. List hours and rates, add tax and mail it.',
  ],
  [
    'the engine makes a strange noise',
    'Inspect a car. something is wrong with the vehicle. Check oil, belts, brakes and tyres.',
  ],
  [
    'where should we go in summer',
    'Plan a holiday. book a trip. Choose a destination, compare fares and reserve a hotel.',
  ],
  [
    'this function is slow',
    'Profile a program. find the bottleneck. Measure, read the flame graph and change one thing at a time.',
  ],
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

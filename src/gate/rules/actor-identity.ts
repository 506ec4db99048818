import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-109');

/** actor is who submits the proposal. */
export const actorIdentity: Rule = {
  code: 'K-PROP-109',
  title: 'actor is who submits the proposal',
  check: ({ fields, actor }) =>
    fields.actor === undefined || fields.actor === actor
      ? []
      : [found('/actor', 'It is not the identity of whoever submits the proposal.')],
};

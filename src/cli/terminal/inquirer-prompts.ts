/** The prompts that are used, and with them only their part of the library: a bundle keeps what a file names. */
export { confirm, rawlist } from '@inquirer/prompts';

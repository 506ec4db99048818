import { InvalidArgumentError } from 'commander';

/** Parses an option as a whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Parses an option as a decimal number within bounds. */
export function decimalNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };
}

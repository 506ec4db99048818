/** A copy of a vector scaled to length 1; one of zeros only stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? Float32Array.from(vector) : vector.map((value) => value / length);
}

/** The cosine of two vectors of length 1, one of them a row of a matrix that begins at `offset`. */
export function cosineAt(matrix: Float32Array, offset: number, vector: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const end = vector.length - (vector.length % 4);
  let at = 0;
  // Four sums that do not wait for each other: this loop is what a search over many vectors costs.
  for (; at < end; at += 4) {
    a += (vector[at] as number) * (matrix[offset + at] as number);
    b += (vector[at + 1] as number) * (matrix[offset + at + 1] as number);
    c += (vector[at + 2] as number) * (matrix[offset + at + 2] as number);
    d += (vector[at + 3] as number) * (matrix[offset + at + 3] as number);
  }
  for (; at < vector.length; at += 1) a += (vector[at] as number) * (matrix[offset + at] as number);
  return a + b + (c + d);
}

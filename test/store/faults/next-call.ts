/** The call of an operation to strike after this one; the first is 1. */
export type NextCall = (at: number) => number

export const everyCall: NextCall = (at) => at + 1

/** Several calls of a short operation and a few more of a long one, even and odd: with 2, the calls 1, 3, 7, 15, 31 and so on. */
export function fewCalls(factor: number): NextCall {
  return (at) => Math.ceil(at * factor) + 1
}

import type { Parameters } from "./parameters.ts"

/** The beginning of a declaration: all that stands before its body. */
export interface Head {
  name: string
  kind: string
  /** As a line. */
  signature: string
  /** Those of a function, or of a value that is one. Read when they are asked for, as few comments speak of any. */
  parameters: () => Parameters | undefined
}

/** The declaration that begins at a place: a statement, a method or a property; undefined where it is something else. */
export type HeadAt = (from: number) => Head | undefined

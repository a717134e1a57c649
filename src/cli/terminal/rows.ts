import type { Style } from "./style.ts"

/** Values under a label in front of the first of them; nothing where there are none. */
export type Row = (label: string, values: readonly string[]) => string[]

export function rowsWith(style: Style, width: number): Row {
  return (label, values) =>
    values.map((value, index) => `${style("dim", (index === 0 ? label : "").padEnd(width))}${value}`)
}

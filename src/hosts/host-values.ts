// Values of a host are not validated: each is read as the type it should have, or as an empty one.

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null
}

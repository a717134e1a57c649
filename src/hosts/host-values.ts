// Values from a host are not validated: a value of an unexpected type is read as an empty one.

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

export function renamed(args: Fields, names: Readonly<Record<string, string>> = {}): Fields {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [names[name] ?? name, value]))
}

import type { Kind } from "../../schemas/records.ts"
export function upgradeRecord(_kind: Kind, value: unknown): unknown {
  return value
}
export function upgradeEntry(value: unknown): unknown {
  return value
}

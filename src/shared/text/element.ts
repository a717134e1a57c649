import { escapeXml } from "./clean.ts"

/** Attributes without a value are left out. */
type Attributes = Record<string, string | number | null | undefined>

export function element(name: string, attributes: Attributes, text = ""): string {
  if (text === "") return `<${name}${attributeText(attributes)}/>`
  return `${openTag(name, attributes)}${escapeXml(text)}</${name}>`
}

export function openTag(name: string, attributes: Attributes): string {
  return `<${name}${attributeText(attributes)}>`
}

function attributeText(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("")
}

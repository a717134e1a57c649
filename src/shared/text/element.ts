import { escapeXml } from "./clean.ts"

export function element(
  name: string,
  attributes: Record<string, string | number | null | undefined>,
  text = "",
): string {
  const shown = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("")
  return text === "" ? `<${name}${shown}/>` : `<${name}${shown}>${escapeXml(text)}</${name}>`
}

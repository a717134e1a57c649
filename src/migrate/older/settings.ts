import { config } from "../../schemas/config.ts"
import { objectFrom, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `config.json`: what we have an option for. Only what differs from its default is worth writing down. */
export async function* readSettings(file: OldFile): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "detection_thresholds") yield* thresholds(from, item.value)
    else if (item.key !== "version") yield settingFound(from, item.key, item.value)
  }
}

function settingFound(from: string, key: string, value: unknown): Found {
  const option = OPTIONS[key]
  if (option === undefined) return { from, ignore: "a setting that nothing here needs" }
  const wanted = option.values === undefined ? value : option.values[textFrom(value) ?? ""]
  return checked(from, option.name, wanted)
}

function* thresholds(from: string, value: unknown): Generator<Found, void, void> {
  for (const [key, given] of Object.entries(objectFrom(value) ?? {})) {
    const name = THRESHOLDS[key]
    if (name === undefined) yield { from: `${from}.${key}`, ignore: "a setting that nothing here needs" }
    else yield checked(`${from}.${key}`, `detection.${name}`, given)
  }
}

function checked(from: string, name: string, value: unknown): Found {
  const [first = "", second] = name.split(".")
  const given = second === undefined ? { [first]: value } : { [first]: { [second]: value } }
  if (value === undefined || !config.safeParse(given).success)
    return { from, quarantine: `not a value of the option "${name}"`, original: value ?? null }
  const now = config.parse({}) as unknown as Record<string, unknown>
  const standard = second === undefined ? now[first] : objectFrom(now[first])?.[second]
  if (value === standard) return { from, ignore: "a setting that is the default here" }
  return { from, setting: { name, value } }
}

const GOVERNANCE = {
  assisted: "assisted",
  strict: "strict",
  permissive: "off",
  standard: "assisted",
  off: "off",
}
const OPTIONS: Readonly<Record<string, { name: string; values?: Readonly<Record<string, string>> }>> = {
  governance_mode: { name: "governance", values: GOVERNANCE },
  governanceMode: { name: "governance", values: GOVERNANCE },
  commit_suggestion_threshold: { name: "commit_after_files" },
}
const THRESHOLDS: Readonly<Record<string, string>> = {
  consecutive_failures: "failures",
  consecutive_same_section: "same_updates",
  keyword_flags: "keywords",
  tool_failures: "failures",
}

import { tryParse } from "../../schemas/checked.ts"
import { config } from "../../schemas/config.ts"
import { readText } from "../../store/files/text-file.ts"
import { objectFrom, textFrom } from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import type { SourceRecord } from "../records/report.ts"
import type { LegacyReader } from "./context.ts"

/** Reads `config.json`: settings that HiveMind has an option for and that differ from its default. */
export const readSettings: LegacyReader = async function* (file) {
  for await (const item of jsonItems(file)) {
    const { from } = item
    if ("quarantine" in item) yield item
    else if (item.key === "detection_thresholds")
      for (const [key, value] of Object.entries(objectFrom(item.value) ?? {}))
        yield settingFound(`${from}.${key}`, THRESHOLDS[key], value)
    else if (item.key === "governance_mode" || item.key === "governanceMode")
      yield settingFound(from, "governance", GOVERNANCE[textFrom(item.value) ?? ""])
    else if (item.key !== "version") yield settingFound(from, OPTIONS[item.key], item.value)
  }
}

function settingFound(from: string, name: string | undefined, value: unknown): SourceRecord {
  if (name === undefined) return { from, ignore: "a setting that HiveMind does not need" }
  const [first = "", second] = name.split(".")
  const given = { [first]: second === undefined ? value : { [second]: value } }
  if (value === undefined || !tryParse(config, given).success)
    return { from, quarantine: `not a value of the option "${name}"`, original: value ?? null }
  const defaults = objectFrom(config.parse({})) ?? {}
  const standard = second === undefined ? defaults[first] : objectFrom(defaults[first])?.[second]
  if (value === standard) return { from, ignore: "a setting that equals HiveMind's default" }
  return { from, setting: { name, value } }
}

/** Edits the text of a configuration file: adds options that are not set yet, and keeps its comments. */
export async function openConfigEdit(path: string) {
  const { applyEdits, findNodeAtLocation, modify, parseTree } = await import("jsonc-parser")
  const before = readText(path) ?? null
  let after = before ?? "{}\n"
  return {
    set({ name, value }: { name: string; value: unknown }): boolean {
      const place = name.split(".")
      const errors: Parameters<typeof parseTree>[1] = []
      const tree = parseTree(after, errors, { allowTrailingComma: true })
      if (tree?.type !== "object" || (errors?.length ?? 0) > 0) return false
      if (findNodeAtLocation(tree, place) !== undefined) return false
      const formattingOptions = { tabSize: 2, insertSpaces: true }
      after = applyEdits(after, modify(after, place, value, { formattingOptions }))
      return true
    },
    change: () => (after === (before ?? "{}\n") ? null : { before, after }),
  }
}

const GOVERNANCE: Readonly<Record<string, string>> = {
  ...{ assisted: "assisted", strict: "strict", permissive: "off", standard: "assisted", off: "off" },
}
const OPTIONS: Readonly<Record<string, string>> = { commit_suggestion_threshold: "commit_after_files" }
const THRESHOLDS: Readonly<Record<string, string>> = {
  consecutive_failures: "detection.failures",
  consecutive_same_section: "detection.same_updates",
  keyword_flags: "detection.keywords",
  tool_failures: "detection.failures",
}

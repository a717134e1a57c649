import { parse } from "jsonc-parser"
import { expect, it } from "vitest"
import { withScopes } from "../../../src/cli/scan.ts"

const wanted = { "hive-executor": ["**", "!vendor/**"], "hive-investigator": [".hivemind/artifacts/**"] }

it("a configuration that is not there, or blank, gets the scopes alone", () => {
  expect(parse(withScopes("", "config.json", wanted))).toEqual({ path_scopes: wanted })
})

it("existing settings stay, with their comments; only missing ones are added", () => {
  const text = `{
  "path_scopes": {
    // writes code
    "hive-executor": [
      "**", // everything
    ]
  },
  "governance": "assisted"
}
`
  const once = withScopes(text, "config.json", wanted)
  expect(parse(once)).toEqual({ path_scopes: wanted, governance: "assisted" })
  expect(once).toContain("// writes code")
  expect(once).toContain('"**", // everything')
  expect(withScopes(once, "config.json", wanted)).toBe(once)
})

it("a file that is no JSON is left alone, and the line told", () => {
  expect(() => withScopes('{ "path_scopes": ', "config.json", wanted)).toThrow(/cannot be changed/)
})

import { expect, it } from "vitest"
import { pathScope } from "../../src/gate/scopes-and-locks.ts"

it("a glob with `!` excludes paths of the other globs, and outside of the project only absolute globs count", async () => {
  const isInScope = await pathScope({
    writer: ["docs/**", "!docs/generated/**"],
    outside: ["**", "/srv/shared/**"],
    all: ["**"],
  })
  const table: [string, string, boolean][] = [
    ["writer", "docs/a.md", true],
    ["writer", "docs/deep/a.md", true],
    ["writer", "docs/generated/a.md", false],
    ["writer", "DOCS/../docs/Generated/a.md", false],
    ["writer", "src/a.ts", false],
    ["outside", "/srv/shared/a", true],
    ["outside", "/srv/other/a", false],
    ["all", "/srv/shared/a", false],
    ["all", "/tmp/a", true],
    ["all", ".github/ci.yml", true],
    ["somebody", "/etc/hosts", true],
  ]
  for (const [agent, path, expected] of table)
    expect(isInScope(agent, path), `${agent} ${path}`).toBe(expected)
  expect(isInScope(null, "/etc/hosts")).toBe(true)
})
